"""The whole report of a notebook: given again as long as nothing that it hangs on has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import makenb
import pytest
import tiers

from pytest_nbsafe.app import cache, lock, run_store, session, whole_reports
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.resume import environment_key
from pytest_nbsafe.resume.used import Used
from pytest_nbsafe.values import replace
from resume.given_whole import comparable, is_given_whole, report

PAGE = """
# %% [1]
import helper, os
with open("data.txt") as file:
    numbers = [int(line) for line in file]
# %% [2]
shop = os.getenv("SHOP_OF_THE_TEST", "")
doubled = helper.twice(len(numbers)) + len(shop)
# %% [3]
there = sorted(os.listdir("folder"))
# %% [4]
print(doubled)
#> 5
# %% [5]
print(numbers[7])
"""
"""It fails, and shows something else than was saved: the report has findings of several kinds."""


@pytest.fixture
def page(own_store: Path) -> Path:
    (own_store / "data.txt").write_text("1\n2\n5\n", encoding="utf-8")
    (own_store / "helper.py").write_text("def twice(n):\n    return 2 * n\n", encoding="utf-8")
    (own_store / "folder").mkdir()
    (own_store / "folder" / "one.txt").touch()
    path = own_store / "nb.ipynb"
    makenb.write(path, PAGE)
    return path


@pytest.mark.corpus
def test_it_is_what_the_recalled_runs_would_give(page: Path) -> None:
    full = report(page, resume="off")
    first = report(page)
    assert is_given_whole(page)
    whole = report(page)
    recalled = session.examine(page, configuration(page, {"resume": "on"}))
    assert comparable(whole) == comparable(recalled)
    assert whole.findings == first.findings == full.findings
    assert {finding.code for finding in whole.findings} >= {"NBS401", "NBS402"}
    assert whole.notebooks[0].remarks[0].startswith("9 of 9 runs reused, ")


@pytest.mark.corpus
def test_each_cell_says_what_it_said(page: Path) -> None:
    config = configuration(page, {"resume": "on"})
    report(page)
    place = whole_reports.place_of(page, config)
    assert place is not None
    heard: list[tuple[int, str]] = []
    given = whole_reports.session(place, config, _Hears(heard))
    assert given is not None
    recalled = session.NotebookSession(page, config)
    try:
        numbers = [*(cell.number for cell in recalled.cells), 0]
        said = [recalled.outcome(number) for number in numbers]
    finally:
        recalled.close()
    assert [given.outcome(number) for number in numbers] == said
    assert {outcome.status for outcome in said} == {"passed", "failed"}
    assert given.cells == recalled.cells
    assert (4, "6\n") in heard
    assert any(cell == 5 and "IndexError" in text for cell, text in heard)


class _Hears:
    def __init__(self, heard: list[tuple[int, str]]) -> None:
        self._heard = heard

    def starts(self, *_: object) -> None:
        raise AssertionError("nothing runs")

    def shows(self, cell: int, text: str) -> None:
        self._heard.append((cell, text))


@pytest.mark.usefixtures("own_store")
def test_pytest_shows_the_same_without_a_kernel(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(REFUSES)
    makenb.write(pytester.path / "nb.ipynb", SHOWN)
    options = ("--nbsafe", "--nbsafe-resume", "-p", "no:cacheprovider", "-rA", "--color=no")
    shown, cases = [], []
    for _ in range(3):
        result = pytester.runpytest_subprocess(*options, "--junitxml=junit.xml")
        lines = [line for line in result.outlines if " in " not in line and "reused" not in line]
        shown.append(lines)
        tree = ET.parse(pytester.path / "junit.xml")  # it is ours
        cases.append([(case.get("name"), [*map(_plain, case)]) for case in tree.iter("testcase")])
        monkeypatch.setenv("REFUSES_OF_THE_TEST", "1")
    assert shown[0] == shown[1] == shown[2]
    assert cases[0] == cases[1] == cases[2]
    assert any("missing" in line for line in shown[0])
    one = pytester.runpytest_subprocess(*options, "nb.ipynb::cell-1")
    assert one.ret, "a part of it has to be looked at"


SHOWN = """
# %% [1]
a = 1
print("told")
# %% [2]
print(missing)
"""
REFUSES = """
import os
from pytest_nbsafe.app.session import NotebookSession

def outcome(*_):
    raise AssertionError("it is looked at")

if "REFUSES_OF_THE_TEST" in os.environ:
    NotebookSession.outcome = outcome
