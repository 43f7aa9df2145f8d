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
from pytest_nbsafe.values import replace

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


@pytest.mark.corpus
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


WITH_PARAMETERS = """
# %% [1] tags=parameters
year = 2000
# %% [2]
y = year + 1
# %% [3]
1 / (y - 2021)
"""
SETTINGS = """
[tool.nbsafe]
resume = true
[[tool.nbsafe.run]]
match = "page.ipynb"
parameters = { year = 2020 }
"""


@pytest.mark.corpus
def test_the_state_is_that_of_the_parameters(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(own_store)
    (own_store / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    path = makenb.write(own_store / "page.ipynb", WITH_PARAMETERS)
    session = NotebookSession(path, configuration(path, {}))
    try:
        opens = session.outcome(3).opens
    finally:
        session.close()
    assert opens == "nbsafe checkout page.ipynb --before 3"
    assert main(shlex.split(opens)[1:]) == 0
    assert "before cell 3: 2 runs above it, 2 of them reused" in capsys.readouterr().out
    assert main(["checkout", "page.ipynb", "--list"]) == 0
    assert "new" not in capsys.readouterr().out
    assert main(["diff", "page.ipynb", "1", "2"]) == 0
    assert "2021" in capsys.readouterr().out


@pytest.mark.corpus
def test_the_command_names_the_kernel_and_is_not_there_for_what_no_option_gives(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_store)
    path = makenb.write(own_store / "page.ipynb", NB)
    opens = "nbsafe checkout page.ipynb --before 3"
    config = configuration(path, {"resume": "on", "kernel": "python3"})
    by_program = replace(config, environ=(("SIZE", "3"),))
    for given, told in ((config, f"{opens} --kernel python3"), (by_program, "")):
        session = NotebookSession(path, given)
        try:
            assert session.outcome(3).opens == told
        finally:
            session.close()
    assert main([*shlex.split(opens)[1:], "--kernel", "python3"]) == 0
    assert main([*shlex.split(opens)[1:], "--kernel", "no-such-kernel"]) == 2
