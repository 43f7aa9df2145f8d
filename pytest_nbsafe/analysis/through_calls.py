"""What a cell reads, and binds by `global`, through the functions that it calls."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.analysis.call_graph import Caller, Reached, reachable
from pytest_nbsafe.analysis.model import Call, CellAnalysis, Definition, Graph, Use, kept
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Need:
    """A name that a run of a cell reads from outside, and how that is said in a cause."""

    use: Use
    cause: str


@kept
def needs(graph: Graph, cell: int) -> tuple[Need, ...]:
    """Return what the cell reads by itself, then what it reads through the functions it calls."""
    analysis = graph.cells.get(cell)
    if analysis is None:
        return ()
    reads = {use.name: Need(use, f"reads `{use.name}`") for use in analysis.uses}
    done: dict[str, list[tuple[int, bool]]] = {}
    for call in analysis.calls:
        if not _covered(done.setdefault(call.name, []), call):
            for reached in reachable(Caller(graph, analysis, call)):
                _add_reads(reads, analysis, call, reached)
    return tuple(reads.values())


def _covered(before: list[tuple[int, bool]], call: Call) -> bool:
    """Tell whether an earlier call of the same name reads all that this one can read."""
    if any(bound & ~call.bound == 0 and (certain or not call.certain) for bound, certain in before):
        return True
    before.append((call.bound, call.certain))
    return False


def _add_reads(
    reads: dict[str, Need], analysis: CellAnalysis, call: Call, reached: Reached
) -> None:
    function = reached.function
    for name, read in function.reads.items():
        if call.bound & analysis.index.get(name, 0):
            continue
        certain = read.certain and reached.certain
        before = reads.get(name)
        if before is not None and (before.use.certain or not certain):
            continue
        if before is not None:  # read by the cell itself on some paths, here on all
            reads[name] = replace(before, use=replace(before.use, certain=True))
            continue
        is_lambda = function.name.startswith("<")
        title, quoted = (
            ("a lambda", "a lambda") if is_lambda else (f"{function.name}()", f"`{function.name}`")
        )
        via = f"through {title}, defined in cell {reached.cell} (line {function.span.line})"
        cause = f"calls {quoted} (cell {reached.cell}), which reads `{name}`"
        reads[name] = Need(Use(name, call.span, certain, read.guarded, via), cause)


def effects(graph: Graph, cell: int) -> Mapping[str, Definition]:
    """Return the names that functions called by the cell may bind by `global`, at the call."""
    analysis = graph.cells[cell]
    bound: dict[str, Definition] = {}
    for call in analysis.calls:
        for reached in reachable(Caller(graph, analysis, call)):
            for name in sorted(reached.function.writes):
                bound.setdefault(name, Definition(name, call.span, "assign", certain=False))
    return bound
