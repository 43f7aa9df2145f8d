"""What may have changed an output since it was saved: cells, files, modules of the project.

What other cells show of the same, as it was saved, speaks against a cell and for the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from pytest_nbsafe.analysis import files, syntax
from pytest_nbsafe.analysis.dependencies import downstream, made_from
from pytest_nbsafe.analysis.model import Graph, Span, kept
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.flow import reached
from pytest_nbsafe.order.missing_counts import telling
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.wording import called, few
from pytest_nbsafe.sentences import listed, spans
from pytest_nbsafe.values import dataclass

_MOST_STEPS = 4
_MOST_NAMED = 6
_MOST_MISSING = 3


@dataclass(frozen=True, slots=True)
class Causes:
    """What may have changed an output: steps that say so, and the cell `begins_at` which to look.

    That is the first cell above that shows another output, too, for the same reason perhaps, None
    where there is none.
    """

    steps: tuple[Step, ...]
    begins_at: int | None = None


def causes(facts: Facts, cell: int) -> Causes:
    """Return what may have changed the output of a cell, the likelier first."""
    first = related = None
    if not never_ran(facts, cell):
        first = _first_changed(facts, cell)
        related = _related(facts, cell) if first is None else None
    steps = tuple(islice(_steps(facts, cell, first, related), _MOST_STEPS))
    return Causes(steps, related[0] if related else first)


def _first_changed(facts: Facts, cell: int) -> int | None:
    """Return the first cell that shows another output, too, and that this is made from."""
    above = made_from(facts.graph, cell)
    return next((other for other in _changed_above(facts, cell) if other in above), None)


def _changed_above(facts: Facts, cell: int) -> Iterator[int]:
    for other, each in sorted(facts.trial.changed.items()):
        if other < cell and each.why in {"", "unrepeated"}:
            yield other


def _related(facts: Facts, cell: int) -> tuple[int, Sequence[int]] | None:
    """Return the first changed cell that has makers in common with this one, with those.

    If some of them nothing speaks for, these. Where a maker never ran that is reason enough.
    """
    if any(_has_lost_count(facts, number) for number in made_from(facts.graph, cell)):
        return None
    doubtful, makers = _doubtful(facts, cell), _with_modules(facts, cell)
    for other in _changed_above(facts, cell):
        common = sorted(makers & _with_modules(facts, other))
        if common:
            return other, sorted({*doubtful}.intersection(_doubtful(facts, other))) or common
    return None


def never_ran(facts: Facts, cell: int) -> bool:
    """Return whether a cell has neither count nor output: then no change need be looked for."""
    return _has_lost_count(facts, cell) and not facts.notebook.cell(cell).outputs


def _has_lost_count(facts: Facts, cell: int) -> bool:
    return cell in _without_counts(facts.graph)


@kept
def _without_counts(graph: Graph) -> frozenset[int]:
    """Return the cells that have no count while others of the page have."""
    cells = graph.notebook.code_cells
    if not any(cell.count for cell in cells):
        return frozenset()
    return frozenset(cell.number for cell in cells if cell.count is None)


def _steps(
    facts: Facts, cell: int, first: int | None, related: tuple[int, Sequence[int]] | None
) -> Iterator[Step]:
    """Yield what may have changed since, and which cell above has changed, too."""
    above = sorted(made_from(facts.graph, cell))
    lost = [number for number in above if _has_lost_count(facts, number)]
    for number in lost:
        yield Step(number, 1, "has no count: it did not run, or was cleared")
    if never_ran(facts, cell):
        return
    if first is not None:
        yield Step(first, 1, f"shows another output, too, and cell {cell} is made from it")
        return
    if related is not None:
        other, makers = related
        has = "has" if len(makers) == 1 else "have"
        part = f"{_few_cells(makers)} {has} a part in both"
        yield Step(other, 1, f"shows another output, too; {part}")
    read = [*_files(facts, (*above, cell), _sound(facts, cell))]
    yield from (step for step, is_doubtful in read if is_doubtful)
    yield from _modules(facts, (*above, cell))
    if not lost:
        yield from _cells(facts, cell)
    yield from (step for step, is_doubtful in read if not is_doubtful)


def _sound(facts: Facts, cell: int) -> frozenset[int]:
    """Return the cells that show what was saved, besides what is made from this one."""
    return facts.trial.as_saved - {cell, *downstream(facts.graph, cell)}


@kept
def _makers(graph: Graph, cell: int) -> tuple[int, ...]:
    """Return the cells that ran, and that a cell is made from; not those that only import."""
    above = sorted(made_from(graph, cell) - _without_counts(graph))
    return tuple(number for number in above if not _only_imports(graph, number))


def _only_imports(graph: Graph, cell: int) -> bool:
    definitions = graph.cells[cell].definitions
    return bool(definitions) and all(each.kind == "import" for each in definitions)


def _with_modules(facts: Facts, cell: int) -> frozenset[int]:
    """Return the makers of a cell, and what imports modules of the project for it."""
    above = sorted(made_from(facts.graph, cell))
    importing = (number for number, _, _ in _imports_of_project(facts, above))
    return frozenset((*_makers(facts.graph, cell), *importing))


def _doubtful(facts: Facts, cell: int) -> list[int]:
    """Return those of its makers of which no cell shows, as it was saved, what they made."""
    graph, sound = facts.graph, _sound(facts, cell)
    silent = (number for number in _makers(graph, cell) if number not in sound)
    return [number for number in silent if sound.isdisjoint(downstream(graph, number))]


def _files(
    facts: Facts, above: Sequence[int], sound: Collection[int]
) -> Iterator[tuple[Step, bool]]:
    """Yield the files that are read, and whether nothing that was made from them is as saved."""
    uses = [*files.uses(facts.graph)]
    for number, use in uses:
        is_own = any(n < number and (u.what, u.symbol) == ("set", use.symbol) for n, u in uses)
        if number in above and use.what == "read" and not is_own:
            reads = f"reads {called(use.symbol)}, which may have changed since"
            showing = sorted(_made_on(facts, number, use.span).intersection(sound))
            if showing:
                show = "show" if len(showing) > 1 else "shows"
                reads += f", though {_few_cells(showing)} {show} of it what was saved"
            yield Step(number, use.span.line, reads), not showing


def _made_on(facts: Facts, cell: int, span: Span) -> frozenset[int]:
    """Return the cells that are made from what a cell makes on these lines, with itself."""
    return reached(facts.graph, {cell: frozenset(range(span.line, span.end_line + 1))})


def _cells(facts: Facts, cell: int) -> Iterator[Step]:
    """Yield that the cell, or one that it is made from, may have been edited, or a run is gone."""
    if _has_lost_count(facts, cell) or cell not in facts.graph.cells:
        return
    doubtful = _doubtful(facts, cell)
    makers = doubtful or _makers(facts.graph, cell)
    others = f"; so may {_few_cells(makers)}" if makers else ""
    though = ", though other cells show of that what was saved" if makers and not doubtful else ""
    yield Step(cell, 1, f"may have been edited since it ran{others}{though}")
    yield from islice(_other_runs(facts, (*makers, cell)), 1)


def _other_runs(facts: Facts, numbers: Sequence[int]) -> Iterator[Step]:
    """Yield for the nearest of these cells that runs are gone, of it or of cells that are gone."""
    for number in reversed(numbers):
        count = facts.notebook.cell(number).count
        gap = telling(facts.graph).get(number, range(0))
        if 0 < len(gap) <= _MOST_MISSING:
            gone = "a cell that is gone" if len(gap) == 1 else "cells that are gone"
            says = f"no cell has {_counts(gap)}: it ran then, too, or {gone} did"
            yield Step(number, 1, f"ran as [{count}]; {says}")
        elif before := _missing_in_its_place(facts, number):
            says = f"may have run as {_counts(before)} before, which no cell has"
            yield Step(number, 1, f"ran as [{count}], after cells below; {says}")


def _counts(counts: Sequence[int]) -> str:
    return listed(f"[{count}]" for count in counts)


def _missing_in_its_place(facts: Facts, cell: int) -> Sequence[int]:
    """Return the few counts that stand nowhere where a cell's own would, had it run in its turn.

    Of cells that ran again together, and as many counts, the first is that of the first.
    """
    counts = [(each.number, each.count) for each in facts.notebook.code_cells if each.count]
    own, known = facts.notebook.cell(cell).count or 0, {count for _, count in counts}
    if not own or len(known) < len(counts):
        return ()
    above = next((count for number, count in reversed(counts) if number < cell), 0)
    rest = [count for number, count in counts if number >= cell]
    again = next((at for at, count in enumerate(rest) if above < count < own), 0)
    missing = [count for count in range(above + 1, rest[again]) if count not in known]
    if again and len(missing) == again:
        return missing[:1]
    return missing if again and len(missing) <= _MOST_MISSING else ()


def _few_cells(numbers: Sequence[int]) -> str:
    """Return cells as a sentence names them; of many the last, and how many more there are."""
    if len(numbers) <= _MOST_NAMED:
        return spans(numbers)
    return f"{spans(numbers[-_MOST_NAMED:])} (and {len(numbers) - _MOST_NAMED} others)"


def _modules(facts: Facts, above: Sequence[int]) -> Iterator[Step]:
    """Yield the imports of modules of the project, with the files that these read, each once."""
    imported = _imports_of_project(facts, above)
    unnamed = _read_by_nobody(facts)
    for number, line, module in imported:
        found = facts.module_files.find(module) if facts.module_files is not None else None
        reads = [name for name in unnamed if found and name.rpartition("/")[2] in found.text]
        unnamed = [name for name in unnamed if name not in reads]
        what = f", which reads {_quoted(reads)}: either" if reads else ", which"
        step = f"imports `{module}` of this project{what} may have changed since"
        is_last = (number, line, module) == imported[-1]
        yield Step(number, line, step + (_read_too(unnamed) if is_last else ""))


def _imports_of_project(facts: Facts, above: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return the cells that import modules of the project, with the lines and the modules."""
    local = facts.project.local if facts.project is not None else ()
    imported: dict[tuple[int, int, str], None] = {}
    for number in above:
        for each in syntax.imports(facts.graph, number):
            if each.level or each.module.partition(".")[0] in local:
                imported[number, each.span.line, "." * each.level + each.module] = None
    return [*imported]


def _read_by_nobody(facts: Facts) -> list[str]:
    """Return the files that the run read and that no cell names: a module may have."""
    now = facts.trial.clean.environment
    named = {use.symbol.strip("'") for _, use in files.uses(facts.graph)}
    read = [each.name for each in (now.files if now else ()) if not each.name.endswith(".py")]
    return [name for name in read if name not in named]


def _read_too(unnamed: Sequence[str]) -> str:
    return f"; so may what the run read: {_quoted(unnamed)}" if unnamed else ""


def _quoted(names: Sequence[str]) -> str:
    return few([f"'{name}'" for name in names])
