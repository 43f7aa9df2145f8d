"""The impact domain against a slow oracle that runs every sequence with times and generations."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from whatifcase import graph, plan

from pytest_nbsafe.absint import engine, impact
from pytest_nbsafe.absint.whatif_search import whatif
from pytest_nbsafe.analysis.model import Graph

NAMES = "abcd"
DEPTH = 3
Statement = tuple[str, tuple[str, ...]]
Output = tuple[int, str]


@dataclass
class Value:
    """What a name holds: who made it, when, from which generations of outputs, from old ones?"""

    maker: int
    time: int
    holds: frozenset[tuple[Output, int]]
    tainted: bool


@dataclass
class Kernel:
    """A kernel that runs straight-line cells and remembers when everything was made."""

    cells: dict[int, list[Statement]]
    values: dict[str, Value] = field(default_factory=dict)
    bound_at: dict[str, int] = field(default_factory=dict)
    ran_at: dict[int, int] = field(default_factory=dict)
    generation: dict[Output, int] = field(default_factory=dict)
    replaced_at: dict[tuple[Output, int], int] = field(default_factory=dict)
    read: dict[int, set[tuple[Output, int]]] = field(default_factory=dict)
    time: int = 0

    def reads(self, cell: int) -> set[str]:
        own: set[str] = set()
        found: set[str] = set()
        for name, parents in self.cells[cell]:
            found |= set(parents) - own
            own.add(name)
        return found

    def outdated(self, name: str) -> bool:
        value = self.values.get(name)
        return value is not None and (
            value.tainted
            or any(self.replaced_at.get(held, -1) > value.time for held in value.holds)
        )

    def settle(self) -> None:
        """Take all that is there as fitting together."""
        for value in self.values.values():
            value.tainted, value.time = False, self.time
            value.holds = frozenset((output, self.generation[output]) for output, _ in value.holds)
        self.bound_at, self.ran_at = {}, dict.fromkeys(self.cells, self.time)

    def run(self, cell: int, *, edited: bool = False) -> None:
        self.time += 1
        before = dict(self.values)
        old = {name: self.outdated(name) for name in before}
        entry: dict[str, set[str]] = {}
        through: dict[str, set[str]] = {}
        for name, parents in self.cells[cell]:
            inputs = set().union(*(entry.get(p, {p}) for p in parents))
            passed = set().union(*(through[p] | {p} for p in parents if p in through))
            entry[name], through[name] = inputs, passed - {name}
        self.read[cell] = {h for n in self.reads(cell) if n in before for h in before[n].holds}
        ran_at = self.ran_at.get(cell, -1)
        again = {
            n: edited or any(self.bound_at.get(i, -1) >= ran_at for i in entry[n]) for n in entry
        }
        for name, new in again.items():
            made = (cell, name)
            if new or made not in self.generation:
                self.replaced_at[made, self.generation.get(made, 0)] = self.time
                self.generation[made] = self.generation.get(made, 0) + 1
        for name, inputs in entry.items():
            known = [i for i in inputs if i in before]
            holds = frozenset(h for i in known for h in before[i].holds) | {
                ((cell, n), self.generation[cell, n]) for n in (name, *through[name])
            }
            if again[name] or name not in before or before[name].maker != cell:
                self.bound_at[name] = self.time
            tainted = any(old[i] for i in known)
            self.values[name] = Value(cell, self.time, holds, tainted)
        self.ran_at[cell] = self.time


def oracle(
    cells: dict[int, list[Statement]], ran: list[int], source: int
) -> dict[tuple[int, str], int]:
    """Return each stale read and the length of the shortest sequence that leads to it."""
    own = {(source, name) for name, _ in cells[source]}
    affected = {
        cell
        for order in (ran, sorted(cells))
        for cell, read in _past(cells, order).read.items()
        if any(output in own for output, _ in read) and cell != source
    }
    found: dict[tuple[int, str], int] = {}
    for length in range(1, DEPTH + 1):
        for sequence in itertools.product(sorted(affected), repeat=length):
            kernel = _past(cells, ran)
            kernel.settle()
            kernel.run(source, edited=True)
            for cell in sequence:
                reads = kernel.reads(cell)
                stale = {name for name in reads if kernel.outdated(name)}
                if not stale and not any(name in kernel.bound_at for name in reads):
                    break
                last = cell
                kernel.run(cell)
            else:
                for name in stale:
                    found.setdefault((last, name), length + 1)
    return found


def _past(cells: dict[int, list[Statement]], ran: list[int]) -> Kernel:
    kernel = Kernel(cells)
    for cell in ran:
        kernel.run(cell)
    return kernel


statement = st.tuples(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map(tuple)
)
notebook = st.lists(st.lists(statement, min_size=1, max_size=2), min_size=3, max_size=5)


def drawn(data: st.DataObject) -> tuple[Graph, dict[int, list[Statement]], list[int], int]:
    """Return a notebook as a graph and as statements, the cells that were run, and the source."""
    written = data.draw(notebook)
    cells = dict(enumerate(written, 1))
    page = st.just(sorted(cells))
    some = st.lists(st.sampled_from(sorted(cells)), max_size=4)
    ran = [*data.draw(page | some), *data.draw(some)]
    source = data.draw(st.sampled_from(sorted(cells)))
    found = graph(*("\n".join(f"{n} = f({', '.join(p)})" for n, p in c) for c in written))
    return found, cells, ran, source


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_the_domain_finds_what_the_oracle_finds(data: st.DataObject) -> None:
    found, cells, ran, source = drawn(data)
    domain = impact.domain(found, plan(ran), source)
    reached = engine.explore(domain, source, sorted(cells), DEPTH, most_states=10_000)
    told = {(o.violation.cell, o.violation.name): len(o.sequence) for o in reached.offences}
    expected = oracle(cells, ran, source)
    event(f"stale reads up to length {max(expected.values(), default=0)}")
    assert expected == told
    assert reached.transfers <= 1 + reached.states * len(cells)


@pytest.mark.corpus
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_called_safe_reads_nothing_stale(data: st.DataObject) -> None:
    found, cells, ran, source = drawn(data)
    answer = whatif(found, plan(ran), source)
    event(f"{len(answer.safe)} safe sequences")
    for first, *others in answer.safe:
        kernel = _past(cells, ran)
        kernel.settle()
        kernel.run(first, edited=True)
        for cell in others:
            assert [name for name in kernel.reads(cell) if kernel.outdated(name)] == []
            kernel.run(cell)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_cell_that_read_from_the_source_is_to_run_again(data: st.DataObject) -> None:
    found, cells, ran, source = drawn(data)
    own = {(source, name) for name, _ in cells[source]}
    reads = _past(cells, ran).read.items()
    outdated = {cell for cell, read in reads if any(output in own for output, _ in read)}
    told = {again.cell for again in whatif(found, plan(ran), source).rerun}
    event(f"{len(outdated)} outdated cells")
    assert outdated - {source} <= told
