"""What is kept up to date from step to step is what would be found by asking every name again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.trace.lineage import Descent, LineageState, replay
from pytest_nbsafe.trace.results import Record
from pytest_nbsafe.trace.step_entries import Relations, step_entries

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


def entry_states(records: list[Record]) -> dict[int, LineageState]:
    """Return the state at the entry of each step, and as 0 that at the end."""
    steps = {record.at[0] for record in records}
    before = {step: [r for r in records if r.at[0] < step] for step in steps}
    return {step: replay(some).now for step, some in (before | {0: records}).items()}


@settings(max_examples=40)
@given(runs())
def test_the_stale_names_are_those_of_each_state(records: list[Record]) -> None:
    states = entry_states(records)
    for moment in step_entries(records):
        assert states[moment.step].symbols == moment.state.symbols
        state = states[moment.step]
        assert {name for name in state.symbols if any(state.roots(name))} == moment.stale


@settings(max_examples=40)
@given(runs(), st.frozensets(st.integers(0, 10)))
def test_what_happened_between_the_steps_that_are_asked_for_is_taken_in_at_once(
    records: list[Record], steps: frozenset[int]
) -> None:
    stale = {m.step: frozenset(m.stale) for m in step_entries(records) if m.step in steps}
    assert stale == {m.step: frozenset(m.stale) for m in step_entries(records, steps)}


def related(descent: Descent) -> tuple[object, ...]:
    link, parent = descent.link, descent.parent
    return descent.name, link.cell, parent.name, link.maker, parent.cell


@settings(max_examples=40)
@given(runs(), runs())
def test_a_relation_holds_when_any_state_shows_it(
    records: list[Record], others: list[Record]
) -> None:
    other = replay(others)
    shown = [
        descent
        for state in entry_states(records).values()
        for name in state.symbols
        for descent in state.parents(name)
        if descent.is_newer
    ]
    relations, known = Relations(records), {related(descent) for descent in shown}
    assert all(relations.holds(descent) for descent in shown)
    for name in other.now.symbols:
        for descent in other.now.parents(name):
            if descent.is_newer:
                assert relations.holds(descent) == (related(descent) in known)


def test_a_new_name_touches_nothing_else() -> None:
    made = {f"x{number}": frozenset({f"x{number - 1}"}) for number in range(50)}
    records = [
        Record((step, 1), step, 1, inflow, {name: inflow}, {}, frozenset())
        for step, (name, inflow) in enumerate(made.items(), start=1)
    ]
    assert {len(moment.touched) for moment in step_entries(records)} == {0, 1}