"""


def _plain(part: ET.Element) -> tuple[str, str | None, str]:
    text = "\n".join(line for line in (part.text or "").splitlines() if "reused" not in line)
    return part.tag, part.get("message"), text


def _append(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return change


def _as_long_and_as_old(folder: Path) -> None:
    file = folder / "data.txt"
    state = file.stat()
    file.write_text("1\n2\n6\n", encoding="utf-8")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def _package(folder: Path) -> None:
    (folder / "helper").mkdir()
    (folder / "helper" / "__init__.py").write_text("twice = len\n", encoding="utf-8")


def _linked(folder: Path) -> None:
    (folder / "numbers.txt").write_text("1\n2\n5\n", encoding="utf-8")
    (folder / "data.txt").unlink()
    (folder / "data.txt").symlink_to("numbers.txt")


def _tagged(folder: Path) -> None:
    path = folder / "nb.ipynb"
    page = json.loads(path.read_text(encoding="utf-8"))
    page["cells"][-1]["metadata"]["tags"] = ["raises-exception"]
    path.write_text(json.dumps(page), encoding="utf-8")


def _locked(folder: Path) -> None:
    passed = (replace(each, status="passed") for each in report(folder / "nb.ipynb").notebooks)
    assert [*lock.write(passed, Path())]


CHANGES: dict[str, Callable[[Path], None]] = {
    "a data file": _append("data.txt", "8\n"),
    "a data file, as long and as old": _as_long_and_as_old,
    "a link": _linked,
    "a module": _append("helper.py", "\ntwice = len\n"),
    "a package for a module": _package,
    "what lies in a folder": lambda folder: (folder / "folder" / "two.txt").touch(),
    "settings": _append("pyproject.toml", "[tool.nbsafe]\nstrict = true\n"),
    "what the project declares": _append("requirements.txt", "pandas\n"),
    "what it was locked with": _locked,
    "a tag": _tagged,
}


@pytest.mark.parametrize("name", tiers.sampled(CHANGES, "a data file".__eq__, 2))
def test_it_is_not_given_when_something_changes(page: Path, name: str) -> None:
    report(page)
    assert is_given_whole(page)
    CHANGES[name](page.parent)
    assert not is_given_whole(page)
    again, full = report(page), report(page, resume="off")
    assert again.findings == full.findings
    assert again.notebooks[0].verdict == full.notebooks[0].verdict
    assert is_given_whole(page)


def _variable(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setenv(name, "7")


def _other_program(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cache, "program", lambda: "another version")


def _other_packages(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(environment_key, "key", lambda _: "other packages")


AROUND: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a variable that a cell reads": _variable("SHOP_OF_THE_TEST"),
    "a variable that libraries heed": _variable("OMP_NUM_THREADS"),
    "this program": _other_program,
    "the packages of the kernel": _other_packages,
}


@pytest.mark.parametrize("name", tiers.sampled(AROUND, "a variable that a cell reads".__eq__))
def test_it_is_not_given_when_something_around_changes(page: Path, name: str) -> None:
    report(page)
    with pytest.MonkeyPatch.context() as patch:
        AROUND[name](patch)
        assert not is_given_whole(page)
    assert is_given_whole(page), "all is as it was"


@pytest.mark.corpus
def test_a_setting_given_by_hand_asks_for_another(page: Path) -> None:
    report(page)
    assert not is_given_whole(page, strict=True)
    assert not is_given_whole(page, resume="verify")
    assert not is_given_whole(page, resume="off")
    assert not is_given_whole(page, pages=True)
    makenb.write(page, PAGE + "# %% [6]\n1 + 1\n")
    assert not is_given_whole(page)


@pytest.mark.corpus
def test_how_its_kernel_starts_is_part_of_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    spec = tmp_path / "jupyter" / "kernels" / "own" / "kernel.json"
    spec.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"argv": argv, "display_name": "own", "language": "python"}
    spec.write_text(json.dumps(about), encoding="utf-8")
    report(page, kernel="own")
    assert is_given_whole(page, kernel="own")
    spec.write_text(json.dumps({**about, "env": {"SHOP_OF_THE_TEST": "x"}}), encoding="utf-8")
    assert not is_given_whole(page, kernel="own")
    assert report(page, kernel="own").findings != report(page).findings, "7 is not 6"
    spec.unlink()
    assert not is_given_whole(page, kernel="own")


@pytest.mark.corpus
def test_what_is_forgotten_of_its_runs_takes_it_along(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[Used] = []
    closes = session.NotebookSession.close

    def and_tells(each: session.NotebookSession) -> None:
        closes(each)
        used.extend(each.reuse.used)

    monkeypatch.setattr(session.NotebookSession, "close", and_tells)
    report(page)
    run_store.of_notebook(page).forget(used[0].entries[:1])
    assert not is_given_whole(page)


NOT_WHOLE = {
    "the clock": "import time\nnow = time.time()",
    "chance": "import random\ndrawn = random.random()",
    "it writes": "open('out.txt', 'w').write('x')",
    "it asks for earlier runs": "1\n# %% [2]\nkept = _ + 1",
    "the whole environment": "import os\nnames = sorted(os.environ)",
}


@pytest.mark.parametrize("name", tiers.sampled(NOT_WHOLE, "it writes".__eq__))
def test_it_is_kept_where_every_run_is(own_store: Path, name: str) -> None:
    path = makenb.write(own_store / "nb.ipynb", f"# %% [1]\n{NOT_WHOLE[name]}\n")
    for _ in range(2):
        report(path)
        assert not is_given_whole(path)


@pytest.mark.corpus
def test_the_page_that_changes_meanwhile_is_not_taken_for_it(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closes = session.NotebookSession.close

    def and_changes(each: session.NotebookSession) -> None:
        closes(each)
        makenb.write(page, PAGE + "# %% [6]\n1 / 0\n")

    with monkeypatch.context() as patch:
        patch.setattr(session.NotebookSession, "close", and_changes)
        report(page)
    assert not is_given_whole(page)
    makenb.write(page, PAGE)
    assert not is_given_whole(page), "nor is the first: who knows which of the two was read"


@pytest.mark.corpus
def test_a_broken_setting_is_told_all_the_same(page: Path) -> None:
    report(page)
    _append("pyproject.toml", '[tool.nbsafe]\nsanitize-with = "nowhere"\n')(page.parent)
    with pytest.raises(NbsafeError, match="nowhere"):
        report(page)


@pytest.mark.corpus
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file has such a name")
def test_a_name_that_is_no_text_is_one_of_a_notebook(own_store: Path) -> None:
    page = makenb.write(own_store / os.fsdecode(b"caf\xe9.ipynb"), "# %% [1]\nprint(1)\n#> 1\n")

    def said(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest_nbsafe", *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout

    assert "no findings" in said("run", "--resume", str(page))
    assert "1 of 1 run reused" in said("run", "--resume", str(page))
    assert f"{own_store}/caf\\xe9.ipynb" in said("store")
    assert "1 of 1 cell kept" in said("checkout", str(page), "--list")
