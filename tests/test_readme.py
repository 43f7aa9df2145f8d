"""What README says is true: its reference of findings, its example, its options."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.rules import Rule

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
ROOT = README.parent


def test_its_numbers_are_those_of_the_table() -> None:
    assert f"all {len(CODES)} codes" in TEXT
    assert f"{sum(code.startswith('NBS3') for code in CODES)} kinds" in TEXT


@pytest.mark.parametrize("code", sorted(set(re.findall(r"#! (NBS\d+)", TEXT))))
def test_its_examples_are_those_of_the_rules(code: str) -> None:
    """Each line of a block that marks a code stands in the bad example of its rule."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", TEXT, re.MULTILINE)
    (block,) = (each for each in blocks if f"#! {code}" in each)
    assert set(dedent(block).splitlines()) <= set(Rule(code).module.BAD.splitlines())


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", TEXT))
def test_its_links_lead_somewhere(link: str) -> None:
    assert link.startswith("http") or Path(ROOT, link).exists()


def test_its_test_command_is_the_one_of_ci() -> None:
    (command,) = re.findall(r"\.venv/bin/(python -m pytest.*)", TEXT)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_every_folder_of_fixtures_is_explained_with_the_test_that_reads_it() -> None:
    folder = ROOT / "fixtures"
    rows = dict(
        re.findall(
            r"^\| `(\w+)/` \|.*\| `(\S+)` \|$",
            (folder / "README.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    assert set(rows) == {path.name for path in folder.iterdir() if path.is_dir()}
    assert [file for file in rows.values() if not (ROOT / file).exists()] == []


@pytest.mark.kernel
def test_its_example_is_what_is_printed(pytester: pytest.Pytester) -> None:
    notebook = "fixtures/papers/nbsafety_fig1.ipynb"
    target = pytester.path / notebook
    target.parent.mkdir(parents=True)
    target.write_bytes((ROOT / notebook).read_bytes())
    result = pytester.runpytest_subprocess("--nbsafe", notebook)
    result.assert_outcomes(passed=3, failed=1)
    shown = TEXT.split("what it shows is wrong:\n\n")[1].split("\n\n")[0]
    assert [line.removeprefix("    ") for line in shown.split("\n")] == [
        line
        for line in result.outlines
        if line in {s.removeprefix("    ") for s in shown.split("\n")}
    ]


@pytest.mark.corpus
def test_its_first_command_needs_no_other_plugin() -> None:
    """Who installs no more than the package has no pytest-xdist."""
    (example,) = re.findall(r"\.venv/bin/pytest --nbsafe (\S+)", TEXT)
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--nbsafe", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done
    assert "NBS201" in done.stdout
