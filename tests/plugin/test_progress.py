"""What shows while cells run: progress on a terminal, outputs under `-s`, and after it `-rP`."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from makenb import write

pytestmark = pytest.mark.kernel

PAGE = """
# %% [markdown]
Words.
# %% [1]
import sys
from IPython.display import HTML
print("hel\\x1b[31mlo")
print("beware", file=sys.stderr)
HTML("<b>")
# %% [2]
for number in range(500):
    print("row", number)
# %% [3]
1 / 0
"""
OUT_OF_ORDER = """
# %% [2]
print("second", end="")
# %% [1]
print("first")
"""
RUN = ("--nbsafe", "-p", "no:cacheprovider")


@pytest.mark.corpus
def test_s_streams_what_cells_show_and_tells_it_once(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", PAGE)
    write(pytester.path / "other.ipynb", OUT_OF_ORDER)
    shown = pytester.runpytest(*RUN, "-s", "-rA").stdout.str()
    running, _, after = shown.partition("= FAILURES =")
    lines = running.splitlines()
    start = lines.index("--- nb.ipynb, cell 2 ---")
    assert sorted(lines[start + 1 : start + 4]) == [
        "<IPython.core.display.HTML object>",
        "beware",
        "hello",
    ]
    assert lines[lines.index("--- nb.ipynb, cell 3 ---") + 500] == "row 499"
    assert "ZeroDivisionError: division by zero" in lines
    assert (running.count("second"), running.count("first")) == (1, 1)
    assert "Captured stdout" not in after
    assert "hello" not in after


def test_outputs_of_cells_that_passed(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", PAGE)
    result = pytester.runpytest(*RUN, "-rP")
    passed = result.stdout.str().partition("= PASSES =")[2]
    first, second = re.findall(r"_ nb\.ipynb, cell \d _+\n(.*?)(?=\n_|\n=)", passed, re.DOTALL)
    assert [line for line in first.splitlines() if not line.startswith("--")] == [
        "hello",
        "<IPython.core.display.HTML object>",
        "beware",
    ]
    assert re.findall("Captured std... call", first) == [
        "Captured stdout call",
        "Captured stderr call",
    ]
    rows = second.splitlines()[1:]
    assert (len(rows) <= 202, rows[0], rows[-1]) == (True, "row 0", "row 499")


@pytest.mark.parametrize("options", [(), ("-q",)])
@pytest.mark.corpus
def test_progress_is_for_a_terminal_that_wants_it(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pty = pytest.importorskip("pty")
    write(pytester.path / "nb.ipynb", OUT_OF_ORDER)
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "pytest", *RUN, *options]
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.Popen(
        command, stdout=terminal, stderr=terminal, stdin=terminal, env=environ, cwd=pytester.path
    )
    os.close(terminal)
    shown = _all_of(master)
    assert done.wait() == 0
    drawn = re.findall(r"\x1b7 ([^\x1b]*), \d+ s\x1b\[K\x1b8", shown)
    orders = ("recorded order: cell 2 of 2", "recorded order: cell 1 of 2")
    steps = list(dict.fromkeys(drawn))  # each second once more
    assert steps == ([] if options else ["cell 1 of 2", "cell 2 of 2", *orders])
    assert "first" not in shown


def _all_of(master: int) -> str:
    """Return what was written to a terminal until nobody holds it any more."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # Linux tells the end so
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)
