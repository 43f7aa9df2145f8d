"""The baseline: what it knows passes, wherever it moves; what is new fails."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import percent
import pytest
from makenb import BROKEN, write

from pytest_nbsafe.app import baseline, inputs
from pytest_nbsafe.app.baseline_file import write_baseline
from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.run import run
from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.cli import main
from pytest_nbsafe.errors import NbsafeError

KNOWN = """
# %% [1]
a = 1
# %% [2]
print(a, missing)
print(gone)
"""


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str = KNOWN) -> str:
    """Write a notebook and its baseline, return the option that names it."""
    write(Path("nb.ipynb"), text)
    write_baseline([Path("nb.ipynb")], {}, check)
    return baseline.DEFAULT


def told(text: str, file: str) -> list[str]:
    """Return the messages that are left when the notebook has become this."""
    write(Path("nb.ipynb"), text)
    return [f.message.partition(" ")[0] for f in check([Path()], {"baseline": file}).findings]


def test_what_is_known_passes() -> None:
    file = written()
    assert told(KNOWN, file) == []
    (report,) = check([Path()], {"baseline": file}).notebooks
    assert (report.known, report.status) == (2, "passed")


@pytest.mark.parametrize(
    "text",
    [
        "# %% [1]\nprint(a, missing)\nprint(gone)\n# %% [2]\na = 1\n",
        "# %% [1]\na = 1\n# %% [3]\nb = 2\n# %% [2]\nprint(a, missing)\nprint(gone)\n",
        "# %% [1]\na = 1\n# %% [2]\nb = 2\nif a:\n    print(a, missing)\n    print(gone)\n",
        "# %% [1]\na = 1\n# %% [2]\nprint(gone)\n",
    ],
    ids=["moved up", "a cell between", "indented, other lines", "one is mended"],
)
def test_moving_a_cell_keeps_it(text: str) -> None:
    left = [message for message in told(text, written()) if message != "`a`"]
    assert left == []


def test_an_edited_line_and_another_name_are_new() -> None:
    file = written()
    assert told("# %% [1]\na = 1\n# %% [2]\nprint(a, misspelt)\nprint(gone)\n", file) == [
        "`misspelt`"
    ]
    assert told("# %% [1]\na = 1\n# %% [2]\nprint(missing)\nprint(gone)\n", file) == ["`missing`"]


def test_one_more_of_the_same_is_new() -> None:
    once = "# %% [1]\nx = = 1\n"
    file = written(once)
    assert told(once, file) == []
    assert len(told(once + "# %% [2]\nx = = 1\n", file)) == 1


def test_writing_again_keeps_other_notebooks_and_forgets_what_is_gone() -> None:
    for name in ("one", "two", "three"):
        write(Path(f"{name}.ipynb"), BROKEN)
    write_baseline([Path()], {}, check)
    Path("two.ipynb").unlink()
    write(Path("one.ipynb"))
    file, number = write_baseline([Path("one.ipynb")], {}, check)
    assert (list(json.loads(file.read_text())["notebooks"]), number) == (["three.ipynb"], 1)


def test_the_same_findings_write_the_same_bytes() -> None:
    file = Path(written())
    before = file.read_bytes()
    write_baseline([Path("nb.ipynb")], {}, check)
    assert file.read_bytes() == before
    assert b"print(a, missing)" in before


GROUPED = {
    "a name that is missing": ("print(missing)", "b = missing + 1", "c = [missing]"),
    "a folder of one machine": ("f = open('/home/me/a')", "g = open('/home/me/b')"),
    "draws without a seed": ("import random\na = random.random()", "b = random.randint(1, 2)"),
    "a package that a cell installs": ("!pip install foo", "!pip install foo bar"),
    "lines that do not parse": ("x = = 1", "x = = 1", "x = = 1"),
}


def page(cells: Iterable[str]) -> str:
    return percent.page_of(*cells)


@pytest.mark.parametrize("cells", GROUPED.values(), ids=GROUPED)
def test_mending_one_of_several_makes_no_other_appear(cells: tuple[str, ...]) -> None:
    file = written(page(("import random", *cells)))
    for position in range(len(cells)):
        rest = cells[:position] + cells[position + 1 :]
        assert told(page(("import random", *rest)), file) == []


def test_another_fault_beside_a_known_one_is_new() -> None:
    file = written("# %% [1]\nprint(missing)\n# %% [2]\nprint(missing, gone)\n")
    changed = "# %% [1]\nprint(lost)\n# %% [2]\nprint(missing, gone)\n"
    assert told(changed, file) == ["`lost`"]


def test_what_is_fixed_is_told_and_taken_out(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("one.ipynb"), KNOWN)
    write(Path("two.ipynb"), BROKEN)
    main(["check", "--write-baseline"])
    whole = Path(baseline.DEFAULT).read_bytes()
    Path("two.ipynb").unlink()
    write(Path("one.ipynb"), "# %% [1]\na = 1\n# %% [2]\nprint(a, missing)\nprint(new)\n")
    capsys.readouterr()
    assert main(["check", "--baseline", baseline.DEFAULT]) == 1
    assert capsys.readouterr().out.endswith(
        "1 error in 1 notebook (1 known from the baseline); "
        "1 entry of the baseline is fixed (--update-baseline)\n"
    )
    assert Path(baseline.DEFAULT).read_bytes() == whole
    assert main(["check", "--update-baseline"]) == 1
    said = capsys.readouterr()
    assert "`new` is read here" in said.out
    assert said.err == f"nbsafe: {baseline.DEFAULT} holds 1 finding now; 2 taken out\n"
    assert main(["check", "--update-baseline"]) == 1
    said = capsys.readouterr()
    assert said.out.endswith("1 error in 1 notebook (1 known from the baseline)\n")
    assert said.err == f"nbsafe: {baseline.DEFAULT} holds 1 finding now; 0 taken out\n"
    held = json.loads(Path(baseline.DEFAULT).read_text())["notebooks"]
    assert [entry["text"] for entry in held["one.ipynb"]] == ["print(a, missing)"]


def test_what_is_not_asked_for_is_not_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    file = written()
    assert main(["check", "--update-baseline", "--select", "NBS4"]) == 0
    assert capsys.readouterr().err == f"nbsafe: {file} holds 2 findings now; 0 taken out\n"


@pytest.mark.kernel
def test_a_check_does_not_judge_what_a_run_has_found(capsys: pytest.CaptureFixture[str]) -> None:
    text = "# %% [1]\na = {}\n# %% [2]\nprint(a)\n#> 3\n# %% [3]\nprint(gone)\n"
    write(Path("nb.ipynb"), text)
    write_baseline([Path()], {}, run)
    held = json.loads(Path(baseline.DEFAULT).read_text())["notebooks"]["nb.ipynb"]
    assert [(entry["code"], entry["run"]) for entry in held] == [("NBS101", True), ("NBS402", True)]
    assert main(["check", "--update-baseline"]) == 0
    assert "0 taken out" in capsys.readouterr().err
    write(Path("nb.ipynb"), text.replace("#> 3", "#> {}"))
    assert main(["run", "--update-baseline"]) == 0
    assert capsys.readouterr().err.endswith("holds 1 finding now; 1 taken out\n")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"version": 2, "notebooks": {}}', '{"version": 1, "notebooks": {"a": [1]}}'],
)
def test_a_file_that_is_no_baseline_is_misuse(
    content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("nb.ipynb"))
    Path("known.json").write_text(content)
    assert main(["check", "--baseline", "known.json"]) == 2
    assert "known.json" in capsys.readouterr().err
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 2
    assert Path("known.json").read_text() == content


def test_a_missing_one_says_how_to_write_it() -> None:
    write(Path("nb.ipynb"))
    with pytest.raises(NbsafeError, match="--write-baseline"):
        check([Path()], {"baseline": "known.json"})


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("sub/nb.ipynb"), KNOWN)
    Path("nbsafe.toml").write_text("baseline = 'known.json'\n")
    assert main(["check", "--write-baseline"]) == 0
    assert capsys.readouterr().out.endswith("known.json holds 2 findings now\n")
    assert main(["check", "sub"]) == 0
    assert capsys.readouterr().out == "no findings in 1 notebook (2 known from the baseline)\n"


# ------------------------------------------------------------------------------ pytest

STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider")


def test_in_pytest(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", KNOWN)
    pytester.runpytest(*STATIC).assert_outcomes(passed=2, failed=1)
    write_baseline([pytester.path / "nb.ipynb"], {}, check)
    known = f"--nbsafe-baseline={baseline.DEFAULT}"
    pytester.runpytest(*STATIC, known).assert_outcomes(passed=3)
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n# %% [2]\nprint(gone)\n")
    result = pytester.runpytest(*STATIC, known)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*nbsafe: 1 entry of the baseline is fixed (--update-baseline)*"])
    pytester.makeini(f"[pytest]\nnbsafe_baseline = {baseline.DEFAULT}\n")
    pytester.runpytest(*STATIC).assert_outcomes(passed=3)
    result = pytester.runpytest(*STATIC, "--nbsafe-baseline=other.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no baseline other.json*"])


@pytest.mark.kernel
def test_a_cell_that_is_known_to_raise_is_no_failure_and_no_pass() -> None:
    write(Path("nb.ipynb"), "# %% [1]\n1 / 0\n# %% [2]\nprint(2)\n#> 2\n")
    file, number = write_baseline([Path()], {}, run)
    assert number == 1
    session = NotebookSession(
        Path("nb.ipynb"), inputs.configuration(Path("nb.ipynb"), {"baseline": str(file)})
    )
    try:
        outcomes = [session.outcome(cell) for cell in (1, 2, 0)]
    finally:
        session.close()
    assert [outcome.status for outcome in outcomes] == ["skipped", "passed", "passed"]
    assert "ZeroDivisionError" in outcomes[0].reason


# --------------------------------------------------------------------- per-file-ignores


@pytest.mark.parametrize(
    ("glob", "silent"),
    [
        ("drafts/*.ipynb", ["drafts/a.ipynb", "drafts/old/b.ipynb"]),
        ("b.ipynb", ["drafts/old/b.ipynb"]),
        ("*", ["c.ipynb", "drafts/a.ipynb", "drafts/old/b.ipynb"]),
        ("!drafts/*", ["c.ipynb"]),
        ("draft", []),
        ("**/old/*", ["drafts/old/b.ipynb"]),
    ],
)
def test_ignores_for_some_files(glob: str, silent: list[str]) -> None:
    paths = [Path("c.ipynb"), Path("drafts/a.ipynb"), Path("drafts/old/b.ipynb")]
    for path in paths:
        write(path, KNOWN)
    Path("nbsafe.toml").write_text(f"[per-file-ignores]\n{glob!r} = ['NBS101']\n")
    loud = {f.path for f in check([Path()], {}).findings}
    assert sorted({str(path) for path in paths} - loud) == silent
