"""What loops and comprehensions run over, and what a comprehension gives: lists, dicts, names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from pytest_nbsafe.absint.leakage import containers, named_columns, operators, subscripts, tabular
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Columns,
    Const,
    Data,
    Deps,
    Dictionary,
    Estimator,
    Index,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import RoundItem
from pytest_nbsafe.absint.leakage.memory import joined
from pytest_nbsafe.absint.leakage.rows import ByPlace, Division, EachGroup
from pytest_nbsafe.values import replace


def elements(machine: Machine, iterable: Value, node: ast.AST) -> Iterator[Value]:
    """Yield what a loop runs over: each known item, or twice what stands for all."""
    value = machine.get(iterable)
    line = getattr(node, "lineno", None) or getattr(getattr(node, "target", None), "lineno", 0)
    consecutive = False  # as are those of `range(0, n, 32)`, and shuffled ones
    if isinstance(value, Index) and value.order is None:
        consecutive = all(isinstance(step.key, ByPlace) for step in value.steps)
    anything = AnyValue(RoundItem(machine.run, line, machine.token(value), consecutive))
    each: Value | None = None
    if isinstance(value, Seq) and value.each is None:
        if len(value.items) <= machine.limits.unrolled or _are_models(machine, value):
            yield from value.items[: machine.limits.unrolled]
            return
        each = joined(machine.get(item) for item in value.items)
        each = None if isinstance(each, AnyValue | Const) else each
    elif isinstance(value, Seq):
        has_parts = isinstance(machine.get(value.each), Data | Seq | Dictionary | Estimator)
        each = value.each if has_parts else None
    elif isinstance(value, Dictionary):
        names = [Const(name) for name, _ in value.items]
        if names and len(names) <= machine.limits.unrolled and value.each is None:
            yield from names
            return
    elif isinstance(value, Data) and value.form in {"series", "array", "any"} and not value.scores:
        each = replace(value, form="any")
    elif isinstance(value, Data) and value.form == "stat" and subscripts.selecting(value):
        each = value
    elif isinstance(value, Data) and value.form == "group":
        step = Division(EachGroup(machine.run, line), ("is", anything))
        group = replace(value, form="frame", rows=sets.divide(value.rows, step))
        each = Seq((anything, group))
    yield from [each if each is not None else anything] * 2


def _are_models(machine: Machine, value: Seq) -> bool:
    """Return whether the items of a list are models, or pairs with one: a few stand for all."""
    items = [machine.plain(item) for item in value.items]
    parts = (item.items if isinstance(item, Seq) else (item,) for item in items)
    return all(any(isinstance(part, Estimator) for part in pair) for pair in parts)


def listed(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    """Return the list, or what stands for its items, or names of columns."""
    first = node.generators[0]
    source = machine.evaluate(first.iter)
    names = _column_names(machine, node, machine.get(source))
    if names is not None:
        return names
    results: list[Value] = []
    tests: list[Value] = []
    items = list(elements(machine, source, first))
    saved = dict(machine.scope)
    machine.loops += 1
    for item in items:
        _inner(
            machine,
            node.generators,
            0,
            item,
            lambda: results.append(machine.evaluate(node.elt)),
            tests.append,
        )
    machine.loops -= 1
    machine.memory.scopes[-1] = saved
    given = machine.get(source)
    chosen = subscripts.selecting_any(machine, [given, *tests])
    if chosen and all(isinstance(machine.get(v), AnyValue | Const | Names) for v in results):
        return Names(None, chosen)
    plain = len(node.generators) == 1 and not first.ifs and len(results) == len(items)
    if plain and isinstance(given, Data) and given.pred and not any(map(_holds_more, results)):
        return replace(tabular.mix([given]), form="list")  # predictions in other words
    if plain and isinstance(given, Seq) and given.each is None and len(given.items) == len(results):
        return Seq(tuple(machine.box(value) for value in results))
    each = joined(machine.get(value) for value in results)
    return Seq((), each if each is not None else AnyValue(), ("list", *machine.fresh(node)))


def _holds_more(value: Value) -> bool:
    """Return whether a value is something else than one text or number."""
    return not isinstance(value, Const | AnyValue)


def _inner(
    machine: Machine,
    generators: Sequence[ast.comprehension],
    place: int,
    item: Value,
    run: Callable[[], None],
    ask: Callable[[Value], None],
) -> None:
    """Run what a comprehension gives for one item, and hand on what it asks of the item.

    Nothing is run for an item that surely does not pass: a part other than that of the round.
    """
    generator = generators[place]
    machine.store(generator.target, machine.box(item))
    for test in generator.ifs:
        answer = machine.evaluate(test)
        ask(answer)
        if operators.truth(machine.get(answer)) is False:
            return
    if place + 1 == len(generators):
        run()
        return
    following = generators[place + 1]
    for other in elements(machine, machine.evaluate(following.iter), following):
        _inner(machine, generators, place + 1, other, run, ask)


def _column_names(
    machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, source: Value
) -> Names | None:
    """Return `[c for c in df.columns if c != "y"]` as names: all columns but some."""
    generator = node.generators[0]
    if isinstance(source, Data) and source.form == "frame":
        source = named_columns.names_of(source)
    if not isinstance(source, Names) or len(node.generators) > 1:
        return None
    if not (isinstance(node.elt, ast.Name) and isinstance(generator.target, ast.Name)):
        return Names(None, source.deps) if _is_text(node.elt, generator.target) else None
    result = source
    for test in generator.ifs:
        gone = None
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq | ast.NotIn):
            value = machine.plain(machine.evaluate(test.comparators[0]))
            plain = isinstance(test.left, ast.Name) and test.left.id == node.elt.id
            gone = tabular.names_in(value) if plain else None
        if gone is None:
            return _patterned(source, generator) or Names(
                None, source.deps | _tested(machine, generator)
            )
        result = containers.names_without(result, gone)
    return result


def _patterned(source: Names, generator: ast.comprehension) -> Names | None:
    """Return names that are chosen by how they are spelt, None where anything else is asked."""
    assert isinstance(generator.target, ast.Name), "the caller looked"
    asked = [_asked(test, generator.target.id) for test in generator.ifs]
    tests = tuple(test for some in asked if some for test in some)
    if None in asked:
        return None
    if source.columns is not None and not source.columns.but:
        passing = (k for k in source.columns.names if named_columns.passes(k, Names(tests=tests)))
        return replace(source, columns=Columns(but=False, names=frozenset(passing)))
    if source.columns is not None:
        tests += tuple(("is", name, False) for name in sorted(source.columns.names))
    whole = source.columns is not None or source.whole
    return Names(None, source.deps, tests=(*source.tests, *tests), whole=whole)


def _asked(test: ast.expr, name: str) -> list[tuple[str, str, bool]] | None:
    """Return what a test asks of the text of a name: `c.startswith("lag_") and "id" not in c`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_asked(part, name) for part in test.values]
        return None if None in parts else [each for part in parts if part for each in part]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _asked(test.operand, name) or []
        return [(k, text, not wanted) for k, text, wanted in inner] if len(inner) == 1 else None
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and len(test.args) == 1:
        owner, kind = test.func.value, test.func.attr
        plain = isinstance(owner, ast.Name) and owner.id == name
        text = test.args[0]
        if plain and kind in {"startswith", "endswith"} and isinstance(text, ast.Constant):
            return [(kind, str(text.value), True)]
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test, name)
    return None


