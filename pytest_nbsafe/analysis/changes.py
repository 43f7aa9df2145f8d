"""What calls of the notebook's own functions change: arguments, free names, their own object."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import CellAnalysis, Definition, Function, Span
from pytest_nbsafe.analysis.scopes import root
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph


@dataclass(slots=True)
class _Routine:
    """A function or method of a cell.

    `path` is "f" or "C.m", `changed` the parameters and free names that a call changes in place.
    """

    analysis: CellAnalysis
    path: str
    function: Function
    changed: frozenset[str]

    @property
    def given(self) -> frozenset[str]:
        """What is changed of that which the caller gives, the method's own object left out."""
        return self.changed.intersection(self.function.parameters) - {self.own}

    @property
    def own(self) -> str:
        """The parameter that stands for the method's own object."""
        return self.function.parameters[0] if "." in self.path and self.function.parameters else ""


class _Routines(dict[tuple[int, str], _Routine]):
    """The functions and methods of a notebook, by cell and path."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[int, dict[str, list[ast.Call]]] = {}

    def calls(self, graph: Graph, cell: int) -> Mapping[str, list[ast.Call]]:
        """Return the calls in a cell by the path of the function that they stand in."""
        if cell not in self._calls:
            self._calls[cell] = _calls(trees.of(graph, cell))
        return self._calls[cell]


def through_calls(graph: Graph) -> Mapping[int, Mapping[str, Definition]]:
    """Return, for each cell, the names whose object its calls of functions may change in place.

    Found by name: `add(items)` where `def add(xs): xs.append(1)`, also through other functions,
    `g = f`, and methods of `obj = C()`. What a function takes from elsewhere is not followed
    (`f = make()`), nor what it binds to another name first, nor callbacks.
    """
    routines = _all_routines(graph)
    if not any(routine.changed for routine in routines.values()):
        return {}
    leads = _Leads(graph)
    _spread(graph, routines, leads)
    leading = leads.to(r.path.partition(".")[0] for r in routines.values() if r.changed)
    found: dict[int, Mapping[str, Definition]] = {}
    for number, analysis in graph.cells.items():
        if not any(call.name in leading for call in analysis.calls):
            continue
        at: dict[str, Definition] = {}
        for name, span in _at_top(graph, analysis, routines):
            if graph.binders.get(name):
                at.setdefault(name, Definition(name, span, "mutation", certain=False))
        if at:
            found[number] = at
    return found


def _all_routines(graph: Graph) -> _Routines:
    found = _Routines()
    for number, analysis in graph.cells.items():
        for name, function in analysis.functions.items():
            # a class is called like its __init__, whose own object is new
            found[number, name] = _Routine(analysis, name, function, function.changes)
            for method, inside in function.methods.items():
                path = f"{name}.{method}"
                found[number, path] = _Routine(analysis, path, inside, inside.changes)
    return found


class _Leads:
    """Which names may lead to which: `g = f`, `fs = [f]`, `obj = C()`, in any cell."""

    def __init__(self, graph: Graph) -> None:
        self.back: dict[str, list[str]] = {}
        for analysis in graph.cells.values():
            for table in (analysis.aliases, analysis.made_by):
                for name, others in table.items():
                    for other in others:
                        self.back.setdefault(other, []).append(name)

    def to(self, names: Iterable[str]) -> set[str]:
        """Return these names and all that may lead to them."""
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo.extend(self.back.get(name, ()))
        return found


# -- from function to function -------------------------------------------------------------------


def _spread(graph: Graph, routines: _Routines, leads: _Leads) -> None:
    """Let what a function changes be changed by those that call it, until nothing is new."""
    callers: dict[str, list[_Routine]] = {}
    for routine in routines.values():
        for name in routine.function.calls:
            callers.setdefault(name, []).append(routine)
        for method in routine.function.own_calls:
            callers.setdefault(f".{method}", []).append(routine)
    todo = [routine for routine in routines.values() if routine.changed]
    while todo:
        name, _, method = todo.pop().path.partition(".")
        names = {f".{method}"} if method else leads.to((name,))
        for caller in (caller for name in sorted(names) for caller in callers.get(name, ())):
            new = frozenset(_through(graph, caller, routines)) - caller.changed
            if new:
                caller.changed |= new
                todo.append(caller)


def _through(graph: Graph, caller: _Routine, routines: _Routines) -> Iterator[str]:
    """Yield the parameters and free names that a function changes through those it calls."""
    function, analysis = caller.function, caller.analysis
    class_path = caller.path.rpartition(".")[0]
    for method in function.own_calls if class_path else ():
        mate = routines.get((analysis.cell, f"{class_path}.{method}"))
        if mate is not None and mate.own in mate.changed:
            yield caller.own
    gives = False
    for name in function.calls:
        for called in _called(graph, analysis, name, "", routines):
            yield from called.changed.difference(called.function.parameters)
            gives = gives or bool(called.given)
    if not gives:
        return
    lasting = {*function.parameters, *function.reads} - function.rebinds
    for call in routines.calls(graph, analysis.cell).get(caller.path, ()):
        yield from lasting.intersection(_arguments(graph, analysis, call, routines))


# -- at the cells' own level ---------------------------------------------------------------------


def _at_top(
    graph: Graph, analysis: CellAnalysis, routines: _Routines
) -> Iterator[tuple[str, Span]]:
    """Yield the names that the calls in a cell's own text change, and where."""
    gives: list[Span] = []
    for call in analysis.calls:
        for called in _called(graph, analysis, call.name, call.method, routines):
            if called.own and called.own in called.changed:
                yield call.name, call.span
            for name in sorted(called.changed.difference(called.function.parameters)):
                yield name, call.span
            if called.given:
                gives.append(call.span)
    if not gives:
        return
    here = analysis.defines.union(use.name for use in analysis.uses)
    for node in routines.calls(graph, analysis.cell).get("", ()):
        for name in _arguments(graph, analysis, node, routines):
            if name in here:  # else it is that of a comprehension or lambda
                yield name, next((s for s in gives if s.line == node.lineno), gives[0])


