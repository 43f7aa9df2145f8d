"""Goes through a cell and notes what a second run would find changed, and not undone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property, partial

from pytest_nbsafe.analysis import effects, syntax, trees
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.rerun_hazards import repeated_assignments, repeated_calls
from pytest_nbsafe.analysis.rerun_hazards.object_classes import class_at
from pytest_nbsafe.analysis.rerun_hazards.repeated_calls import (
    CONVERTS,
    REPEATS,
    UNKNOWN,
    Kind,
    Second,
)
from pytest_nbsafe.analysis.rerun_hazards.symbol_paths import (
    ANY,
    Path,
    dropped,
    is_at,
    labels,
    names,
    names_and_calls,
    path_of,
    stored_labels,
)
from pytest_nbsafe.analysis.scopes import last_word, root, stored_names
from pytest_nbsafe.values import dataclass

_COPYING = frozenset({"copy", "deepcopy", "clone"})
_GROWING = frozenset({"append", "appendleft", "extend", "insert", "add", "heappush"})
_SHRINKING = frozenset({"pop", "popleft", "popitem", "remove", "heappop"})
_PLACES = frozenset({"set_index", "reset_index"})
_UNIQUE = frozenset({"set", "fromkeys", "drop_duplicates", "unique", "Counter"})
_SORTS = frozenset({"sort", "sorted", "sort_values", "sort_index"})


@dataclass(frozen=True, slots=True)
class Change:
    """What a statement does to a name that comes from another cell.

    `does` continues "a second run of this cell ...". `method` is what is called to do it, "" for
    an assignment or `del`.
    """

    name: str
    node: ast.stmt
    does: str
    kind: Kind
    method: str


class Walk:
    """Notes the changes of some names in the statements of a cell.

    `remade`: names that the cell has made again, or that nothing can be said of any more; `paths`:
    the same of symbols under a name. `derived`: which of the names each name is made from here.
    `loops` are the variables of the loops around the present statement, `copies` the names that
    hold a copy made in a loop: of what, and the variables of that loop. `near` are, for each name,
    the functions and methods in all statements that mention it.
    """

    def __init__(self, graph: Graph, cell: int, watched: frozenset[str]) -> None:
        self.graph = graph
        self.cell = cell
        self.watched = watched
        self.tree = trees.of(graph, cell)
        self.remade: set[str] = set()
        self.paths: set[Path] = set()
        self.derived: dict[str, set[str]] = {}
        self.converted: set[Path] = set()
        self.loops: list[set[str]] = []
        self.copies: dict[str, tuple[str, set[str]]] = {}
        self.used: set[str] = set()
        self.near: dict[str, set[str]] = {}
        self.changes: list[Change] = []
        self.body(self.tree.body)

    @cached_property
    def stored(self) -> dict[str, set[object]]:
        """The labels that the cell stores under each name."""
        return stored_labels(self.tree, self.watched)

    def callee(self, func: ast.expr) -> str:
        """Return the full name of what is called."""
        return syntax.full_name(self.graph, func, self.cell)

    def is_live(self, name: str) -> bool:
        """Tell whether a name still holds what another cell left in it."""
        return name in self.watched and name not in self.remade

    def add(self, name: str, node: ast.stmt, second: Second, it: str, method: str = "") -> None:
        """Note a change; one that a second run does not notice only by its method."""
        if second.kind == "unknown" and not method:
            return
        does = second.does.replace("{it}", f"`{it}`")
        self.changes.append(Change(name, node, does, second.kind, method))

    # -- statements --------------------------------------------------------------------------

    def body(self, statements: Iterable[ast.stmt], *, looped: bool = False) -> None:
        """Go through statements one after another."""
        for node in statements:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.remade.add(node.name)
            elif isinstance(node, ast.With | ast.AsyncWith):
                targets = [i.optional_vars for i in node.items if i.optional_vars is not None]
                self.remade.update(name.id for target in targets for name in stored_names(target))
                self.body(node.body, looped=looped)
            elif isinstance(node, ast.For | ast.AsyncFor):
                self.loop(node, {name.id for name in stored_names(node.target)})
            elif isinstance(node, ast.If | ast.While):
                self.branching(node, looped=looped)
            elif hasattr(node, "handlers") or isinstance(node, ast.Match):
                self.guarded(node)
            else:
                self.simple(node)

    def branching(self, node: ast.If | ast.While, *, looped: bool) -> None:
        """Go into `if` or `while`.

        One that asks about what the cell changes keeps a second run from doing it twice, and so may
        any `if` outside a loop; inside a loop it picks elements.
        """
        asks = any(map(self.is_live, names(node.test)))
        if asks or (isinstance(node, ast.If) and not looped):
            self.guarded(node)
        elif isinstance(node, ast.While):
            self.loop(node, set())
            self.body(node.orelse, looped=looped)
        else:
            self.body([*node.body, *node.orelse], looped=True)

    def loop(self, node: ast.While | ast.For | ast.AsyncFor, variables: set[str]) -> None:
        """Go into the body of a loop."""
        self.remade |= variables
        self.loops.append(variables)
        self.body(node.body, looped=True)
        self.loops.pop()

    def guarded(self, node: ast.stmt) -> None:
        """Let what may not run make names again, so that nothing is said of them after it."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.remade.add(part.id)
            elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
                self.paths.add(path_of(part))

    def simple(self, node: ast.stmt) -> None:
        """Go through a statement that holds no others."""
        self.graph.budget.spend(5)
        if isinstance(node, ast.Delete):
            self.delete(node)
            return
        used, called = names_and_calls(node)
        self.used = used
        if used.isdisjoint(self.watched) and used.isdisjoint(self.derived):
            return
        for call in called:
            self.call(node, call)
        for name in used & self.watched if called else ():
            words = {last_word(call.func) for call in called}
            self.near.setdefault(name, set()).update(words)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple | ast.List):
                    self.unpack(node, target)
                else:
                    self.bind(node, target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.bind(node, node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self.augmented(node)

    # -- assignments -------------------------------------------------------------------------

    def bind(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        """Judge `x = ...`, `x['k'] = ...` and `x.a = ...`."""
        bottom = root(target)
        if bottom is None:
            return
        name, path = bottom.id, path_of(target)
        if isinstance(target, ast.Name):
            self.note_copy(name, value)
        second = REPEATS
        if self.is_live(name) and path not in self.paths:
            second = UNKNOWN
            if self.goes_on(name, target, value):
                second = Second("shifts", f"goes on from where the first run left `{name}`")
            elif not self.is_derived(name) and not self.is_counted_anew(path):
                second = repeated_assignments.second(value, partial(is_at, path), self.callee)
            called = _method_of(value)
            if self.puts_back(name, value, second) or self.is_restored(target, second):
                second = UNKNOWN
            elif isinstance(value, ast.BinOp) and self.is_set_difference(
                target, value.op, value.right
            ):
                second = REPEATS
            elif second.kind != "unknown":
                self.add(name, node, second, ast.unparse(target), called)
        if not isinstance(target, ast.Name):
            self.paths |= {path} if second.kind == "unknown" else set()
            return
        self.derive([name])
        if second.kind == "unknown" or name not in self.watched:
            self.remade.add(name)

    def note_copy(self, name: str, value: ast.expr) -> None:
        """Note `before = x.copy()` in a loop, for an `x` that comes from another cell."""
        self.copies.pop(name, None)
        source = _copied(value)
        if self.loops and self.is_live(source):
            self.copies[name] = source, self.loops[-1]

    def goes_on(self, name: str, target: ast.expr, value: ast.expr) -> bool:
        """Tell whether a loop computes a name from a copy of its own state, run after run.

        Not where the loop takes one part after another (`df[c] = before[c] - m`).
        """
        if not self.copies or not isinstance(value, ast.BinOp):
            return False
        used, at = names(value), names(target)
        return any(
            source == name and copy in used and at.isdisjoint(variables)
            for copy, (source, variables) in self.copies.items()
        )

    def is_restored(self, target: ast.expr, second: Second) -> bool:
        """Tell whether what the second run hangs on is put right before it comes here.

        A table makes a column of whatever is stored in it.
        """
        path = path_of(target)
        if second == CONVERTS:
            self.converted.add(path)
            return False
        stored = second.because == "object" and not isinstance(target, ast.Name)
        return stored or (bool(second.because) and path in self.converted)

    def is_counted_anew(self, path: Path) -> bool:
        """Tell whether this is an index that the cell has made again with `reset_index`."""
        return path[1:] == ("index",) and "reset_index" in self.near.get(str(path[0]), ())

    def is_set_difference(self, target: ast.expr, op: ast.operator, other: ast.expr) -> bool:
        """Tell whether a set loses elements (`words -= stopwords`), which it can do twice."""
        if not isinstance(op, ast.Sub) or isinstance(other, ast.Constant):
            return False
        if isinstance(other, ast.Set | ast.SetComp):
            return True
        return isinstance(target, ast.Name) and class_at(self.graph, target, self.cell) == "set"

    def unpack(self, node: ast.Assign, target: ast.Tuple | ast.List) -> None:
        """Judge `x, y = train_test_split(x)`; else nothing is known."""
        value = node.value
        bound = [name.id for name in stored_names(target)]
        if isinstance(value, ast.Call) and self.callee(value.func).endswith("train_test_split"):
            given = {a.id for a in value.args if isinstance(a, ast.Name)}
            split = Second("shifts", "splits {it} again, which is already a part")
            for name in filter(self.is_live, bound):
                if name in given:
                    self.add(name, node, split, name)
        self.derive(bound)
        self.remade.update(bound)

    def augmented(self, node: ast.AugAssign) -> None:
        """Judge `x += ...`, also of a symbol under the name."""
        bottom = root(node.target)
        if bottom is None or not self.is_live(bottom.id):
            return
        path = path_of(node.target)
        if self.is_counted_anew(path):
            return
        parts = (part for part in ast.walk(node.value) if isinstance(part, ast.expr))
        again = any(is_at(path, part) for part in parts)
        if path not in self.paths and not again and not self.is_derived(bottom.id):
            second = repeated_assignments.operation(node.op, node.value)
            if not self.is_set_difference(node.target, node.op, node.value):
                self.add(bottom.id, node, second, ast.unparse(node.target))

    def derive(self, bound: Iterable[str]) -> None:
        """Note from which of the watched names these are made by the present statement."""
        sources = self.used & self.watched
        sources.update(*(self.derived.get(name, set()) for name in self.used))
        for name in bound:
            self.derived[name] = sources - {name}

    def is_derived(self, name: str) -> bool:
        """Tell whether the statement uses what this cell makes from the name: `x - x_mean`."""
        derived = self.derived
        return any(name in derived[other] for other in self.used if other in derived)

    def puts_back(self, name: str, value: ast.expr, second: Second) -> bool:
        """Tell whether the cell stores the labels that are taken out here, before or after."""
        takes_out = second.kind == "raises" and isinstance(value, ast.Call)
        return takes_out and self.stores(name, dropped(value))  # type: ignore[arg-type] # a Call

    def stores(self, name: str, keys: list[object]) -> bool:
        """Tell whether the cell puts one of these keys (any, if none) into a name's object."""
        stored = self.stored.get(name, set())
        return bool(stored) and (not keys or ANY in stored or not stored.isdisjoint(keys))

    # -- calls and del -----------------------------------------------------------------------

    def call(self, node: ast.stmt, call: ast.Call) -> None:
        """Judge a method that changes its object, or a function that changes an argument."""
        func = call.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name | ast.Subscript):
            bottom = root(func.value)
            if bottom is not None and self.is_live(bottom.id):
                second, it = self.method(call, func, bottom.id), ast.unparse(func.value)
                self.add(bottom.id, node, second, it, func.attr)
        libraries = self.graph.notebook.libraries
        for argument in effects.changed_arguments(call, libraries):
            if isinstance(argument, ast.Name) and self.is_live(argument.id):
                last, second = repeated_calls.in_place_function(call, libraries)
                self.add(argument.id, node, second, argument.id, last)

    def method(self, call: ast.Call, func: ast.Attribute, name: str) -> Second:
        """Return what a method of a name comes to the second time."""
        if effects.is_in_place(call):
            second = repeated_calls.rebound(call, func)
            unsure = self.is_derived(name) or name in names(ast.Tuple(call.args, ast.Load()))
            return UNKNOWN if unsure or self.puts_back(name, call, second) else second
        if path_of(func.value) in self.paths:
            return UNKNOWN
        second = repeated_calls.in_place_method(self.graph, self.cell, call, func)
        if second.kind == "raises" and self.stores(name, dropped(call)):
            return UNKNOWN
        return second

    def delete(self, node: ast.Delete) -> None:
        """Judge `del x` and `del x['k']`."""
        for target in node.targets:
            bottom = root(target)
            if bottom is None or not self.is_live(bottom.id):
                continue
            name, it = bottom.id, ast.unparse(target)
            if isinstance(target, ast.Name):
                if name in self.graph.cells[self.cell].removed:
                    self.add(name, node, Second("raises", "raises NameError: {it} is gone"), it)
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                keys = labels(target.slice)
                if keys and isinstance(keys[0], str) and not self.stores(name, keys):
                    self.add(name, node, Second("raises", "raises KeyError: {it} is gone"), it)

    # -- changes that the cell does not undo itself ----------------------------------------------

    def lasting(self) -> Iterator[Change]:
        """Yield the changes that matter and that the cell does not undo itself."""
        for change in self.changes:
            called = [c.method for c in self.changes if c.name == change.name]
            beside = self.near.get(change.name, set())
            if not change.does or _is_undone(change.method, called, beside):
                continue
            if change.kind == "grows" and not beside.isdisjoint(_UNIQUE):
                continue
            same = [c for c in self.changes if (c.name, c.does) == (change.name, change.does)]
            if change.kind != "turns" or (len(same) == 1 and beside.isdisjoint(_SORTS)):
                yield change


def _copied(node: ast.expr) -> str:
    """Return the name that is copied by `x.copy()` or `np.copy(x)`, "" if none is."""
    if isinstance(node, ast.Call) and _method_of(node) in _COPYING:
        copied = [*node.args, node.func.value][0]  # type: ignore[attr-defined] # a method
        return copied.id if isinstance(copied, ast.Name) else ""
    return ""


def _method_of(node: ast.expr) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else ""


def _is_undone(method: str, called: list[str], near: set[str]) -> bool:
    """Tell whether a cell that calls all these puts back what one of them takes out."""
    if method in {"reset_index", "insert"} and "drop" in near:
        return True
    if method == "shuffle":
        return not near.isdisjoint(_SORTS)
    if method in _GROWING | _SHRINKING:
        return not _GROWING.isdisjoint(called) and not _SHRINKING.isdisjoint(called)
    if method in _PLACES:
        return _PLACES.issubset(called)
    return False
