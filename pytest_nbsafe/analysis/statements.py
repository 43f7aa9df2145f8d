"""Walks simple statements: the names they bind, change, delete, and their lineage (Table 1)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_nbsafe.analysis import effects, functions, opaque
from pytest_nbsafe.analysis.cfg import DOUBTFUL, Builder, Raw, Visitors
from pytest_nbsafe.analysis.expressions import (
    condition,
    summarise_lambda,
    using,
    visit,
    visit_all,
)
from pytest_nbsafe.analysis.scopes import ClassFrame, root, stored_names, words


def suite(b: Builder, body: Sequence[ast.stmt]) -> None:
    """Walk statements one after another."""
    visitors = b.visitors
    for node in body:
        begin(b)
        visitors[type(node)](b, node)


def inner_suite(b: Builder, body: Sequence[ast.stmt]) -> int:
    """Walk the body of a branch or loop and return the block in which it ends."""
    b.depth += 1
    suite(b, body)
    b.depth -= 1
    return b.here


def begin(b: Builder) -> None:
    """Forget what the statement before has read."""
    b.reads, b.calls, b.walrus, b.changed = set(), set(), {}, {}


def record(b: Builder, node: ast.AST, kind: str = "", end: ast.AST | None = None) -> Raw:
    """Note what the statement just walked (or its header, up to `end`) reads and writes."""
    raw = Raw(node, b.here, b.reads, b.calls, kind=kind, end=end)
    for name, parents in b.walrus.items():
        raw.writes[name] = parents
        raw.kind = raw.kind or "walrus"
    if b.changed:
        raw.mutates = b.changed
        raw.kind = raw.kind or "mutation"
        b.changed = {}
    if not b.quiet and not b.in_class():
        b.statements.append(raw)
    return raw


# -- assignments ---------------------------------------------------------------------------------


def _assign(b: Builder, node: ast.Assign) -> None:
    value = node.value
    pairs = [_pairs(target, value) for target in node.targets]
    names = None
    if isinstance(value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
        functions.keep(b, summarise_lambda(b, value, node.targets[0].id))
        names = b.reads
    elif len(pairs) == 1 and pairs[0]:
        sources = [using(b, part) for _, part in pairs[0]]
    else:
        names = using(b, value)
    raw = record(b, node, "assign")
    if names is None:
        for (target, _), reads in zip(pairs[0], sources, strict=True):
            store(b, raw, target, reads, "assign")
        for target, part in pairs[0]:
            _note_aliases(b, [target], part)
        return
    whole = {part.id for part in (*node.targets, value) if isinstance(part, ast.Name)}
    raw.same = frozenset(whole) if len(whole) > 1 else frozenset()
    for target in node.targets:
        store(b, raw, target, names, "assign")
    _note_aliases(b, node.targets, value)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the element-wise pairs of `a, b = x, y`, empty when it is not such an assignment."""
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
        and not any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
    ):
        return list(zip(target.elts, value.elts, strict=True))
    return []


def store(b: Builder, raw: Raw, target: ast.expr, parents: set[str], kind: str) -> None:
    """Bind the names in a target, or change the object that it reaches into."""
    if isinstance(target, ast.Name):
        b.bind(target.id, target, kind)
        raw.writes[target.id] = raw.writes.get(target.id, set()) | parents
        _is_no_parent(raw, target.id)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            store(b, raw, element, parents, kind)
    elif isinstance(target, ast.Starred):
        store(b, raw, target.value, parents, kind)
    else:
        _store_into(b, raw, target, parents)


def _store_into(b: Builder, raw: Raw, target: ast.expr, parents: set[str]) -> None:
    """Change the object under a subscript or attribute target."""
    if opaque.stores_namespace(b, target):
        return
    before = b.reads
    b.reads = raw.reads
    names_within = using(b, target)
    b.reads = before
    _mutate(b, raw, target, parents | names_within)


def _mutate(
    b: Builder, raw: Raw, target: ast.expr, parents: set[str], kind: str = "mutation"
) -> None:
    bottom = root(target)
    if bottom is not None and b.mutate(bottom.id, bottom, kind):
        name = bottom.id
        raw.mutates[name] = raw.mutates.get(name, set()) | (parents - {name})
        raw.kind = raw.kind if raw.writes else "mutation"
        _is_no_parent(raw, name)


def _is_no_parent(raw: Raw, name: str) -> None:
    """Let `x = scaler.fit_transform(x)` not make the scaler older than what it was fitted on."""
    for changed, parents in raw.mutates.items():
        if changed != name:
            parents.discard(name)


def _note_aliases(b: Builder, targets: Sequence[ast.expr], value: ast.expr) -> None:
    """Note which functions a name may lead to (`g = f`, `lst = [f, h]`) and what made it."""
    held: list[ast.expr] = [value]
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        held = value.elts
    elif isinstance(value, ast.Dict):
        held = value.values
    elif isinstance(value, ast.Call):
        held = [*value.args, *(k.value for k in value.keywords)]
    names = {e.id for e in held if isinstance(e, ast.Name) and not b.known(e.id)}
    lambdas = {f"<lambda:{e.lineno}:{e.col_offset + 1}>" for e in held if isinstance(e, ast.Lambda)}
    maker = value.func if isinstance(value, ast.Call) else None
    for target in targets:
        if not isinstance(target, ast.Name) or b.function:
            continue
        if names or lambdas:
            b.aliases.setdefault(target.id, set()).update(names | lambdas)
        if isinstance(maker, ast.Name):
            b.makers.setdefault(target.id, set()).add(maker.id)
        elif isinstance(maker, ast.Attribute) and maker.attr == "partial":
            b.makers.setdefault(target.id, set()).add("partial")


