"""The state of cells at the end of a plan, on results made by hand: the hash post's examples."""

from __future__ import annotations

import pytest

from pytest_nbsafe.trace.consistency import consistency
from pytest_nbsafe.trace.results import CellResult, Record, RunStatus, Value


class Session:
    """Cells that run one after another; each says what it read, and what the names hold then."""

    def __init__(self) -> None:
        self.now: dict[str, Value] = {}
        self.results: list[CellResult] = []

    def run(
        self,
        cell: int,
        reads: str = "",
        writes: dict[str, str] | None = None,
        *,
        changes: dict[str, str] | None = None,
        deletes: str = "",
        status: RunStatus = "ok",
    ) -> None:
        """Run a cell; an empty value cannot be compared."""
        step = len(self.results) + 1
        before = {name: self.now[name] for name in reads.split() if name in self.now}
        bound = {n: Value(v, identity=100 * step + i) for i, (n, v) in enumerate(_items(writes))}
        for name, value in _items(changes):
            identity = self.now[name].identity
            bound[name] = Value(value, identity=identity)
        self.now.update(bound)
        for name in deletes.split():
            del self.now[name]
        record = Record(
            at=(step, 1),
            cell=cell,
            line=1,
            reads=frozenset(reads.split()),
            writes={name: frozenset(reads.split()) for name, _ in _items(writes)},
            mutates={name: frozenset() for name, _ in _items(changes)},
            deletes=frozenset(deletes.split()),
        )
        after = {n: self.now[n] for n in (*before, *bound) if n in self.now}
        result = CellResult(step, cell, status, reads=before, after=after, records=(record,))
        self.results.append(result)

    def states(self) -> dict[int, str]:
        return {cell: found.state for cell, found in consistency(self.results).items()}


def _items(values: dict[str, str] | None) -> list[tuple[str, str]]:
    return list((values or {}).items())


def test_an_input_that_is_bound_anew() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, writes={"x": "2"})
    assert session.states() == {1: "consistent", 2: "inconsistent", 3: "consistent"}


def test_a_cell_that_is_edited_and_run_again() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "1"})
    session.run(1, writes={"x": "2"})
    assert session.states() == {1: "consistent", 2: "inconsistent"}


def test_a_value_that_cannot_be_compared_is_unknown() -> None:
    session = Session()
    session.run(1, writes={"x": ""})
    session.run(2, "x", {"z": ""})
    assert session.states() == {1: "consistent", 2: "unknown"}


def test_a_value_that_changes_in_place() -> None:
    session = Session()
    session.run(1, writes={"counters": "a0 b1"})
    session.run(2, "counters", changes={"counters": "a1 b1"})
    session.run(3, "counters", {"x": "1"})
    session.run(4, writes={"y": "2"})
    assert session.states() == dict.fromkeys((1, 2, 3, 4), "consistent")
    session.run(2, "counters", changes={"counters": "a2 b1"})
    assert session.states()[3] == "inconsistent"
    assert session.states()[2] == session.states()[4] == "consistent"


def test_an_input_that_holds_more_is_another_though_the_cell_reads_a_part() -> None:
    session = Session()
    session.run(1, writes={"d": "1:2"})
    session.run(2, "d", changes={"d": "1:2 2:3"})
    session.run(3, "d", {"x": "2"})
    session.run(2, "d", changes={"d": "1:2 2:4"})
    assert session.states()[3] == "inconsistent"


def test_it_goes_on_along_lineage() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, "y", {"z": "3"})
    session.run(1, writes={"x": "2"})
    assert session.states() == {1: "consistent", 2: "inconsistent", 3: "inconsistent"}
    found = consistency(session.results)
    assert (found[2].through, found[3].through) == ((), (2,))
    assert found[3].inputs == {"y": "inconsistent"}


def test_unknown_goes_on_too_and_inconsistent_outweighs_it() -> None:
    session = Session()
    session.run(1, writes={"x": "", "w": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, "y", {"z": "3"})
    session.run(4, "y w", {"v": "3"})
    session.run(5, writes={"w": "2"})
    assert session.states() == {
        1: "consistent",
        2: "unknown",
        3: "unknown",
        4: "inconsistent",
        5: "consistent",
    }


def test_what_is_made_anew_with_the_same_content_takes_nothing_away() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, "y", {"z": "3"})
    session.run(1, writes={"x": "1"})
    assert set(session.states().values()) == {"consistent"}
    session.run(1, writes={"x": "9"})
    session.run(2, "x", {"y": "2"})
    assert set(session.states().values()) == {"consistent"}


def test_changed_and_changed_back_is_consistent() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, "x", changes={"x": "5"})
    session.run(4, "x", changes={"x": "1"})
    assert session.states()[2] == "consistent"


def test_a_name_that_is_deleted() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.run(3, deletes="x")
    assert session.states()[2] == "inconsistent"


def test_a_change_through_another_name_of_the_object() -> None:
    session = Session()
    session.run(1, writes={"a": "1"})
    session.now["b"] = session.now["a"]
    session.run(2, "b", {"y": "1"})
    session.run(3, "a", changes={"a": "2"})
    assert session.states()[2] == "inconsistent"


def test_cells_made_from_each_other_come_to_an_end() -> None:
    session = Session()
    session.run(1, writes={"x": "1", "y": "1"})
    for value in "23":
        session.run(2, "y", {"x": value})
        session.run(3, "x", {"y": value})
    assert session.states() == {1: "consistent", 2: "inconsistent", 3: "inconsistent"}


@pytest.mark.parametrize("status", ["skipped", "died", "timed-out"])
def test_only_what_ran_has_a_state(status: RunStatus) -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"}, status=status)
    assert session.states() == {1: "consistent"}


def test_false_negative_a_change_that_no_cell_mentions() -> None:
    session = Session()
    session.run(1, writes={"x": "1"})
    session.run(2, "x", {"y": "2"})
    session.now["x"] = Value("9", identity=session.now["x"].identity)  # by a thread, say
    session.run(3, writes={"z": "1"})
    assert session.states()[2] == "consistent"
