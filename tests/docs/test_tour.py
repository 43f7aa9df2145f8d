"""The tour is true: its notebooks have the findings of its table, its pipelines run as is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

TOUR = Path(__file__).parents[2] / "docs" / "tour"
ROW = re.compile(r"^\| `(\w+\.ipynb)` \| *(NBS\d+ \w+)? *\|", re.MULTILINE)
EXPECTED = {
    notebook: tuple(finding.split())
    for notebook, finding in ROW.findall((TOUR / "README.md").read_text("utf-8"))
}
FAIL = {notebook for notebook, finding in EXPECTED.items() if "error" in finding}
SEVERITIES = {"critical": "error", "minor": "warning"}
pytestmark = [pytest.mark.corpus, pytest.mark.kernel]


@pytest.fixture
def tour(tmp_path: Path) -> Path:
    """Return a clone of the tour, as a repository of its own."""
    folder = tmp_path / "rentals"
    shutil.copytree(TOUR, folder, ignore=shutil.ignore_patterns(".pytest_cache", "__pycache__"))
    for command in ("git init -q", "git add -A"):
        subprocess.run(command.split(), cwd=folder, check=True)
    return folder


def in_shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a pipeline as it stands, with the programs of this environment."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**env, "PATH": programs, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def but_installing(lines: Iterator[str]) -> list[str]:
    found = list(lines)
    assert found[0] == "pip install -r requirements.txt"
    return found[1:]


def failed(report: Path) -> set[str]:
    cases = ET.parse(report).getroot().iter("testcase")
    bad = (case for case in cases if case.find("failure") is not None)
    return {Path(case.attrib["file"]).name for case in bad}


def test_its_table_names_every_notebook() -> None:
    assert set(EXPECTED) == {path.name for path in TOUR.glob("notebooks/*.ipynb")}
    assert len(EXPECTED) == 10


def test_the_pipeline_of_github_runs(tour: Path) -> None:
    workflow = yaml.safe_load((tour / ".github/workflows/notebooks.yml").read_text("utf-8"))
    steps = workflow["jobs"]["notebooks"]["steps"]
    (command,) = but_installing(step["run"] for step in steps if "run" in step)
    summary = tour.parent / "summary.md"
    done = in_shell(command, tour, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1, done.stdout + done.stderr
    lines = re.findall(r"^::error file=notebooks/(\w+\.ipynb),line=\d+", done.stdout, re.MULTILINE)
    annotated = set(lines)
    assert annotated == FAIL == failed(tour / "junit.xml")
    assert all(name in summary.read_text("utf-8") for name in FAIL)
    (uploaded,) = (step["with"]["path"] for step in steps if "upload" in step.get("uses", ""))
    assert (tour / uploaded).stat().st_size > 10_000


def test_the_pipeline_of_gitlab_runs(tour: Path) -> None:
    job = yaml.safe_load((tour / ".gitlab-ci.yml").read_text("utf-8"))["notebooks"]
    (command,) = but_installing(iter(job["script"]))
    done = in_shell(command, tour)
    assert done.returncode == 1, done.stdout + done.stderr
    reports = job["artifacts"]["reports"]
    assert failed(tour / reports["junit"]) == FAIL
    found: dict[str, set[tuple[str, ...]]] = {name: set() for name in EXPECTED}
    for each in json.loads((tour / reports["codequality"]).read_text("utf-8")):
        severity = SEVERITIES[each["severity"]]
        found[Path(each["location"]["path"]).name].add((each["check_name"], severity))
    assert found == {name: {row} if row else set() for name, row in EXPECTED.items()}


def test_its_hook_stops_a_commit(tour: Path) -> None:
    done = in_shell("pre-commit run --all-files", tour)
    assert done.returncode == 1, done.stdout + done.stderr
    stopped = set(re.findall(r"(\w+\.ipynb):cell \d+:line \d+  error", done.stdout))
    assert stopped == FAIL - {"02_stale_output.ipynb", "06_old_data.ipynb"}


def test_what_it_shows_of_fix_and_order_is_printed(tour: Path) -> None:
    text = (TOUR / "README.md").read_text("utf-8")
    for command in ("nbsafe order notebooks/02_stale_output.ipynb", "nbsafe fix --diff notebooks"):
        printed = in_shell(command, tour).stdout
        block = re.search(r"\n\n((?: {4}.*\n)+)", text.split(f"    {command}\n")[1])
        assert block is not None
        for line in block[1].splitlines():
            assert line[4:] in printed.splitlines()
