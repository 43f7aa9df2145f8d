"""The command line: what it prints, what it exits with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import percent
import pytest
from makenb import BROKEN, CLEAN, OUT_OF_ORDER, write

from pytest_nbsafe import __version__
from pytest_nbsafe.cli import main
from pytest_nbsafe.rules import nbs404_nondeterministic


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def nbsafe(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest_nbsafe", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **more},
    )


# ------------------------------------------------------------------------ check


def test_check_neither_executes_nor_imports() -> None:
    Path("local.py").write_text("open('imported', 'w').close()\n", encoding="utf-8")
    text = "# %% [1]\nimport local\nfrom local import *\nopen('ran', 'w').close()\n"
    write(Path("nb.ipynb"), f"{text}!touch shell\nmissing_name\n")
    done = nbsafe("check", ".")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in Path().iterdir()) == ["local.py", "nb.ipynb"]


@pytest.mark.parametrize(
    ("notebook", "arguments", "code", "last"),
    [
        (CLEAN, [], 0, "no findings in 1 notebook"),
        (BROKEN, [], 1, "1 error in 1 notebook"),
        (BROKEN, ["--ignore", "NBS1"], 0, "no findings in 1 notebook"),
        (BROKEN, ["--select", "NBS2,NBS4"], 0, "no findings in 1 notebook"),
        (BROKEN, ["--select", "undefined-name"], 1, "1 error in 1 notebook"),
        (OUT_OF_ORDER, [], 0, "1 warning in 1 notebook"),
        (OUT_OF_ORDER, ["--strict"], 1, "1 warning in 1 notebook"),
        (OUT_OF_ORDER, ["--order", "top-down"], 0, None),
    ],
)
def test_check(
    notebook: str,
    arguments: list[str],
    code: int,
    last: str | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(Path("nb.ipynb"), notebook)
    assert code == main(["check", "nb.ipynb", *arguments])
    shown = capsys.readouterr()
    assert last is None or shown.out.split("\n")[-2] == last
    assert shown.err == ""


@pytest.mark.corpus
def test_two_runs_print_the_same_bytes() -> None:
    notebooks = str(Path(__file__).parents[2] / "fixtures")
    command = ("check", "--no-cache", "--notes", "--format", "json", notebooks)
    first, second = (
        [
            line
            for line in nbsafe(*command, PYTHONHASHSEED=seed).stdout.splitlines()
            if "duration_s" not in line
        ]
        for seed in ("1", "2")
    )
    assert first == second
    assert len(first) > 100


@pytest.mark.kernel
def test_a_hash_seed_of_the_surroundings_makes_no_error_of_a_sets_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "5")  # as tox and Dask do
    percent.write(percent.parse(nbs404_nondeterministic.BAD), Path("nb.ipynb"))
    assert main(["run", "nb.ipynb"]) == 0
    shown = capsys.readouterr().out
    assert "NBS404" in shown
    assert "NBS402" not in shown


def test_two_checks_by_running_find_the_same_whatever_the_order_of_sets_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    write(Path("nb.ipynb"), "# %% [1]\nraise ValueError(hash('some text'))\n")
    assert main(["run", "nb.ipynb"]) == 1
    first = capsys.readouterr().out
    assert main(["run", "nb.ipynb"]) == 1
    assert capsys.readouterr().out == first
    assert "raised ValueError: " in first


def test_check_looks_into_this_folder_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("sub/a.ipynb"), BROKEN)
    write(Path("sub/.ipynb_checkpoints/a.ipynb"), BROKEN)
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("sub/a.ipynb:cell 3:line 2  error NBS101 undefined-name (proved)  ")
    assert out.endswith("1 error in 1 notebook\n")


def test_strict_from_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), OUT_OF_ORDER)
    Path("nbsafe.toml").write_text("strict = true\n", encoding="utf-8")
    assert main(["check"]) == 1
    assert "1 warning" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_an_unreadable_notebook_exits_with_2(
    content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nb.ipynb").write_text(content, encoding="utf-8")
    write(Path("other.ipynb"), BROKEN)
    assert main(["check"]) == 2
    out = capsys.readouterr().out
    assert "nb.ipynb:1  error NBS901 unreadable-notebook (proved)" in out
    assert "NBS101" in out


def test_json_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), BROKEN)
    arguments = ["check", "--format", "json", "--output"]
    assert [main([*arguments, "one.json"]), main([*arguments, "two.json"])] == [1, 1]
    assert capsys.readouterr().out == ""
    one, two = (json.loads(Path(f"{n}.json").read_bytes()) for n in ("one", "two"))
    assert [finding["code"] for finding in one["findings"]] == ["NBS101"]
    assert one["findings"] == two["findings"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nope.ipynb"], "there is no file or folder nope.ipynb"),
        (["check", "--select", "NBS999"], "there is no code 'NBS999' (did you mean "),
        (["check", "--order", "sideways"], "--order cannot be 'sideways' (one of auto"),
        (["run", "--timeout", "soon"], "--timeout cannot be 'soon' (seconds"),
        (["check", "--output", "no/such/folder"], "cannot write no/such/folder: "),
        (["check", "--format", "json:no/such/file"], "No such file or directory (see --format)"),
        (["stats", "--plot", "no/such/file.svg"], "No such file or directory (see --plot)"),
        (["explain", "NBS999"], "NBS999"),
        (["order", "nope.ipynb"], "nope.ipynb"),
        (["order", "bad.ipynb"], "bad.ipynb, line 1: "),
        (["order", "gone.ipynb"], "there is no file gone.ipynb"),
    ],
)
def test_misuse_is_one_line_and_exits_with_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("nb.ipynb"))
    Path("bad.ipynb").write_text("{", encoding="utf-8")
    if arguments[0] != "order":
        Path("bad.ipynb").unlink()
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("nbsafe: error: ")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["store", "--prune", "--clear"], "argument --clear: not allowed with argument --prune"),
        (["checkout", "nb.ipynb", "--before", "bad"], "`bad` is not the number of a cell, counted"),
        (["diff", "nb.ipynb", "1", "last"], "`last` is not the number of a cell, counted from 1"),
    ],
)
def test_options_that_are_misread(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert said in capsys.readouterr().err


def test_a_bad_configuration_file_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"))
    Path("nbsafe.toml").write_text("strikt = true\n", encoding="utf-8")
    assert main(["check"]) == 2
    assert "unknown key 'strikt' (did you mean strict?)" in capsys.readouterr().err


# ------------------------------------------------------------- the other commands


def test_order(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), OUT_OF_ORDER)
    assert main(["order", "nb.ipynb"]) == 0
    assert capsys.readouterr().out.startswith("nb.ipynb: ")
    assert main(["order", "nb.ipynb", "--order", "top-down", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == [
        *("version", "plan", "orders", "verdict", "notebook"),
        *("cut_short", "confidence", "stats", "edges"),
    ]
    assert [step["cell"] for step in document["plan"]] == [1, 2, 3]
    assert list(document["plan"][0]) == [
        *("step", "cell", "count", "session", "reason", "probability")
    ]


def test_rules_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["codes"]
    assert main(["rules"]) == 0
    assert len(rows) == capsys.readouterr().out.count("\n")
    for row in rows:
        assert main(["explain", row["code"]]) == 0
        assert row["name"] in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"nbsafe {__version__}\n"


def test_cells_that_never_ran_make_no_order(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), "# %% [1]\na = 1\n# %%\nb = 2\n# %% [4]\nprint(a)\n")
    assert main(["order", "nb.ipynb", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "top-down"


@pytest.mark.parametrize("arguments", [[], ["nosuch"], ["check", "--format", "yaml"], ["order"]])
def test_argparse_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


# ----------------------------------------------------------------- as a process


def test_check_imports_nothing_heavy_and_the_parser_nothing_at_all() -> None:
    write(Path("nb.ipynb"), CLEAN)
    code = """if True:
        import json, sys
        before = set(sys.modules)
        from pytest_nbsafe import cli
        ours = sorted(n for n in set(sys.modules) - before if n.startswith("pytest_nbsafe"))
        cli.main(["check"])
        heavy = {"nbclient", "nbformat", "jupyter_client", "IPython", "zmq", "pytest"}
        print(json.dumps([ours, sorted(heavy & set(sys.modules))]))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours, heavy = json.loads(done.stdout.split("\n")[-2])
    parts = ("cli", "cli.commands", "cli.parser", "cli.writing", "errors", "options", "stopping")
    assert ours == ["pytest_nbsafe", *(f"pytest_nbsafe.{part}" for part in parts)]
    assert heavy == []


