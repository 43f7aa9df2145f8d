"""What calls of the notebook's own functions change: arguments, free names, their own object."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.call_graph import Caller, leads_to, reachable
from pytest_nbsafe.analysis.model import Call, CellAnalysis, Definition, Function, Graph, Span, kept
from pytest_nbsafe.analysis.scopes import root
from pytest_nbsafe.values import dataclass, replace

_END = Span(1_000_000, 1, 1_000_000, 1)
"""Below all of a cell."""


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


_Routines = Mapping[tuple[int, str], _Routine]
"""The functions and methods of a notebook, by cell and path."""


def through_calls(graph: Graph) -> Mapping[int, Mapping[str, Definition]]:
    """Return, for each cell, the names whose object its calls of functions may change in place.

    Found by name: `add(items)` where `def add(xs): xs.append(1)`, also through other functions,
    `g = f`, and methods of `obj = C()`. What a function takes from elsewhere is not followed
    (`f = make()`), nor what it binds to another name first, nor callbacks.
    """
    routines = _all_routines(graph)
    if not any(routine.changed for routine in routines.values()):
        return {}
    _spread(graph, routines)
    changes: dict[int, Mapping[str, Definition]] = {}
    for number, analysis in graph.cells.items():
        changed: dict[str, Definition] = {}
        for name, span in _at_top(graph, analysis, routines):
            if graph.binders.get(name):
                changed.setdefault(name, Definition(name, span, "mutation", certain=False))
        if changed:
            changes[number] = changed
    return changes


def global_bindings(graph: Graph, cell: int) -> Mapping[str, Definition]:
    """Return the names that functions called by the cell may bind by `global`, at the call."""
    analysis = graph.cells[cell]
    bound: dict[str, Definition] = {}
    for call in analysis.calls:
        for reached in reachable(Caller(graph, analysis, call)):
            for name in sorted(reached.function.writes):
                bound.setdefault(name, Definition(name, call.span, "assign", certain=False))
    return bound


def _all_routines(graph: Graph) -> _Routines:
    routines: dict[tuple[int, str], _Routine] = {}
    for number, analysis in graph.cells.items():
        for name, function in analysis.functions.items():
            # a class is called like its __init__, whose own object is new
            routines[number, name] = _Routine(analysis, name, function, function.changes)
            for method, inside in function.methods.items():
                path = f"{name}.{method}"
                routines[number, path] = _Routine(analysis, path, inside, inside.changes)
    return routines


# -- from function to function -------------------------------------------------------------------


def _spread(graph: Graph, routines: _Routines) -> None:
    """Let what a function changes be changed by those that call it, until nothing is new."""
    callers: dict[tuple[int, str], list[_Routine]] = {}
    for routine in routines.values():
        for called in (*_mates(routine, routines), *_callees(graph, routine, routines)):
            callers.setdefault((called.analysis.cell, called.path), []).append(routine)
    todo = [routine for routine in routines.values() if routine.changed]
    while todo:
        changed = todo.pop()
        for caller in callers.get((changed.analysis.cell, changed.path), ()):
            new = frozenset(_through(graph, caller, routines)) - caller.changed
            if new:
                caller.changed |= new
                todo.append(caller)


def _mates(caller: _Routine, routines: _Routines) -> Iterator[_Routine]:
    """Yield the methods of its own object that a method calls."""
    class_path = caller.path.rpartition(".")[0]
    for method in caller.function.own_calls if class_path else ():
        mate = routines.get((caller.analysis.cell, f"{class_path}.{method}"))
        if mate is not None:
            yield mate


def _callees(graph: Graph, caller: _Routine, routines: _Routines) -> Iterator[_Routine]:
    """Yield the functions that a function calls by name."""
    for name in caller.function.calls:
        yield from _called(graph, caller.analysis, _somewhere(caller.analysis, name), routines)


def _through(graph: Graph, caller: _Routine, routines: _Routines) -> Iterator[str]:
    """Yield the parameters and free names that a function changes through those it calls."""
    function, analysis = caller.function, caller.analysis
    if any(mate.own in mate.changed for mate in _mates(caller, routines)):
        yield caller.own
    callees = tuple(_callees(graph, caller, routines))
    for called in callees:
        yield from called.changed.difference(called.function.parameters)
    if any(called.given for called in callees):
        lasting = {*function.parameters, *function.reads} - function.rebinds
        for call in _calls(graph, analysis.cell).get(caller.path, ()):
            yield from lasting.intersection(_arguments(graph, analysis, call, routines))


# -- at the cells' own level ---------------------------------------------------------------------


def _at_top(
    graph: Graph, analysis: CellAnalysis, routines: _Routines
) -> Iterator[tuple[str, Span]]:
    """Yield the names that the calls in a cell's own text change, and where."""
    gives: list[Span] = []
    for call in analysis.calls:
        for called in _called(graph, analysis, call, routines):
            if called.own and called.own in called.changed:
                yield call.name, call.span
            for name in sorted(called.changed.difference(called.function.parameters)):
                yield name, call.span
            if called.given:
                gives.append(call.span)
    if not gives:
        return
    here = analysis.defines.union(use.name for use in analysis.uses)
    for node in _calls(graph, analysis.cell).get("", ()):
        for name in _arguments(graph, analysis, node, routines):
            if name in here:  # else it is that of a comprehension or lambda
                yield name, next((s for s in gives if s.line == node.lineno), gives[0])


@kept
def _calls(graph: Graph, cell: int) -> Mapping[str, list[ast.Call]]:
    """Return the calls in a cell by the path of the function that they stand in, "" at the top."""
    calls: dict[str, list[ast.Call]] = {}
    todo: list[tuple[str, str, ast.AST]] = [("", "", trees.of(graph, cell))]
    while todo:
        path, function, node = todo.pop()
        if isinstance(node, ast.Name | ast.Constant):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = f"{path}.{node.name}" if path else node.name
            function = function if isinstance(node, ast.ClassDef) else path
        elif isinstance(node, ast.Call):
            calls.setdefault(function, []).append(node)
        todo.extend([(path, function, child) for child in ast.iter_child_nodes(node)])
    return calls


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
    at = _somewhere(analysis, callee.id, method, call.lineno)
    for called in _called(graph, analysis, at, routines):
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
    graph: Graph, analysis: CellAnalysis, call: Call, routines: _Routines
) -> Iterator[_Routine]:
    """Yield the functions and methods that a call may run."""
    for lead in leads_to(Caller(graph, analysis, call), call.name, analysis):
        path = lead.name
        if lead.is_result:
            path = f"{lead.name}.{call.method or '__call__'}"
        elif call.method:
            continue
        routine = routines.get((lead.home.cell, path))
        if routine is not None and lead.direct:
            yield routine


def _somewhere(analysis: CellAnalysis, name: str, method: str = "", line: int = 0) -> Call:
    """Return a call at a line of a cell; in a function, whatever the cell binds is bound then."""
    known = (call for call in analysis.calls if (call.name, call.span.line) == (name, line))
    call = next(known, Call(name, _END, certain=False, bound=-1))
    return replace(call, method=method)
