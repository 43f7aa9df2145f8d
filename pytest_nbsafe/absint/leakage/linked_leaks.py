"""Leaks of a notebook linked with its modules, told at the notebook's own cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.passes import leaks
from pytest_nbsafe.analysis.call_graph import Caller, reachable
from pytest_nbsafe.analysis.model import Graph, Linked, Span
from pytest_nbsafe.analysis.modules.module_text import JOINT, in_words, own_word
from pytest_nbsafe.values import replace

_Site = tuple[int, Span]
_NAME = patterns.compile(r"\w+")


def of(graph: Graph, order: Sequence[int], extra: str = "") -> tuple[Leak, ...]:
    """Return the leaks that show when the cells run in this order, as `passes.leaks` does.

    What happens in a module is told where the notebook calls it, with the place in the module.
    """
    linked = graph.linked
    if linked is None:
        return leaks(graph, order, extra)
    found = leaks(linked.graph, linked.order(order), extra)
    graph.budget.cut.update(linked.graph.budget.cut)
    return tuple(dict.fromkeys(_of_the_notebook(linked, leak, order) for leak in found))


def _of_the_notebook(linked: Linked, leak: Leak, order: Sequence[int]) -> Leak:
    cell, span = _site(linked, leak.cell, leak.span, order)
    as_written = in_words if linked.cell(leak.cell) else own_word
    steps = tuple(_step(linked, step, order) for step in leak.steps)
    return replace(
        leak,
        cell=cell,
        span=span,
        steps=steps,
        what=_written(leak.what, as_written),
        rows=_written(leak.rows, as_written),
        test=_written(leak.test, as_written),
        model=_written(leak.model, as_written),
    )


def _step(linked: Linked, step: tuple[int, int, str], order: Sequence[int]) -> tuple[int, int, str]:
    number, line, cause = step
    if linked.cell(number):
        return linked.cell(number), line, _written(cause, in_words)
    cell, span = _site(linked, number, Span(line, 1, line, 2), order)
    return cell, span.line, f"{_written(cause, own_word)} ({linked.place(number, line)})"


def _site(linked: Linked, number: int, span: Span, order: Sequence[int]) -> _Site:
    """Return the place in the notebook: of what lies in a module, the first call that runs it."""
    if linked.cell(number):
        return linked.cell(number), span
    ahead = len(linked.paths)
    for cell in order:
        analysis = linked.graph.cells.get(cell + ahead)
        if analysis is None:
            continue
        for call in analysis.calls:
            for each in reachable(Caller(linked.graph, analysis, call)):
                its = each.function.span
                if each.cell == number and its.line <= span.line <= its.end_line:
                    return cell, call.span
    return next(iter(order), 1), Span(1, 1, 1, 2)


def _written(text: str, as_written: Callable[[str], str]) -> str:
    """Return a text with the names of modules as the notebook, or their own module, has them."""
    return _NAME.sub(lambda name: as_written(name[0]), text) if JOINT in text else text
