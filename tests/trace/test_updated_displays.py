"""Displays that later runs change, on results made up by hand."""

from __future__ import annotations

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.results import CellResult, settled, updaters
from pytest_nbsafe.trace.updated_displays import Displays

SHOWN = (Output("execute_result", text="waiting"), Output("stream", name="stdout", text="x"))


def run(cell: int, *, shows: bool = False, says: str = "") -> CellResult:
    updates = {"d": Output("display_data", text=says)} if says else {}
    displays = Displays({"d": (0,)} if shows else {}, updates)
    return CellResult(cell, cell, "ok", outputs=SHOWN if shows else (), displays=displays)


def test_a_page_shows_what_a_later_cell_has_put_there() -> None:
    results = [run(1, says="a"), run(2, shows=True), run(3, says="b"), run(4, says="c"), run(5)]
    shown = settled(results)
    assert [o.text for o in shown[1].outputs] == ["c", "x"]
    assert shown[1].outputs[0].kind == "execute_result"
    assert shown[0] is results[0]
    assert {3, 4} == updaters(results, 2)
    assert frozenset() == updaters(results, 3)


def test_what_came_before_changes_nothing() -> None:
    results = (run(1, says="a"), run(2, shows=True))
    assert results == settled(results)
