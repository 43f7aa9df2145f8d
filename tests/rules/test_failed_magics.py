"""Magics of which IPython only prints that they failed, and debuggers that nobody answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.app.session import examine
from pytest_nbsafe.config import Config

PAGE = """\
# %% [1]
%%script no-such-program
print(1)
# %% [2]
%%script --bg no-such-program
print(1)
# %% [3]
%cd no-such-folder
# %% [4]
x = 1
%debug x = 2
# %% [5]
1 / 0
# %% [6]
!no-such-program
# %% [7]
print("Couldn't find program: 'x'")
# %% [8] tags=raises-exception
%%script no-such-program
"""


@pytest.mark.kernel
def test_what_ipython_only_prints_fails_its_cell(tmp_path: Path) -> None:
    report = examine(write(tmp_path / "nb.ipynb", PAGE), Config(select=("NBS401",)))
    assert [
        (f.location.cell, f.location.line, f.message.partition(": ")[2]) for f in report.findings
    ] == [
        (1, 1, "`%%script no-such-program`: there is no such program"),
        (2, 1, "`%%script --bg no-such-program`: there is no such program"),
        (3, 1, "`%cd no-such-folder`: the folder cannot be entered"),
        (4, 2, "`%debug`"),
        (5, 1, "division by zero"),
        (6, 1, "`!no-such-program` exited with code 127"),
    ]


@pytest.mark.kernel
def test_a_breakpoint_fails_its_cell(tmp_path: Path) -> None:
    page = "# %% [1]\na = 1\n# %% [2]\nfor b in [a]:\n    breakpoint()\n"
    report = examine(write(tmp_path / "nb.ipynb", page), Config(select=("NBS401",)))
    assert [(f.location.cell, f.severity) for f in report.findings] == [(2, "error")]
