"""What is kept up to date from step to step is what would be found by asking every name anew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.trace.lineage import Descent, replay
from pytest_nbsafe.trace.model import Record
from pytest_nbsafe.trace.moments import Relations, moments

NAMES = "abcdef"
names = st.sampled_from(NAMES)
flows = st.dictionaries(names, st.frozensets(names, max_size=3), max_size=2)
groups = st.lists(st.frozensets(names, min_size=2, max_size=3), max_size=1).map(tuple)


@st.composite
def runs(draw: st.DrawFn) -> list[Record]:
    """Draw records of some steps, each of some statements that do anything to the names."""
    return [
        Record(
            at=(step, ordinal),
            cell=draw(st.integers(1, 4)),
            line=ordinal,
            reads=draw(st.frozensets(names, max_size=2)),
            writes=draw(flows),
            mutates=draw(flows),
            deletes=draw(st.frozensets(names, max_size=1)),
            aliases=draw(groups),
            imports=draw(st.booleans()),
        )
        for step in range(1, draw(st.integers(1, 10)) + 1)
        for ordinal in range(1, draw(st.integers(1, 3)) + 1)
    ]


@settings(max_examples=150)
@given(runs())
def test_the_stale_names_are_those_of_each_state(records: list[Record]) -> None:
    whole = replay(records)
    states = {**whole.entries, 0: whole.end}
    for moment in moments(records):
        assert states[moment.step].symbols == moment.state.symbols
        assert states[moment.step].stale() == moment.stale


def related(descent: Descent) -> tuple[object, ...]:
    link, parent = descent.link, descent.parent
    return descent.name, link.cell, parent.name, link.maker, parent.cell


@settings(max_examples=150)
@given(runs(), runs())
def test_a_relation_holds_when_any_state_shows_it(
    records: list[Record], others: list[Record]
) -> None:
    whole, other = replay(records), replay(others)
    shown = [
        descent
        for state in (*whole.entries.values(), whole.end)
        for name in state.symbols
        for descent in state.parents(name)
        if descent.is_newer
    ]
    relations, known = Relations(records), {related(descent) for descent in shown}
    assert all(relations.holds(descent) for descent in shown)
    for name in other.end.symbols:
        for descent in other.end.parents(name):
            if descent.is_newer:
                assert relations.holds(descent) == (related(descent) in known)


def test_a_new_name_touches_nothing_else() -> None:
    made = {f"x{number}": frozenset({f"x{number - 1}"}) for number in range(50)}
    records = [
        Record((step, 1), step, 1, inflow, {name: inflow}, {}, frozenset())
        for step, (name, inflow) in enumerate(made.items(), start=1)
    ]
    assert {len(moment.touched) for moment in moments(records)} == {0, 1}