def _compared(test: ast.Compare, name: str) -> list[tuple[str, str, bool]] | None:
    op, left, right = test.ops[0], test.left, test.comparators[0]
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, ast.Constant):
        if isinstance(right, ast.Name) and right.id == name:
            return [("in", str(left.value), isinstance(op, ast.In))]
    elif isinstance(left, ast.Name) and left.id == name:
        texts: list[ast.expr] = [right] if isinstance(op, ast.NotEq) else []
        if isinstance(op, ast.NotIn) and isinstance(right, ast.List | ast.Tuple | ast.Set):
            texts = right.elts
        if texts and all(isinstance(text, ast.Constant) for text in texts):
            return [("is", str(text.value), False) for text in texts]  # type: ignore[attr-defined]
    return None


def _is_text(node: ast.expr, target: ast.expr) -> bool:
    """Return whether an expression makes a text of a name: `c.lower()`, `f"{c}_x"`, `c + "_x"`."""
    if isinstance(node, ast.Call):
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        return isinstance(own, ast.Name) and isinstance(target, ast.Name) and own.id == target.id
    return isinstance(node, ast.JoinedStr | ast.BinOp | ast.Constant)


def _tested(machine: Machine, generator: ast.comprehension) -> Deps:
    """Return what a choice of names by tests depends on: `if pvalues[c] < 0.05`."""
    saved = dict(machine.scope)
    machine.store(generator.target, AnyValue(machine.fresh(generator.target)))
    values = [machine.evaluate(test) for test in generator.ifs]
    machine.memory.scopes[-1] = saved
    return subscripts.selecting_any(machine, values)


def keyed(machine: Machine, node: ast.DictComp) -> Value:
    """Return the dict, or what stands for its values."""
    both = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    pairs = ast.copy_location(ast.ListComp(both, node.generators), node)
    listing = machine.get(listed(machine, pairs))
    if not isinstance(listing, Seq):
        return Dictionary()
    parts = [_pair(machine, item) for item in listing.parts()]
    if listing.each is None and all(isinstance(key, Const) for key, _ in parts):
        return Dictionary(tuple((key.value, v) for key, v in parts if isinstance(key, Const)))
    return Dictionary((), joined(machine.get(value) for _, value in parts))


def _pair(machine: Machine, value: Value) -> tuple[Value, Value]:
    """Return the key and the value of an item of a dict."""
    pair = machine.get(value)
    if isinstance(pair, Seq) and len(pair.items) == 2:
        return machine.get(pair.items[0]), pair.items[1]
    return AnyValue(), pair.each if isinstance(pair, Seq) and pair.each is not None else pair