def _calls(tree: ast.Module) -> dict[str, list[ast.Call]]:
    """Return the calls by the path of the function that they stand in, "" at the top."""
    found: dict[str, list[ast.Call]] = {}
    todo: list[tuple[str, str, ast.AST]] = [("", "", tree)]
    while todo:
        path, function, node = todo.pop()
        if isinstance(node, ast.Name | ast.Constant):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = f"{path}.{node.name}" if path else node.name
            function = function if isinstance(node, ast.ClassDef) else path
        elif isinstance(node, ast.Call):
            found.setdefault(function, []).append(node)
        todo.extend([(path, function, child) for child in ast.iter_child_nodes(node)])
    return found


def _arguments(
    graph: Graph, analysis: CellAnalysis, call: ast.Call, routines: _Routines
) -> Iterator[str]:
    """Yield the names that are given to a call for parameters that it changes."""
    callee = call.func
    method = callee.attr if isinstance(callee, ast.Attribute) else ""
    if isinstance(callee, ast.Attribute | ast.Subscript):
        callee = callee.value
    if not isinstance(callee, ast.Name):
        return
    for called in _called(graph, analysis, callee.id, method, routines):
        changing = called.given
        for parameter, argument in _given(called, call) if changing else ():
            if parameter in changing:
                yield argument


def _given(called: _Routine, call: ast.Call) -> Iterator[tuple[str, str]]:
    """Yield each parameter for which a name is given (or what it reaches), and that name."""
    left = [parameter for parameter in called.function.parameters if parameter != called.own]
    given: list[tuple[str | None, ast.expr]] = []
    for value in call.args:
        if isinstance(value, ast.Starred):
            break
        given.append((left.pop(0) if left else None, value))
    given.extend((keyword.arg, keyword.value) for keyword in call.keywords)
    for parameter, value in given:
        bottom = root(value)
        if parameter is not None and bottom is not None:
            yield parameter, bottom.id


# -- which function a name leads to --------------------------------------------------------------


def _called(
    graph: Graph, analysis: CellAnalysis, name: str, method: str, routines: _Routines
) -> Iterator[_Routine]:
    """Yield the functions that a call may run: by their own name, `g = f`, and `obj = C()`."""
    todo, seen = [(name, False, analysis)], set()
    while todo:
        word, made, near = todo.pop()
        home = near if word in near.functions else _home(graph, analysis, word)
        if word in seen or home is None:
            continue
        seen.add(word)
        if word in home.functions:
            path = f"{word}.{method or '__call__'}" if made else word
            found = routines.get((home.cell, path)) if made or not method else None
            if found is not None:
                yield found
            continue
        makers = sorted(home.made_by.get(word, ()))
        todo.extend((maker, True, analysis) for maker in makers)
        if not makers:  # a lambda that no name is bound to is only known in its own cell
            others = sorted(home.aliases.get(word, ()))
            todo.extend((n, made, home if n[0] == "<" else analysis) for n in others)


def _home(graph: Graph, analysis: CellAnalysis, name: str) -> CellAnalysis | None:
    if name in analysis.functions or name in analysis.leaves:
        return analysis
    cells = graph.binders.get(name, ())
    above = [cell for cell in cells if cell < analysis.cell]
    return graph.cells[above[-1] if above else cells[0]] if cells else None
