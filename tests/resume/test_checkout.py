"""A kernel in the state around a cell: what a front end that connects to it finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import makenb
import pytest

from pytest_nbsafe.app.checkout import CheckedOut, checked_out
from pytest_nbsafe.cli import console, main
from pytest_nbsafe.errors import NbsafeError
from resume.visiting import front_end

NB = """
# %% [1]
import time
def scale(value):
    return 10 * value
# %% [2]
time.sleep(0.1)
table = {"a": [1, 2]}
alias = table["a"]
# %% [3]
table["b"] = scale(3)
# %% [4]
table["missing"]
# %% [5]
table.clear()
"""


@pytest.fixture
def notebook(own_store: Path) -> Path:
    return makenb.write(own_store / "nb.ipynb", NB)


def told(state: CheckedOut, expression: str) -> str:
    """Return what an expression gives in a kernel that was checked out, asked as a front end."""
    with front_end(state) as visitor:
        return visitor.value(expression)


def test_the_state_around_a_cell(notebook: Path) -> None:
    notebook_cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert len(notebook_cells) == 5
    with checked_out(notebook, {}, 3, before=True) as state:
        assert (state.runs, state.reused, state.failed) == (2, 0, {})
        assert told(state, "table") == "{'a': [1, 2]}"
    with checked_out(notebook, {}, 5, before=True) as state:
        assert state.reused == 2
        assert [*state.failed] == [4]
        assert "KeyError" in state.failed[4]
        assert told(state, "table") == "{'a': [1, 2], 'b': 30}"
        assert told(state, "table['a'] is alias") == "True"
        assert told(state, "scale(2)") == "20"
    with checked_out(notebook, {}, 3, before=False) as state:
        assert state.reused == 3, "all of it is known: nothing had to be made but what it holds"
        assert told(state, "table, alias, scale(1)") == "({'a': [1, 2], 'b': 30}, [1, 2], 10)"
        connection = state.kernel.connection
    assert not connection.exists()


CONSOLE = """
import os, signal, sys, time
os.kill(os.getppid(), signal.SIGINT)
time.sleep(0.5)
print(*sys.argv[1:])
"""


@pytest.mark.corpus
def test_ctrl_c_in_a_console_stops_what_runs(
    notebook: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    notebook.with_name("own_console.py").write_text(CONSOLE, encoding="utf-8")
    monkeypatch.syspath_prepend(notebook.parent)
    monkeypatch.chdir(notebook.parent)
    monkeypatch.setattr(console, "_CONSOLE", "own_console")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    with checked_out(notebook, {}, 2, before=True) as state, front_end(state) as visitor:
        visitor.starts("import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: mine = 3")
        console.attach(state, waits=False)
        assert capfd.readouterr().out == f"--existing {state.kernel.connection}\n"
        assert visitor.value("mine, scale(2)") == "(3, 20)"
        visitor.starts("import os\nos._exit(0)")
        console.attach(state, waits=False)


def test_a_cell_that_is_not_there(notebook: Path) -> None:
    with (
        pytest.raises(NbsafeError, match="no code cell 9"),
        checked_out(notebook, {}, 9, before=True),
    ):
        pass


def test_the_command(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkout", str(notebook), "--before", "2"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert "before cell 2: 1 run above it, 0 of them reused" in first
    assert last == "no terminal is here, so its kernel ends now (--kernel-only keeps it)"


@pytest.mark.corpus
def test_it_waits_until_it_is_interrupted(notebook: Path) -> None:
    command = [sys.executable, "-m", "pytest_nbsafe", "checkout", str(notebook), "--after", "3"]
    with subprocess.Popen(
        [*command, "--kernel-only"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as waiting:
        assert waiting.stdout is not None
        lines = [waiting.stdout.readline() for _ in range(3)]
        assert lines[1].startswith("to look into it: jupyter console --existing ")
        assert lines[2].startswith("there, %nbsafe --before CELL or --after CELL")
        connection = Path(lines[1].split()[-1])
        assert connection.exists()
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.5)
        waiting.terminate()
        waiting.wait(30)
    assert not connection.exists()


@pytest.mark.corpus
def test_a_state_that_cannot_be_had_again_is_made_anew(own_store: Path) -> None:
    text = "# %% [1]\nimport threading\nprint(threading.get_native_id())\n# %% [2]\nnumber = 3\n"
    path = makenb.write(own_store / "nb.ipynb", text)
    for remarks in ((), ("cell 1 gave something else than before: all was run anew",)):
        with checked_out(path, {}, 2, before=False) as state:
            assert (state.reused, state.remarks) == (0, remarks)


LISTED = """
# %% [1]
import time
# %% [2]
time.sleep(0.6)
rows = [1, 2]
# %% [3]
total = sum(rows)
# %% [4]
print(total)
"""


def test_what_is_kept_is_listed(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = makenb.write(own_store / "nb.ipynb", LISTED)

    def listed() -> list[str]:
        assert main(["checkout", str(path), "--list"]) == 0
        return capsys.readouterr().out.splitlines()

    def reasons() -> list[str]:
        return [line.partition("has to run: ")[2] for line in listed()[1:]]

    assert reasons() == ["nothing is kept of it here"] * 4
    with checked_out(path, {}, 4, before=False) as state:
        assert state.reused == 0
    head, first, second, third, fourth = listed()
    assert "4 of 4 cells kept" in head
    assert first.endswith("runs again"), "it imports"
    assert "s  loads rows, " in second
    assert third.startswith("├─ cell 3 ")
    assert fourth.startswith("└─ cell 4 ")
    assert fourth.endswith("is reused, nothing of it is needed")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}/nowhere")
        assert reasons() == ["nothing is kept of it here"] * 4

    makenb.write(path, LISTED.replace("sum(rows)", "max(rows)"))
    head, first, second, third, other, fourth, last = listed()
    assert "2 of 4 cells kept" in head
    assert third.endswith("has to run: it is new")
    assert other.startswith("│  └─ just now, ")
    assert other.endswith(" s: total = sum(rows)")
    assert fourth.endswith("has to run: `total` changed")
    assert last.endswith(" s: print(total)")

    with checked_out(path, {}, 4, before=False) as state:
        assert state.reused == 2
    assert "4 of 4 cells kept" in listed()[0]
