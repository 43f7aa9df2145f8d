"""Questions about a notebook that are answered once: the answers live with its graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.model import Graph

_About = ParamSpec("_About")
_Answer = TypeVar("_Answer")


def kept(
    ask: Callable[Concatenate[Graph, _About], _Answer],
) -> Callable[Concatenate[Graph, _About], _Answer]:
    """Let a question about a graph be worked out once for each of its arguments.

    While the graph is being built, only what hangs on the text alone may be asked so: the answers
    go along into the finished graph.
    """

    @wraps(ask)
    def answer(graph: Graph, /, *about: _About.args, **named: _About.kwargs) -> _Answer:
        question = (ask, *about)
        if question not in graph.kept:
            graph.kept[question] = ask(graph, *about, **named)
        return cast("_Answer", graph.kept[question])

    return answer
