"""Which cells run again before a stale one: those that make its input, and those that change it."""

from collections.abc import Mapping

from pytest_nbsafe.trace import cellsets
from pytest_nbsafe.trace.results import Record
from pytest_nbsafe.trace.suspicions import Cause, StaleRead

NOTHING: frozenset[str] = frozenset()


def did(step: int, cell: int, writes: str = "", mutates: str = "") -> Record:
    def each(names: str) -> Mapping[str, frozenset[str]]:
        return dict.fromkeys(names.split(), NOTHING)

    return Record((step, 1), cell, 1, NOTHING, each(writes), each(mutates))


def test_what_changes_it_afterwards_runs_again_too() -> None:
    cause = Cause("accounts", 3, 1, (2, 1), "Account", 2, 1, (5, 1))
    read = StaleRead(6, 6, 1, "accounts", (cause,), (3,))
    records = [did(1, 2, "Account"), did(2, 3, "accounts"), did(3, 4, "a", "accounts")]
    assert cellsets.to_refresh([read], records) == (3, 4)
    assert cellsets.to_refresh([read], records[:2]) == (3,)


def test_all_that_one_run_reads_is_refreshed() -> None:
    late = Cause("late", 6, 1, (3, 1), "waits", 4, 1, (5, 1))
    cost = Cause("cost", 7, 1, (4, 1), "waits", 4, 1, (5, 1))
    reads = [StaleRead(6, 8, 1, c.symbol, (c,), (c.cell,)) for c in (cost, late)]
    assert cellsets.to_refresh(reads, ()) == (6, 7)


def test_what_changes_another_thing_or_stands_elsewhere_does_not() -> None:
    records = [did(1, 2, "x"), did(2, 3, "x"), did(3, 4, "", "y"), did(4, 7, "", "x")]
    assert cellsets.with_changers((3,), 6, records) == (3,)
    before = [did(1, 2, "", "x"), did(2, 3, "x")]
    assert cellsets.with_changers((3,), 6, before) == (3,)


def test_they_run_where_they_stand() -> None:
    records = [did(1, 2, "x"), did(2, 5, "y"), did(3, 3, "", "x"), did(4, 4, "", "x")]
    assert cellsets.with_changers((2, 5), 9, records) == (2, 3, 4, 5)
    assert cellsets.with_changers((), 9, records) == ()
