"""The statements that learn from all rows, and the same statements for training and test rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import own_statements
from pytest_nbsafe.fix.own_statements import Placed, rewritten
from pytest_nbsafe.libraries import leakroles
from pytest_nbsafe.values import dataclass

_WORD = patterns.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
"""A word of a name such as `StandardScaler`, `PCA`, `SelectKBest`."""
Names = Sequence[str]
Below = Callable[[Names, Names, str], tuple[str, ...]]
"""Gives the lines that do the same below the split, from the names of the training parts, of the
test parts, and of the labels of the training rows."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """Statements that learn from rows and make `results` of them, each from what is `given`.

    `what` is what learns; `made` the text that makes it. `labels` is given to it too, where it is.
    `reads` are the names that all of this is made from, `learner` the name of what learns.
    `below` gives the lines that come below the split in their place. With `is_part` the result
    is a part of what it is made of, changed in place. `does` says in words what `what` does.
    """

    steps: tuple[Placed, ...]
    results: tuple[str, ...]
    given: tuple[str, ...]
    what: str
    made: str
    labels: ast.expr | None
    reads: frozenset[str]
    learner: frozenset[str]
    below: Below
    is_part: bool = False
    does: str = "learns from"


def preparation(graph: Graph, finding: Finding) -> Preparation | None:
    """Return `a = scaler.fit_transform(b)`, or `scaler.fit(b)` with the `transform` below it."""
    placed = own_statements.at(graph, finding.location.cell, finding.location.line)
    if placed is None:
        return None
    source = graph.notebook.cell(placed.cell).source
    fits = _method_calls(placed.node, "fit_transform")
    if len(fits) == 1 and isinstance(placed.node, ast.Assign):
        return _in_one(graph, placed, source, fits[0])
    fits = _method_calls(placed.node, "fit")
    return _in_two(graph, placed, source, fits[0]) if len(fits) == 1 else None


def _in_one(graph: Graph, placed: Placed, source: str, call: ast.Call) -> Preparation | None:
    assert isinstance(placed.node, ast.Assign), "only what is assigned is moved"
    assert isinstance(call.func, ast.Attribute), "it is a method"
    value, learner = placed.node.value, call.func.value
    target, given = _target(placed.node), _given(call)
    if target is None or given is None:
        return None
    rows, labels = given
    inner = _others(value, call, rows, target)
    if inner is None or not isinstance(learner, ast.Name | ast.Call):
        return None
    made = rewritten(source, learner, ())
    named, is_part = isinstance(learner, ast.Name), isinstance(target, ast.Subscript)
    name = made if named else _fresh(graph, learner)

    def line(part: str, method: str, also: str = "") -> str:
        done = f"{name}.{method}({_part(source, target, rows, part)}{also})"
        changed = _value(source, value, [(call, done), *((node, part) for node in inner)])
        return f"{_targets(source, target, part)} = {changed}"

    def below(train: Names, test: Names, train_labels: str) -> tuple[str, ...]:
        also = f", {train_labels}" if labels is not None else ""
        first = () if named else (f"{name} = {made}",)
        lines = line(train[0], "fit_transform", also), line(test[0], "transform")
        return (*first, *_copies(target, train[0], test[0]), *lines)

    return Preparation(
        steps=(placed,),
        results=(_base(target),),
        given=(_base(target) if is_part else rewritten(source, rows, ()),),
        what=_called(learner),
        made=made,
        labels=labels,
        reads=_read(rows, *((labels,) if labels is not None else ()), learner),
        learner=_read(learner) if named else frozenset(),
        below=below,
        is_part=is_part,
    )


def _in_two(graph: Graph, fit: Placed, source: str, call: ast.Call) -> Preparation | None:
    """Return `scaler.fit(b)`, or `scaler = Scaler().fit(b)`, and `a = scaler.transform(b)`."""
    assert isinstance(call.func, ast.Attribute), "it is a method"
    learner, given = call.func.value, _given(call)
    if given is None or not isinstance(learner, ast.Name | ast.Call):
        return None
    rows, labels = given
    if isinstance(fit.node, ast.Expr) and isinstance(learner, ast.Name):
        name = learner.id
    elif isinstance(fit.node, ast.Assign) and fit.node.value is call and len(fit.node.targets) == 1:
        bound = fit.node.targets[0]
        name = bound.id if isinstance(bound, ast.Name) else ""
    else:
        name = ""
    change = _transform(graph, fit, name, rows) if name else None
    if change is None:
        return None
    placed, changing = change
    assert isinstance(placed.node, ast.Assign), "only what is assigned is moved"
    value, target = placed.node.value, _target(placed.node)
    other = graph.notebook.cell(placed.cell).source
    inner = _others(value, changing, changing.args[0], target) if target is not None else None
    if target is None or inner is None:
        return None

    def line(part: str) -> str:
        given = _part(other, target, changing.args[0], part)
        news = [(changing.args[0], given), *((node, part) for node in inner)]
        return f"{_targets(other, target, part)} = {_value(other, value, news)}"

    def below(train: Names, test: Names, train_labels: str) -> tuple[str, ...]:
        news = [(rows, _part(source, target, rows, train[0]))]
        news += [(labels, train_labels)] if labels is not None else []
        fitted = rewritten(source, fit.node, news)
        return (*_copies(target, train[0], test[0]), fitted, line(train[0]), line(test[0]))

    is_part = isinstance(target, ast.Subscript)
    return Preparation(
        steps=(fit, placed),
        results=(_base(target),),
        given=(_base(target) if is_part else rewritten(source, rows, ()),),
        what=_called(learner),
        made=rewritten(source, learner, ()),
        labels=labels,
        reads=_read(rows, *((labels,) if labels is not None else ())),
        learner=frozenset({name}),
        below=below,
        is_part=is_part,
    )


def _transform(
    graph: Graph, fit: Placed, name: str, rows: ast.expr
) -> tuple[Placed, ast.Call] | None:
    """Return the first statement below that assigns `name.transform(rows)`, with the call."""
    for cell in sorted(graph.cells):
        for placed in own_statements.of_cell(graph, cell) if cell >= fit.cell else ():
            if placed.place <= fit.place or not isinstance(placed.node, ast.Assign):
                continue
            calls = [
                call
                for call in _method_calls(placed.node, "transform")
                if _read(call.func) == {name}
            ]
            if calls:
                alike = len(calls[0].args) == 1 and ast.dump(calls[0].args[0]) == ast.dump(rows)
                return (placed, calls[0]) if alike and len(calls) == 1 else None
    return None


def resampling(graph: Graph, finding: Finding) -> Preparation | None:
    """Return `a, b = sampler.fit_resample(c, d)`."""
    placed = own_statements.at(graph, finding.location.cell, finding.location.line)
    if placed is None or not isinstance(placed.node, ast.Assign):
        return None
    call = placed.node.value
    targets = placed.node.targets[0]
    if not isinstance(call, ast.Call) or not isinstance(targets, ast.Tuple):
        return None
    names = tuple(each.id for each in targets.elts if isinstance(each, ast.Name))
    function = call.func
    if (
        not isinstance(function, ast.Attribute)
        or function.attr not in {"fit_resample", "fit_sample"}
        or len(names) != 2
        or len(call.args) != 2
    ):
        return None
    source = graph.notebook.cell(placed.cell).source

    def below(train: Names, test: Names, train_labels: str) -> tuple[str, ...]:
        del test, train_labels  # only training rows are made more
        text = rewritten(source, call, zip(call.args, train, strict=True))
        return (f"{', '.join(train)} = {text}",)

    learner = function.value
    return Preparation(
        steps=(placed,),
        results=names,
        given=tuple(rewritten(source, each, ()) for each in call.args),
        what=_called(learner),
        made=rewritten(source, learner, ()),
        labels=None,
        reads=_read(*call.args, learner),
        learner=frozenset({learner.id}) if isinstance(learner, ast.Name) else frozenset(),
        below=below,
    )


def statistic(graph: Graph, finding: Finding) -> Preparation | None:
    """Return `a = (b - b.mean()) / b.std()`, where all that is read of `b` is known."""
    placed = own_statements.at(graph, finding.location.cell, finding.location.line)
    if placed is None or not isinstance(placed.node, ast.Assign):
        return None
    value, target = placed.node.value, _target(placed.node)
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call) and _is_statistic(node)]
    if target is None or not calls:
        return None
    at = finding.location
    told = next((c for c in calls if (c.lineno, c.col_offset + 1) == (at.line, at.column)), None)
    rows = _rows_of(told) if told is not None else ""
    is_part = isinstance(target, ast.Subscript)
    inside = {id(node) for call in calls for node in _named(call, rows)}
    every = _named(value, rows)
    if (
        not rows
        or rows in _inner(value)
        or len(inside) == len(every)
        or (is_part and _base(target) != rows)
    ):
        return None
    source = graph.notebook.cell(placed.cell).source

    def below(train: Names, test: Names, train_labels: str) -> tuple[str, ...]:
        del train_labels  # a statistic of rows needs none
        for_test = [(node, train[0] if id(node) in inside else test[0]) for node in every]
        lines = (
            f"{_targets(source, target, test[0])} = {_value(source, value, for_test)}",
            f"{_targets(source, target, train[0])} = "
            + _value(source, value, [(node, train[0]) for node in every]),
        )
        return (*_copies(target, train[0], test[0]), *lines)

    return Preparation(
        steps=(placed,),
        results=(_base(target),),
        given=(rows,),
        what=told.func.attr if told and isinstance(told.func, ast.Attribute) else "",
        made="",
        labels=None,
        reads=frozenset({rows}),
        learner=frozenset(),
        below=below,
        is_part=is_part,
        does="is computed from",
    )


def _is_statistic(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    known, method = leakroles.load(), call.func.attr
    return any(known.effect_on(form, method) == "statistic" for form in ("frame", "series", "any"))


def _rows_of(call: ast.Call) -> str:
    """Return the name that a statistic is computed of: what stands first, or is given first."""
    assert isinstance(call.func, ast.Attribute), "it is a method"
    rows: ast.expr = call.args[0] if call.args else call.func.value
    while isinstance(rows, ast.Subscript | ast.Attribute):
        rows = rows.value
    return rows.id if isinstance(rows, ast.Name) else ""


# -- pieces of statements -------------------------------------------------------------------------


def _method_calls(node: ast.AST, method: str) -> list[ast.Call]:
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == method]


def _given(call: ast.Call) -> tuple[ast.expr, ast.expr | None] | None:
    """Return the rows and the labels that are given to a call, which may take nothing else."""
    labels = [keyword.value for keyword in call.keywords if keyword.arg == "y"]
    if len(labels) < len(call.keywords) or not 1 <= len(call.args) + len(labels) <= 2:
        return None
    if not call.args or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    return call.args[0], (*call.args[1:], *labels, None)[0]


def _target(node: ast.Assign) -> ast.Name | ast.Subscript | None:
    """Return what is assigned to, where that is one name, or a part of one."""
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Name | ast.Subscript):
        return None
    return target if _base(target) else None


def _base(target: ast.Name | ast.Subscript) -> str:
    inner = target if isinstance(target, ast.Name) else target.value
    return inner.id if isinstance(inner, ast.Name) else ""


def _targets(source: str, target: ast.Name | ast.Subscript, name: str) -> str:
    """Return the text of a target, of another name."""
    if isinstance(target, ast.Name):
        return name
    return rewritten(source, target, [(target.value, name)])


def _part(source: str, target: ast.Name | ast.Subscript, rows: ast.expr, name: str) -> str:
    """Return the text of rows, of another name; what makes a whole name of them stands for it."""
    if isinstance(target, ast.Name):
        return name
    return rewritten(source, rows, [(node, name) for node in _named(rows, _base(target))])


def _copies(target: ast.Name | ast.Subscript, train: str, test: str) -> Iterator[str]:
    """Yield the line that lets both parts be changed in place."""
    if isinstance(target, ast.Subscript):
        yield f"{train}, {test} = {train}.copy(), {test}.copy()"


def _others(
    value: ast.expr, call: ast.Call, rows: ast.expr, target: ast.Name | ast.Subscript
) -> list[ast.Name] | None:
    """Return where else in a value the rows are read, None where that is no whole name of them."""
    base = _base(target) if isinstance(target, ast.Subscript) else ""
    read = {base} if base else _read(rows)
    if base and not _named(rows, base):
        return None
    inside = {id(node) for node in ast.walk(call)}
    others = [n for name in read for n in _named(value, name) if id(n) not in inside]
    return others if base or isinstance(rows, ast.Name) or not others else None


def _inner(value: ast.expr) -> frozenset[str]:
    """Return the names that a value binds within itself: of lambdas and comprehensions."""
    nodes = list(ast.walk(value))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(arguments | stored)


def _value(source: str, value: ast.expr, news: Iterable[tuple[ast.AST, str]]) -> str:
    """Return the text of a value, rewritten; in brackets where it went on below within them."""
    text = rewritten(source, value, news)
    try:
        ast.parse(text)
    except SyntaxError:
        return f"({text})"
    return text


def _named(node: ast.AST, name: str) -> list[ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id == name]


def _read(*nodes: ast.AST) -> frozenset[str]:
    names = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name))
    return frozenset(name.id for name in names)


def _called(learner: ast.expr) -> str:
    """Return how what learns is called: the class, or the name."""
    while isinstance(learner, ast.Call):
        learner = learner.func
    return learner.attr if isinstance(learner, ast.Attribute) else ast.unparse(learner)


def _fresh(graph: Graph, learner: ast.expr) -> str:
    """Return a name that the notebook does not use: `scaler` for a StandardScaler."""
    called = _called(learner).removeprefix("make_")
    words = _WORD.findall(called)
    is_plain = called.isupper() or words[-1].endswith(("er", "or"))
    name = (words[-1] if is_plain else "_".join(words)).lower()
    taken = {name for cell in graph.cells.values() for name in cell.index} | set(graph.binders)
    number = 1
    while (fresh := name if number == 1 else f"{name}_{number}") in taken:
        number += 1
    return fresh