def _augmented(b: Builder, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        b.read(target.id, target)
        visit(b, node.value)
        b.may_raise()
        raw = record(b, node, "augmented")
        b.bind(target.id, target, "augmented")
        raw.writes[target.id] = b.reads | {target.id}
        return
    visit(b, target)
    visit(b, node.value)
    raw = record(b, node, "mutation")
    _mutate(b, raw, target, b.reads)


def _annotated(b: Builder, node: ast.AnnAssign) -> None:
    names = using(b, node.value) if node.value is not None else set()
    own = isinstance(node.target, ast.Name)
    if not b.future and not (b.function and not b.in_class()):
        visit(b, node.annotation)
    if node.value is None:
        if not own:
            visit(b, node.target)
        elif b.function and not b.in_class():
            # it makes the name local, though nothing is bound: an event that is never reached
            here, block = b.here, b.new()
            b.start(block)
            b.bind(node.target.id, node.target, "annotation")  # type: ignore[union-attr]
            b.start(here)
        record(b, node)
        return
    raw = record(b, node, "annotation" if own else "")
    if isinstance(node.value, ast.Lambda) and own:
        _note_aliases(b, [node.target], node.value)
    store(b, raw, node.target, names, "annotation")


def _delete(b: Builder, node: ast.Delete) -> None:
    raw = record(b, node, "delete")
    for target in node.targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            names = list(stored_names(target))
        else:
            names = [target] if isinstance(target, ast.Name) else []
        for name in names:
            b.delete(name.id, name)
            raw.deletes.add(name.id)
        if not names:
            _store_into(b, raw, target, set())


def _expression(b: Builder, node: ast.Expr) -> None:
    value = node.value
    call = value.value if isinstance(value, ast.Await) else value
    b.dropped = call
    visit(b, value)
    raw = record(b, node)
    if not isinstance(call, ast.Call):
        return
    if _is_exit(call):
        b.raise_()
    elif isinstance(call.func, ast.Attribute) and not any(
        effects.changed_arguments(call, b.libraries)
    ):
        effect = effects.of_method(call, b.libraries, kept=False)
        if effect != "leaves":
            kind = "mutation" if effect == "changes" else DOUBTFUL
            _mutate(b, raw, call.func, set(b.reads), kind)


def _is_exit(call: ast.Call) -> bool:
    return words(call.func) == ["sys", "exit"]


# -- imports, and what leaves the path -----------------------------------------------------------


def _import(b: Builder, node: ast.Import | ast.ImportFrom) -> None:
    b.may_raise()
    raw = record(b, node, "import")
    for alias in node.names:
        if alias.name != "*":
            name = alias.asname or alias.name.partition(".")[0]
            b.bind(name, alias, "import")
            raw.writes[name] = set()


def _import_from(b: Builder, node: ast.ImportFrom) -> None:
    _import(b, node)
    if node.names[0].name == "*":
        b.suspicious |= b.function or b.in_class()
        opaque.note(b, node, opaque.star_import("." * node.level + (node.module or "")))
    if node.module == "__future__":
        b.suspicious = True
        b.future |= any(alias.name == "annotations" for alias in node.names)


def _return(b: Builder, node: ast.Return) -> None:
    if not b.function or b.in_class():
        b.suspicious = True
    if node.value is not None:
        b.returned |= using(b, node.value)
    record(b, node)
    if b.exit is None:
        b.exit = b.new()
    b.jump(b.exit, 0)
    b.stop()


def _raise(b: Builder, node: ast.Raise) -> None:
    visit_all(b, (node.exc, node.cause))
    record(b, node)
    b.raise_()


def _assert(b: Builder, node: ast.Assert) -> None:
    holds, fails = b.new(), b.new()
    condition(b, node.test, holds, fails)
    b.start(fails)
    if node.msg is not None:
        visit(b, node.msg)
    b.raise_()
    b.start(holds)
    record(b, node)


def _break(b: Builder, node: ast.Break | ast.Continue) -> None:
    if not b.loops:
        b.suspicious = True
        return
    after, head, level = b.loops[-1]
    b.jump(after if isinstance(node, ast.Break) else head, level)
    b.stop()


def _outside(b: Builder, node: ast.Global | ast.Nonlocal) -> None:
    """Note that names are not those of the scope itself."""
    b.suspicious = True
    frame = b.frames[-1] if b.frames else None
    if isinstance(frame, ClassFrame):
        frame.outside.update(node.names)
    elif isinstance(node, ast.Nonlocal):
        b.nonlocals.update(node.names)
    elif b.function:
        b.globals.update(node.names)


def _pass(b: Builder, node: ast.Pass) -> None:
    pass


def _type_alias(b: Builder, node: ast.AST) -> None:
    """Bind the name of `type X = ...`, whose value is only evaluated when asked for."""
    target: ast.Name = node.name  # type: ignore[attr-defined]
    raw = record(b, node, "assign")
    store(b, raw, target, set(), "assign")


SIMPLE: Visitors = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Delete: _delete,
    ast.Expr: _expression,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Break: _break,
    ast.Continue: _break,
    ast.Global: _outside,
    ast.Nonlocal: _outside,
    ast.Pass: _pass,
}
if hasattr(ast, "TypeAlias"):  # Python 3.12
    SIMPLE[ast.TypeAlias] = _type_alias
