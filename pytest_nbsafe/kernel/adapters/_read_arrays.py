"""Which arrays of numbers a cell only reads, by its text, so that they need not be compared again.

Nobody but its name holds such an array. So a cell changes it only where it writes to it, or gives
away what shows its memory (a slice does): each mention has to stand where neither can be.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Iterable
from typing import Any

from ..tracing.names import all_bound
from ..tracing.read_only_uses import words

_FACTS = words("dtype itemsize nbytes ndim shape size")
_VIEWS = words("T imag real")
_METHODS = words(
    """
    all any argmax argmin argsort clip copy cumprod cumsum dot item max mean min nonzero prod round
    searchsorted std sum tobytes tolist trace var
    """
)
_FUNCTIONS = words(
    """
    all allclose any argmax argmin argpartition argsort argwhere array array_equal average bincount
    clip column_stack concatenate copy corrcoef count_nonzero cov cross cumprod cumsum diff digitize
    dot empty_like flatnonzero full_like gradient histogram hstack inner interp isclose isin kron
    max mean median min nanmax nanmean nanmedian nanmin nanpercentile nanquantile nanstd nansum
    nanvar nonzero ones_like outer percentile polyfit prod quantile repeat roll searchsorted sort
    stack std sum tensordot tile trace unique var vstack where zeros_like

    cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_rank norm pinv qr slogdet solve svd
    fft fftfreq fftshift ifft irfft rfft rfftfreq
    """
)
"""What gives something new, whatever arrays it is given."""
_MOST = {"clip": 3, "diff": 1, "histogram": 1, "interp": 3, "where": 3}
"""How many arguments surely stand for no place to write to, and are not given back: 2 of others."""
_MODULES = frozenset({"numpy", "numpy.linalg", "numpy.fft"})
_TELLING = words("bool float int len print repr str")
_BUILTINS = words("abs sum")
_OF_PLAIN = words("enumerate list max min range reversed round sorted tuple zip")
_WRITING = words("buf copy n out overwrite_input")
_SHOWN = re.compile(r"_+\d*")
_NUMBERS = (int, float, complex, bool, str, type(None))
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare)
_MADE_OF_PARTS = (ast.Tuple, ast.List, ast.Dict, ast.Slice)


def is_flat(value: Any) -> bool:
    """Tell whether a value is an array of numbers or fixed texts, in memory of its own."""
    numpy = sys.modules["numpy"]
    return type(value) is numpy.ndarray and value.flags.owndata and value.dtype.kind in "biufcmMSU"


def only_looked_at(
    tree: ast.Module, names: Iterable[str], home: dict[str, Any], deferred: set[str]
) -> set[str]:
    """Return those names of such arrays that a cell's text does not change.

    Code that runs later may bind `deferred` names to something else.
    """
    mentioning = _mentioning(tree)
    mentioned = mentioning.keys()
    if any(map(_SHOWN.fullmatch, mentioned)):  # what a cell has shown may be a part of one
        return set()
    free = all_bound(tree) | deferred
    held = {name: home[name] for name in mentioned - free if name in home}
    own = free | home.keys()
    return {
        name
        for name in {*names} & held.keys()
        if _Reader(name, mentioning[name], held, own, deferred).reads(tree)
    }


def _mentioning(tree: ast.AST) -> dict[str, set[int]]:
    """Return, by name, the nodes of a tree in which it stands, by their identities."""
    parents = {id(node): outer for outer in ast.walk(tree) for node in ast.iter_child_nodes(outer)}
    found: dict[str, set[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            nodes = found.setdefault(node.id, set())
            around: ast.AST | None = node
            while around is not None and id(around) not in nodes:
                nodes.add(id(around))
                around = parents.get(id(around))
    return found


class _Reader:
    """Reads a cell for one array, `name`.

    `mentioning` are the identities of the nodes in which it stands. `held` is what names held
    before that nothing binds since; `own` are all names of the notebook. `made` are those that the
    cell has bound to numbers, texts, new arrays and the like by then.
    """

    def __init__(
        self,
        name: str,
        mentioning: set[int],
        held: dict[str, Any],
        own: set[str],
        deferred: set[str],
    ) -> None:
        self.name, self.mentioning = name, mentioning
        self.held, self.own, self.deferred = held, own, deferred
        self.array = sys.modules["numpy"].ndarray
        self.made: set[str] = set()

    def reads(self, tree: ast.Module) -> bool:
        """Tell whether the whole cell only reads the array."""
        return all(map(self.statement, tree.body))

    def mentions(self, node: ast.AST) -> bool:
        return id(node) in self.mentioning

    # ------------------------------------------------------------ statements

    def statement(self, node: ast.stmt) -> bool:
        """Tell whether a statement only reads the array; note what it has made."""
        amid = (n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        self.made -= {target.id for target in amid}
        if isinstance(node, ast.Assign):
            return self.apart(node.value) and all(self.bind(t, node.value) for t in node.targets)
        if isinstance(node, ast.For):
            goes = self.apart(node.iter) and not self.mentions(node.target)
            return goes and self.block([*node.body, *node.orelse], node.target, node.iter)
        if isinstance(node, ast.If):
            return self.apart(node.test) and self.block([*node.body, *node.orelse])
        if isinstance(node, ast.With):
            goes = not any(map(self.mentions, node.items))
            return goes and self.block(node.body)
        self.made -= all_bound(node)
        if isinstance(node, ast.Expr):
            return self.apart(node.value) or self.shows(node.value)
        if isinstance(node, ast.AugAssign):
            return self.apart(node.value) and not self.mentions(node.target)
        return not self.mentions(node)

    def block(
        self, body: list[ast.stmt], target: ast.expr | None = None, values: ast.expr | None = None
    ) -> bool:
        """Tell it of statements that may run several times or never, `target` being one of values.

        What they make holds only in them: at most what they leave alone is as it was afterwards.
        """
        for node in body:
            self.made -= all_bound(node)
        before = {*self.made}
        goes = target is None or values is None or self.bind(target, values)
        goes = goes and all(map(self.statement, body))
        self.made = before - (all_bound(target) if target is not None else set())
        return goes

    def bind(self, target: ast.expr, value: ast.expr) -> bool:
        """Note that what is bound is plain, if the value is; tell whether the array is spared."""
        names = all_bound(target)
        is_plain = self.is_plain(value)
        self.made = self.made | (names - self.deferred) if is_plain else self.made - names
        return not self.mentions(target)

    # ------------------------------------------------------------ expressions

    def shows(self, node: ast.expr) -> bool:
        """Tell whether an expression gives the array, or what may show its memory."""
        if isinstance(node, ast.Name):
            return node.id == self.name
        if isinstance(node, ast.Attribute):
            return node.attr in _VIEWS and self.shows(node.value)
        if isinstance(node, ast.Subscript):
            return self.shows(node.value) and self.is_plain(node.slice)
        return False

    def apart(self, node: ast.expr) -> bool:
        """Tell whether an expression leaves the array alone, and shares nothing with it."""
        if not self.mentions(node) or self.is_plain(node):
            return True
        if isinstance(node, ast.FormattedValue):
            has_form = node.format_spec is None or self.apart(node.format_spec)
            return has_form and self.is_apart_or_shown(node.value)
        if isinstance(node, ast.Call) and self.is_builtin(node.func, _TELLING):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            return all(map(self.is_apart_or_shown, arguments))
        if isinstance(node, ast.ListComp):
            return self.of_each(node, self.apart)
        whole = ast.Call, ast.Attribute, ast.Subscript, ast.JoinedStr, ast.IfExp, ast.BoolOp
        if isinstance(node, (*whole, *_OPERATIONS, *_MADE_OF_PARTS)):
            return all(map(self.apart, _parts(node)))
        return False

    def is_apart_or_shown(self, node: ast.expr) -> bool:
        return self.apart(node) or self.shows(node)

    def is_builtin(self, node: ast.expr, known: frozenset[str]) -> bool:
        """Tell whether an expression is one of some functions of Python, by its name."""
        return isinstance(node, ast.Name) and node.id in known and node.id not in self.own

    def of_each(self, node: ast.ListComp, tell: Any) -> bool:
        """Tell something of what a comprehension makes of each plain value."""
        (loop, *more) = node.generators
        if more or loop.is_async or not self.is_plain(loop.iter):
            return False
        before = {*self.made}
        goes = self.bind(loop.target, loop.iter) and all(map(self.apart, loop.ifs))
        goes = bool(goes and tell(node.elt))
        self.made = before
        return goes

    def is_plain(self, node: ast.expr) -> bool:
        """Tell whether an expression gives numbers, texts, new arrays and the like, made of such.

        Nothing else may meet the array in an operation: its class could write to it.
        """
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.made or (node.id != self.name and self.held_plain(node.id))
        if isinstance(node, _OPERATIONS):
            return all(map(self.is_read, _parts(node)))
        if isinstance(node, _MADE_OF_PARTS):
            return all(map(self.is_plain, _parts(node)))
        if isinstance(node, ast.JoinedStr):
            return all(map(self.is_plain, node.values))
        if isinstance(node, ast.FormattedValue):
            return all(map(self.is_read, _parts(node)))
        if isinstance(node, ast.ListComp):
            return self.of_each(node, self.is_plain)
        if isinstance(node, ast.Attribute):
            if node.attr in _FACTS:
                return self.is_read(node.value)
            return node.attr in _VIEWS and self.is_plain(node.value)
        if isinstance(node, ast.Subscript):
            copies = self.is_mask(node.slice) and self.shows(node.value)
            return (copies or self.is_plain(node.value)) and self.is_plain(node.slice)
        return isinstance(node, ast.Call) and self.is_plain_call(node)

    def is_read(self, node: ast.expr) -> bool:
        return self.shows(node) or self.is_plain(node)

    def held_plain(self, name: str) -> bool:
        kind = type(self.held.get(name, self))
        return kind is self.array or any(kind is each for each in _NUMBERS)

    def is_mask(self, node: ast.expr) -> bool:
        """Tell whether what picks is an array itself: what it picks is copied."""
        if isinstance(node, ast.Name):
            return self.is_array(node)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Invert) and self.is_mask(node.operand)
        if isinstance(node, ast.BinOp):
            is_logic = isinstance(node.op, (ast.BitAnd, ast.BitOr))
            return is_logic and self.is_mask(node.left) and self.is_mask(node.right)
        of_arrays = (self.shows(part) or self.is_array(part) for part in _parts(node))
        return isinstance(node, ast.Compare) and any(of_arrays)

    def is_array(self, node: ast.expr) -> bool:
        value: Any = self.held.get(node.id) if isinstance(node, ast.Name) else None
        return type(value) is self.array and value.ndim > 0

    # ------------------------------------------------------------ calls

    def is_plain_call(self, node: ast.Call) -> bool:
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in _WRITING or not self.is_plain(keyword.value):
                return False
        function = node.func
        if isinstance(function, ast.Name):
            if self.is_builtin(function, _BUILTINS | _TELLING):
                return all(map(self.is_read, node.args))
            return self.is_builtin(function, _OF_PLAIN) and all(map(self.is_plain, node.args))
        if not isinstance(function, ast.Attribute):
            return False
        module = self.module(function.value)
        if module is not None:
            most = _most(module, function.attr)
            return len(node.args) <= most and all(map(self.is_given, node.args))
        return self.is_plain_method(function, node.args)

    def is_plain_method(self, function: ast.Attribute, arguments: list[ast.expr]) -> bool:
        of, word = function.value, function.attr
        if not all(map(self.is_read, arguments)):
            return False
        if isinstance(of, ast.Constant):
            return word in {"format", "join"}
        if not self.is_read(of) or word not in _METHODS:
            return False
        if word == "round" and self.shows(of) and self.held[self.name].dtype.kind not in "fc":
            return False  # of whole numbers some versions give the very array
        return len(arguments) <= (2 if word == "clip" else 1)

    def is_given(self, node: ast.expr) -> bool:
        """Tell it of an argument, which may be several arrays to be joined."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(map(self.is_read, node.elts))
        return self.is_read(node)

    def module(self, node: ast.expr) -> types.ModuleType | None:
        """Return the module of the library that an expression is, if it is one."""
        found: Any = None
        if isinstance(node, ast.Name):
            found = self.held.get(node.id)
        elif isinstance(node, ast.Attribute):
            outer = self.module(node.value)
            found = vars(outer).get(node.attr) if outer is not None else None
        is_known = type(found) is types.ModuleType and found.__name__ in _MODULES
        return found if is_known else None


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the expressions that one is made of."""
    keywords = [keyword.value for keyword in getattr(node, "keywords", ())]
    return [*keywords, *(n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))]


def _most(module: types.ModuleType, word: str) -> int:
    """Return how many arguments of a function are surely only read, -1 if it is not known."""
    function = vars(module).get(word)
    if type(function) is sys.modules["numpy"].ufunc:
        return int(function.nin)  # type: ignore[union-attr]  # such a function
    return _MOST.get(word, 2) if word in _FUNCTIONS else -1
