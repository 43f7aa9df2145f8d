"""Each remedy is carried out, as its text says, and the finding is gone.

fixtures/README.md says how the cases in fixtures/remedies/ are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import percent
import pytest
from rulecase import run
from tiers import every, spread

from pytest_nbsafe import project
from pytest_nbsafe.app.check import check
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Finding

FOLDER = Path(__file__).parents[2] / "fixtures" / "remedies"
UNTRIED = {"NBS906"}
"""Told of what no user can do anything about."""


class Try(NamedTuple):
    """One way to carry a remedy out: files, variables and settings, and how the page is then.

    Without a `page` it stays as it is. `runs` all cells and saves what they give.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    page: str
    runs: bool


class Case(NamedTuple):
    """A notebook with a finding, what its remedy says, and one way in which that is done."""

    kind: str
    code: str
    remedy: str
    bad: Try
    done: Try


def cases(kind: str) -> Iterator[Case]:
    """Yield the cases of a file, one for each way to carry a remedy out."""
    text = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8")
    for part in re.split(r"^#! case ", text, flags=re.MULTILINE)[1:]:
        first, *tries = re.split(r"^#! try ?", part, flags=re.MULTILINE)
        bad = _try(first)
        remedy = dict(bad.lines)["remedy"]
        for done in map(_try, tries):
            yield Case(kind, bad.title.split()[0], remedy, bad, done)


def _try(text: str) -> Try:
    title, _, rest = text.partition("\n")
    lines = re.findall(r"^#! (file|env|set|remedy) (.*)$", rest, re.MULTILINE)
    page = re.sub(r"^#! (?:file|env|set|remedy) .*\n", "", rest, flags=re.MULTILINE)
    return Try(title, tuple(lines), page, title.endswith("run all"))


def name_of(case: Case) -> str:
    return f"{case.bad.title}: {case.done.title}"


def look(case: Case, tried: Try, page: str, folder: Path) -> tuple[Finding, ...]:
    """Return what is found in a page, laid into a folder with what its lines ask for."""
    settings: dict[str, object] = {"notes": True, "cache": False, "timeout": 60}
    with pytest.MonkeyPatch.context() as patch:
        for what, text in tried.lines:
            key, _, value = text.partition("=" if what != "file" else " ")
            if what == "file":
                file = folder / key
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(value.replace("\\n", "\n"), encoding="utf-8")
            elif what == "env":
                patch.setenv(key, value.replace("HERE", str(folder)))
            elif what == "set":
                settings[key] = int(value) if value.isdigit() else value
        project.forget()
        if not page.strip():  # it is one of the files
            found = check([folder / "notebook.ipynb"], settings).findings
        elif case.kind == "run":
            found = run(page, folder, **settings)
        else:
            path = folder / "notebook.ipynb"
            percent.write(percent.parse(page, str(path)), path)
            found = check([path], settings).findings
        if tried.runs:
            _run_all(folder / "notebook.ipynb")
            path = folder / "notebook.ipynb"
            if case.kind == "run":
                from pytest_nbsafe.app.run import run as run_paths

                return run_paths([path], settings).findings
            return check([path], settings).findings
    return found


def _run_all(path: Path) -> None:
    """Restart the kernel, run all cells from the top, and save."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)


def carried_out(case: Case, folder: Path) -> None:
    (folder / ".git").mkdir()
    before = look(case, case.bad, case.bad.page, folder)
    assert case.remedy in [f.remedy for f in before if f.code == case.code]
    after = look(case, case.done, case.done.page or case.bad.page, folder)
    left = [(f.code, f.location.cell, f.message, f.remedy) for f in after if f.code == case.code]
    assert left == []
    assert [f.message for f in after if f.severity == "error"] == []


@pytest.mark.parametrize("case", every(4, cases("static")), ids=name_of)
def test_static_remedies(case: Case, tmp_path: Path) -> None:
    carried_out(case, tmp_path)


@pytest.mark.kernel
@pytest.mark.parametrize("case", spread(80, 6, cases("run")), ids=name_of)
def test_remedies_of_runs(case: Case, tmp_path: Path) -> None:
    carried_out(case, tmp_path)


def test_every_code_has_a_remedy_that_is_tried() -> None:
    tried = {case.code for kind in ("static", "run") for case in cases(kind)}
    assert set(CODES) - tried <= UNTRIED
