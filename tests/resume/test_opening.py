"""The report of a failing cell names the command that opens the state before it."""

from __future__ import annotations

import shlex
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.cli import main
from pytest_nbsafe.reports import text

NB = """
# %% [1]
items = {}
# %% [2] tags=raises-exception
items["expected"]
# %% [3]
items["price"]
# %% [4]
items["size"]
"""


def test_the_command_stands_where_runs_are_kept(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(own_store.parent)
    path = makenb.write(own_store / "my nb.ipynb", NB)
    command = "nbsafe checkout 'nbs/my nb.ipynb' --before 3"
    for resume, opens in (("off", ""), ("on", command)):
        session = NotebookSession(path, configuration(path, {"resume": resume}))
        try:
            outcomes = {cell: session.outcome(cell) for cell in (1, 2, 3, 0)}
            told = session.report().remarks
        finally:
            session.close()
        assert [each.opens for each in outcomes.values()] == ["", "", opens, ""]
        item = text.item(outcomes[3], session.notebook, strict=False)
        assert (item[-1] == f"To open the state before it: {command}") is bool(opens)
        assert [each for each in told if "checkout" in each] == (
            [f"to open the state before cell 3, which failed: {opens}"] if opens else []
        )
    assert main(shlex.split(command)[1:]) == 0
    assert "before cell 3: 2 runs above it, 2 of them reused" in capsys.readouterr().out
