"""What if a cell is run again: what would be stale, what is safe, what must run, what is alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pytest_nbsafe.absint import engine, impact
from pytest_nbsafe.absint.engine import Domain, Offence
from pytest_nbsafe.absint.impact import (
    Impact,
    ImpactState,
    Past,
    Rebuild,
    is_safe,
    state_before_last,
)
from pytest_nbsafe.absint.leakage import rerun_leaks
from pytest_nbsafe.absint.summaries import Numbering, ones
from pytest_nbsafe.absint.whatif_answer import Renamed, RerunCell, StaleSequence, WhatIf
from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph, Use
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Step
from pytest_nbsafe.order.plan import Plan

DEPTH = 3
"""So many runs after the first are tried unless another depth is asked for."""
Maker = Callable[[Graph, Plan, str], "Domain[Any] | None"]
"""Makes a domain for a notebook that was run as the plan says, None where it has nothing to say.

The text is the user's `[tool.nbsafe.leakage]` as JSON, "" for nothing.
"""
DOMAINS: tuple[Maker, ...] = (rerun_leaks.domain,)
"""What these find are leaks; stale reads are found by the impact domain."""


def whatif(
    graph: Graph,
    plan: Plan,
    run: int,
    change: str | None = None,
    depth: int | None = DEPTH,
    *,
    leakage: str = "",
    domains: Sequence[Maker] = DOMAINS,
) -> WhatIf:
    """Return what a run of one cell leads to in a notebook that was run as the plan says.

    `leakage` is what the user knows of his own libraries, as JSON text; `domains` are asked for
    leaks.

    Raises:
        NbsafeError: there is no such cell, it holds no code, or it does not bind `change`.

    Source: NBLyzer, sections 2 and 4.1. Departs: whether a sequence is safe is found by going back
    from the cell to bring up to date (as it was run, and as the page has it), then proved by a run
    in the domain; the search forward is for what goes wrong.
    """
    _prove(graph, run, change, depth)
    domain = impact.domain(graph, plan, run, change)
    known, before, edited = domain.known, domain.before, domain.edited
    outdated = impact.affected(known, before, run, edited)
    cells = sorted(graph.cells)
    reached = engine.explore(domain, run, cells, depth)
    end = Rebuild(known, before, reached.first)
    proposed = _safe(domain, reached.first, outdated)
    leak_domains = [each for make in domains if (each := make(graph, plan, leakage)) is not None]
    leaks = tuple(
        leak for each in leak_domains for leak in _leaks(each, run, cells, depth, proposed)
    )
    leaking = {leak.sequence for leak in leaks}
    return WhatIf(
        run=run,
        change=change,
        depth=depth,
        makes=tuple(sorted({known.outputs[number][1].name for number in ones(edited)})),
        first=Rebuild(known, before, domain.initial()).needed(run) if run in before.entries else (),
        stale=tuple(_stale(domain, offence) for offence in _worth_telling(reached.offences)),
        safe=tuple(sequence for sequence in proposed if sequence not in leaking),
        rerun=_rerun(domain, end, outdated),
        fresh=tuple(c for c in cells if c != run and _is_fresh(domain, c, reached.first)),
        isolated=isolated(graph),
        renamed=renamed(graph, run, change) if change is not None else None,
        leaks=leaks,
        unknown=_unknown(graph),
        gave_up=reached.gave_up,
    )


def _prove(graph: Graph, run: int, change: str | None, depth: int | None) -> None:
    """Raise what is wrong with the question."""
    last = len(graph.notebook.cells)
    if depth is not None and depth < 1:
        raise NbsafeError("bad-depth", f"depth {depth}: at least one run must follow", "or all")
    if not 1 <= run <= last:
        hint = f"its cells are 1 to {last}, text cells too" if last else "it has no cells"
        raise NbsafeError("no-such-cell", f"there is no cell {run}", hint)
    code = ", ".join(str(cell) for cell in sorted(graph.cells)) or "none"
    if run not in graph.cells:
        kind = graph.notebook.cell(run).kind
        what = "holds no code" if kind == "code" else f"is a {kind} cell"
        raise NbsafeError("no-code-cell", f"cell {run} {what}", f"cells with code: {code}")
    if graph.cells[run].fault is not None:
        raise NbsafeError("does-not-parse", f"cell {run} does not parse", "nbsafe check says where")
    if change is None:
        return
    own = sorted(dependencies.bound_by_cells(graph)[run])
    if change not in own:
        hint = f"it defines {', '.join(own)}" if own else "it defines no name"
        raise NbsafeError("not-bound", f"cell {run} does not define {change!r}", hint)


# -- stale reads -----------------------------------------------------------------------------------


def _worth_telling(offences: Sequence[Offence]) -> list[Offence]:
    firsts = (offence for offence in offences if not offence.follows)
    return sorted(
        firsts,
        key=lambda o: (len(o.sequence), o.sequence, o.violation.span.line, o.violation.name),
    )


def _stale(domain: Impact, offence: Offence) -> StaleSequence:
    wrong = offence.violation
    now = state_before_last(domain, offence.sequence)
    name = 1 << domain.known.numbers[wrong.name]
    return StaleSequence(
        offence.sequence,
        wrong.cell,
        wrong.span.line,
        wrong.name,
        _with_source(domain, Rebuild(domain.known, domain.before, now).needed(wrong.cell, name)),
        wrong.cause,
        wrong.steps,
    )


def _is_fresh(domain: Impact, cell: int, state: ImpactState) -> bool:
    reads = domain.known.cells[cell].reads
    return bool(reads & state.changed) and not domain.stale(cell, state)


def _leaks(
    domain: Domain[Any],
    run: int,
    cells: Sequence[int],
    depth: int | None,
    proposed: Iterable[tuple[int, ...]],
) -> Iterator[StaleSequence]:
    """Yield what a domain finds wrong: with what is proposed, then wherever else."""
    reached = engine.explore(domain, run, cells, depth)
    along = [offence for sequence in proposed for offence in engine.follow(domain, sequence)]
    already = {(offence.violation.cell, offence.violation.name) for offence in along}
    elsewhere = [
        offence
        for offence in _worth_telling(reached.offences)
        if (offence.violation.cell, offence.violation.name) not in already
    ]
    for offence in (*along, *elsewhere):
        wrong = offence.violation
        at = offence.sequence, wrong.cell, wrong.span.line, wrong.name
        yield StaleSequence(*at, left_out=(), cause=wrong.cause, steps=wrong.steps)


# -- what to run -----------------------------------------------------------------------------------


def _rerun(domain: Impact, end: Rebuild, outdated: Mapping[int, Use]) -> tuple[RerunCell, ...]:
    """Return the cells that bring all that is outdated up to date, in page order if that does.

    Beside the outdated cells, those that make again what these read then.
    """
    causes = {cell: _why(domain, cell, use.name) for cell, use in outdated.items()}
    for cell in sorted(outdated):
        for other in _with_source(domain, end.needed(cell)):
            causes.setdefault(other, f"makes again what cell {cell} reads")
    in_page_order = sorted(causes)
    safe = is_safe(domain, [domain.source, *in_page_order])
    order = in_page_order if safe else end.in_order(causes)
    return tuple(RerunCell(cell, causes[cell]) for cell in order)


def _why(domain: Impact, cell: int, name: str) -> str:
    known, entry = domain.known, domain.before.entries[cell]
    number = known.numbers[name]
    if entry.makers[number] == known.cells[domain.source].bit:
        return f"reads `{name}`"
    inputs = impact.old_inputs(known, entry.sources[number] & domain.edited, name)
    return f"reads `{name}`, made from {impact.called_old(inputs)}"


def _with_source(domain: Impact, cells: Sequence[int]) -> tuple[int, ...]:
    """Return the cells, without the source unless one of them makes what that reads."""
    reads = domain.known.cells[domain.source].reads
    others = [cell for cell in cells if cell != domain.source]
    source_too = any(domain.known.cells[cell].leaves & reads for cell in others)
    return tuple(cell for cell in cells if source_too or cell != domain.source)


def _safe(
    domain: Impact, now: ImpactState, outdated: Mapping[int, Use]
) -> tuple[tuple[int, ...], ...]:
    """Return, for each outdated cell that feeds no other, the ways to bring it up to date.

    There is the way that it was run, and the page's own where another cell makes a name there.
    """
    known = domain.known
    pasts = [domain.before, domain.page]
    if domain.before.order == domain.page.order:
        del pasts[1]
    sequences: dict[tuple[int, ...], None] = {}
    for cell in _ends(known, domain.before, outdated):
        for past in pasts:
            needed = Rebuild(known, past, now).needed(cell)
            sequence = (domain.source, *_with_source(domain, needed), cell)
            undone = past is not domain.before and _undoes(domain, sequence[1:])
            if not undone and is_safe(domain, sequence):
                sequences[sequence] = None
    return tuple(sequences)


def _undoes(domain: Impact, cells: Sequence[int]) -> bool:
    """Return whether the source runs again, or a cell binds what it has made without a look."""
    names = {domain.known.outputs[number][1].name for number in ones(domain.edited)}
    return domain.source in cells or any(
        out.output.how == "binds" and out.output.name in names - out.output.made_from
        for cell in cells
        for out in domain.known.cells[cell].outs
    )


def _ends(known: Numbering, before: Past, outdated: Mapping[int, Use]) -> Iterator[int]:
    """Yield the outdated cells, in page order, from which no other outdated cell was made."""
    for cell in sorted(outdated):
        known.graph.budget.spend(len(outdated))
        own = sum(out.bit for out in known.cells[cell].outs)
        if not any(
            before.entries[other].sources[name] & own
            for other in outdated
            if other != cell
            for name in ones(known.cells[other].reads)
        ):
            yield cell


# -- what is not known -----------------------------------------------------------------------------


def _unknown(graph: Graph) -> tuple[Step, ...]:
    places: list[Step] = []
    for cell, analysis in sorted(graph.cells.items()):
        if analysis.fault is not None:
            places.append(Step(cell, analysis.fault.line, "it does not parse"))
        places.extend(Step(cell, o.span.line, o.cause) for o in analysis.opaque)
    return tuple(places)


def isolated(graph: Graph) -> tuple[int, ...]:
    """Return the cells that read nothing of other cells and make nothing that others read.

    Source: NBLyzer, section 4.1 (isolated cells, depth 1). Departs: a cell that may bind names
    unseen, or does not parse, is never called isolated.
    """
    return _isolated(graph, _shared(graph))


def renamed(graph: Graph, cell: int, name: str) -> Renamed:
    """Return what a rename of the name in this cell alone would do to the others."""
    others = [number for number in graph.binders.get(name, ()) if number != cell]
    reads, makes = _shared(graph)
    readers = sorted(n for n in graph.cells if n != cell and name in reads[n])
    elsewhere = tuple((reader, _nearest(others, reader)) for reader in readers if others)
    without = {**makes, cell: makes[cell] - {name}}
    kept = {n: names - {name} if n == cell else names for n, names in reads.items()}
    already = set(_isolated(graph, (reads, makes)))
    return Renamed(
        undefined=() if others else tuple(readers),
        elsewhere=tuple(
            pair for pair in elsewhere if _nearest(sorted([*others, cell]), pair[0]) == cell
        ),
        isolated=tuple(n for n in _isolated(graph, (kept, without)) if n not in already),
    )


def _shared(graph: Graph) -> tuple[Mapping[int, AbstractSet[str]], Mapping[int, AbstractSet[str]]]:
    """Return the names that each cell reads, and those that each binds or changes."""
    reads: dict[int, AbstractSet[str]] = {}
    makes: dict[int, set[str]] = {cell: set() for cell in graph.cells}
    for cell, analysis in graph.cells.items():
        inside = {name for f in analysis.functions.values() for name in f.reads}
        reads[cell] = inside.union(use.name for use in dependencies.needs(graph, cell))
    for cells_by_name in (graph.binders, graph.changers):
        for name, cells in cells_by_name.items():
            for cell in cells:
                makes[cell].add(name)
    return reads, makes


def _isolated(
    graph: Graph, shared: tuple[Mapping[int, AbstractSet[str]], Mapping[int, AbstractSet[str]]]
) -> tuple[int, ...]:
    reads, makes = shared
    return tuple(
        cell
        for cell, analysis in sorted(graph.cells.items())
        if analysis.fault is None
        and not analysis.opaque
        and all(
            reads[cell].isdisjoint(makes[other]) and makes[cell].isdisjoint(reads[other])
            for other in graph.cells
            if other != cell
        )
    )


def _nearest(definers: list[int], reader: int) -> int:
    """Return the nearest definer above the reader, else the first below it."""
    above = [cell for cell in definers if cell < reader]
    return above[-1] if above else definers[0]