def test_colour_only_where_it_is_wanted() -> None:
    write(Path("nb.ipynb"), BROKEN)
    assert "\x1b" not in nbsafe("check").stdout
    assert "\x1b[1;31m" in nbsafe("check", FORCE_COLOR="1").stdout
    assert "\x1b" not in nbsafe("check", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert nbsafe("check", "--output", "f", FORCE_COLOR="1").returncode == 1
    assert "\x1b" not in Path("f").read_text(encoding="utf-8")


def test_a_terminal_without_unicode() -> None:
    write(Path("nb.ipynb"), BROKEN.replace("print(a)", "print('日本')"))
    done = nbsafe("check", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell with pipefail")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    for number in range(300):
        write(Path(f"nb{number}.ipynb"), BROKEN)
    command = f"set -o pipefail; {sys.executable} -m pytest_nbsafe check | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 1


def test_an_interrupt_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_nbsafe.app.check.check", interrupted)
    assert main(["check"]) == 130
    assert capsys.readouterr() == ("", "")


# ------------------------------------------------------------------------- run


@pytest.mark.kernel
def test_run() -> None:
    write(Path("good.ipynb"), CLEAN)
    write(Path("bad.ipynb"), "# %% [1]\na = 1 / 0\n# %% [2]\nprint(a)\n")
    done = nbsafe("run", ".", "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert [(f["path"], f["cell"], f["code"]) for f in document["findings"]] == [
        ("bad.ipynb", 1, "NBS401")
    ]
    assert [n["status"] for n in document["notebooks"]] == ["failed", "passed"]
    costs = document["notebooks"][1]["costs"]
    assert [sorted(cost) for cost in costs] == [["cpu_s", "order", "wall_s"]]


@pytest.mark.kernel
def test_progress_is_for_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("good.ipynb"), CLEAN)
    assert main(["run"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["run"]) == 0
    assert "good.ipynb  cell 2 of 2, " in capsys.readouterr().err
