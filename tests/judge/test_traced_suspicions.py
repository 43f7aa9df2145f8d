"""What stays suspected where parts are apart: what differs must have a reason."""

from __future__ import annotations

from pytest_nbsafe.judge.evidence import differing, still_suspected
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.results import CellResult, PlanResult, Record, Value
from pytest_nbsafe.trace.suspicions import OutdatedResult, ReadFromBelow, Suspicions

NONE: frozenset[str] = frozenset()


def old(cell: int) -> OutdatedResult:
    return OutdatedResult(1, cell, 1, "d", 9, 1, (9, 1))


def below(cell: int) -> ReadFromBelow:
    return ReadFromBelow(1, cell, 1, "d", 9, 1)


def test_what_differs_keeps_a_reason() -> None:
    by_name = Suspicions(outdated=(old(2), old(3), old(4)), from_below=(below(5),))
    by_parts = Suspicions(outdated=(old(3),))
    assert still_suspected(by_parts, by_name, [2, 3, 5]) == Suspicions(
        outdated=(old(2), old(3)), from_below=(below(5),)
    )
    assert still_suspected(by_parts, by_name, []) == by_parts


def test_any_suspicion_of_a_cell_is_a_reason() -> None:
    by_name = Suspicions(outdated=(old(2),), from_below=(below(2),))
    by_parts = Suspicions(from_below=(below(2),))
    assert still_suspected(by_parts, by_name, [2]) == by_parts


def result(cell: int, value: str, text: str = "") -> CellResult:
    record = Record((1, 1), cell, 1, NONE, {"x": NONE}, {})
    shown = (Output("stream", name="stdout", text=text),) if text else ()
    held = {"x": Value(value), "y": Value(f"{value} too")}
    return CellResult(1, cell, "ok", after=held, records=(record,), outputs=shown)


def ran(*results: CellResult) -> PlanResult:
    runs = (Run(i, r.cell, None, recorded=False, reason="") for i, r in enumerate(results, 1))
    return PlanResult(Plan("recorded", tuple(runs)), results)


def test_cells_that_make_or_show_something_else() -> None:
    replay = ran(result(1, "a"), result(2, "a"), result(3, "", "1\n"), result(4, "", "1\n"))
    clean = ran(result(1, "a"), result(2, "b"), result(3, "b", "1\n"), result(4, "a", "2\n"))
    assert [*differing(replay, clean)] == [2, 4]
    assert [*differing(replay, ran())] == []
