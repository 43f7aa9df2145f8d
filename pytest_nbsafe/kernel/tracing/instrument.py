"""Puts hooks into a cell's syntax tree without changing what it does or where it stands.

Two phases: `plan` reads the tree and may fail; `apply` only inserts, so that a tree is changed
wholly or not at all. Statements of a module-level block get a hook before them, functions one at
their entry. A statement of the module itself has a hook in the tree only where it is not run by
itself (IPython runs a cell's statements one by one, see `Plan.tops`). Where the interpreter tells
of lines and functions (`monitored`), the tree is left alone but for blocks whose lines hold more
than one statement.

Lambdas have none: a hook in a lambda could not be caught where the lambda is unpickled in a
process that has no hooks. Functions meant for a compiler of their own (numba) have none in the
tree either.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..hashing.function_texts import first_line
from .names import (
    DEFINITIONS,
    bound_names,
    global_names,
    header,
    parts_of,
    statements,
    without_statements,
)
from .recorder import Recorder, Slot

BEGIN = "__nbsafe_begin__"
FLAGS = "__nbsafe_on__"
HITS = "__nbsafe_hits__"

if TYPE_CHECKING:  # Python 3.8 cannot evaluate these
    FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
    Block = list[ast.stmt]
    Edit = tuple[Block, int, ast.stmt]

_COMPILED = frozenset(
    {
        "jit", "njit", "vectorize", "guvectorize", "stencil", "cfunc", "jitclass", "overload",
        "script",
    }
)  # fmt: skip
_NO_LINES: dict[int, int] = {}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SIMPLE = frozenset({ast.Assign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom})
_STRAIGHT = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Pass)


class Top(NamedTuple):
    """A statement of the module: its hook (-1: none), and the hooks of lines inside it."""

    hook: int
    lines: dict[int, int]


class TreeHooks:
    """The hooks of one tree.

    `edits` are insertions: (block, index, statement). `functions` are the functions that it
    defines, `entries` the hooks of those that are told of by name and first line. `tops` are the
    module's statements in order, where they are not hooked in the tree.
    """

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.functions: list[FunctionNode] = []
        self.entries: dict[tuple[str, int], int] = {}
        self.tops: list[Top] = []

    def apply(self) -> None:
        """Insert everything; later indexes first, so that the earlier ones stay right."""
        for block, index, statement in reversed(self.edits):
            block.insert(index, statement)


def plan(
    tree: ast.Module,
    recorder: Recorder,
    run: int,
    line_of: Callable[[int], int],
    *,
    text: str = "def :=",
    functions: bool = True,
    direct: bool = False,
    monitored: bool = False,
) -> TreeHooks:
    """Return the hooks for a cell's tree; `line_of` maps its lines to the cell's own.

    `text` is what the tree was made of: what it has nothing of is not looked for.
    `direct`: each statement of the module is run by itself, and its start told by who runs it.
    """
    hooks = TreeHooks()
    planner = _Planner(recorder, run, line_of, hooks, monitored, walrus=":=" in text)
    if direct:
        hooks.tops.extend(map(planner.top, tree.body))
    else:
        planner.insert(planner.block(tree.body, in_loop=False))
    if "def" in text:
        hooks.functions.extend(function_nodes(tree))
    if functions and monitored:
        for node in hooks.functions:
            hooks.entries[node.name, first_line(node)] = planner.entry(node)
    elif functions and hooks.functions:
        for node in hookable(tree):
            planner.function(node)
    hooks.edits.sort(key=lambda edit: edit[1])
    return hooks


def function_nodes(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield every function definition of a tree, whatever it is nested in."""
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def hookable(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield the functions that may have a hook: those that no foreign compiler reads."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            if any(_is_compiled(decorator) for decorator in node.decorator_list):
                continue
            if not isinstance(node, ast.ClassDef):
                yield node
        waiting += parts_of(node)


def _is_compiled(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        return decorator.attr in _COMPILED
    return isinstance(decorator, ast.Name) and decorator.id in _COMPILED


class _Hooked(NamedTuple):
    """A statement inside a block that begins a hook: where it stands, and in a loop or not."""

    body: Block
    place: int
    head: ast.stmt
    hook: int
    in_loop: bool


class _Planner(NamedTuple):
    recorder: Recorder
    run: int
    line_of: Callable[[int], int]
    hooks: TreeHooks
    monitored: bool
    walrus: bool

    def top(self, statement: ast.stmt) -> Top:
        """Plan the hooks of a statement of the module that is run by itself."""
        if type(statement) in _SIMPLE:
            if _is_future(statement):
                return Top(-1, _NO_LINES)
            slot = self._slot(statement, -1, in_loop=False)
            return Top(self.recorder.reserve((slot,)), _NO_LINES)
        hook, inner = self.group([statement], in_loop=False)
        lines = _lines(statement, inner) if self.monitored and inner else {}
        if not lines:
            self.insert(inner)
        return Top(hook, lines)

    def block(self, body: Block, *, in_loop: bool) -> list[_Hooked]:
        """Return the hooked statements of a block and of what it holds, itself first."""
        hooked = []
        for index, group in _groups(body, in_loop=in_loop):
            hook, inner = self.group(group, in_loop=in_loop)
            hooked += [_Hooked(body, index, body[index], hook, in_loop), *inner]
        return hooked

    def group(self, group: list[ast.stmt], *, in_loop: bool) -> tuple[int, list[_Hooked]]:
        """Return the hook of statements that run straight on, and the hooked ones inside them."""
        head, entered = group[0], -1
        inner: list[_Hooked] = []
        for number, block in enumerate(_inner_blocks(head)):
            hooked = self.block(block, in_loop=in_loop or isinstance(head, _LOOPS))
            if number == 0 and hooked and isinstance(head, _LOOPS):
                entered = hooked[0].hook
            inner += hooked
        slots = tuple(self._slot(statement, entered, in_loop=in_loop) for statement in group)
        return self.recorder.reserve(slots), inner

    def insert(self, hooked: list[_Hooked]) -> None:
        """Plan hooks in the tree."""
        for body, place, head, hook, in_loop in hooked:
            text = f"{BEGIN}({hook})"
            if in_loop:
                text = f"if {FLAGS}[{hook}]: {text}"
            self.hooks.edits.append((body, place, _at(text, head)))

    def entry(self, node: FunctionNode) -> int:
        """Return the hook of a function."""
        place = _entry(node)[1]
        line, names = self.line_of(place.lineno), global_names(node)
        implicit = bool(node.decorator_list) or node.name.startswith("__") or _goes_on(node)
        slot = Slot(self.run, line, place.col_offset, line, maybe=names, implicit=implicit)
        return self.recorder.reserve((slot,))

    def function(self, node: FunctionNode) -> None:
        """Plan the hook at a function's entry; nothing in it can raise but a missing name."""
        index, place = _entry(node)
        hook = self.entry(node)
        text = (
            f"try:\n if {FLAGS}[{hook}]:\n  {FLAGS}[{hook}] = 0\n  {HITS}.append({hook})\n"
            "except NameError: pass"
        )
        self.hooks.edits.append((node.body, index, _at(text, place)))

    def _slot(self, node: ast.stmt, entered: int, *, in_loop: bool) -> Slot:
        sure, maybe = bound_names(node, walrus=self.walrus)
        first, last = node.lineno, node.end_lineno or node.lineno
        line = self.line_of(first)
        return Slot(
            self.run,
            line,
            node.col_offset,
            line if last == first else self.line_of(last),
            sure,
            maybe,
            entered,
            quiet=in_loop and not _calls(node),
        )


def _entry(node: FunctionNode) -> tuple[int, ast.stmt]:
    """Return the index in a function's body that follows the docstring, and what stands there."""
    index = 1 if ast.get_docstring(node, clean=False) is not None else 0
    return index, node.body[min(index, len(node.body) - 1)]


def _lines(top: ast.stmt, hooked: list[_Hooked]) -> dict[int, int]:
    """Return the hook of each line inside a statement; nothing where a line would have several.

    A line that evaluates part of a header (a test, a pattern, an exception's class) belongs to
    that header.
    """
    hooks: dict[int, int] = {}
    spans = [(inner.hook, _span(inner.head)) for inner in hooked]
    spans += [(-1, _span(top)), *((-1, span) for span in _clauses(top))]
    for hook, span in spans:
        for line in span:
            if hooks.setdefault(line, hook) != hook:
                return {}
    return {line: hook for line, hook in hooks.items() if hook >= 0}


def _span(node: ast.stmt) -> range:
    """Return the lines that run when a statement begins: of a compound one, its header's."""
    last = node.end_lineno or node.lineno
    if isinstance(node, DEFINITIONS):
        return range(first_line(node), last + 1)
    if any(_inner_blocks(node)):
        ends = [getattr(part, "end_lineno", None) or 0 for part in header(node)]
        last = max([node.lineno, *ends])
    return range(node.lineno, last + 1)


def _clauses(node: ast.stmt) -> Iterator[range]:
    """Yield the lines of the clauses inside a statement that evaluate something of their own."""
    waiting: list[ast.AST] = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (*DEFINITIONS, ast.expr)):
            continue
        waiting.extend(ast.iter_child_nodes(inner))
        if isinstance(inner, ast.ExceptHandler):
            end = inner.type.end_lineno if inner.type is not None else None
            yield range(inner.lineno, (end or inner.lineno) + 1)
        elif type(inner).__name__ == "match_case":  # Python 3.10 and later
            parts: list[Any] = without_statements(inner)
            yield range(parts[0].lineno, parts[-1].end_lineno + 1)


def _groups(body: Block, *, in_loop: bool) -> list[tuple[int, list[ast.stmt]]]:
    """Return (index, statements) that share one hook.

    In a loop, statements that call nothing run straight on after the one before: they need no
    hook of their own. Elsewhere each statement has one, for it costs nothing there.
    """
    groups: list[tuple[int, list[ast.stmt]]] = []
    for index, statement in enumerate(body):
        if _is_future(statement):
            continue
        if in_loop and groups and _is_straight(statement) and _is_straight(groups[-1][1][-1]):
            groups[-1][1].append(statement)
        else:
            groups.append((index, [statement]))
    return groups


def _is_straight(node: ast.stmt) -> bool:
    return isinstance(node, _STRAIGHT) and not _calls(node)


def _calls(node: ast.stmt) -> bool:
    """Tell whether a statement's own text calls something."""
    calling = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(inner, calling) for inner in header(node))


def _goes_on(node: FunctionNode) -> bool:
    """Tell whether a function may be a generator, which goes on with nobody calling it."""
    return any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(node))


def _inner_blocks(node: ast.stmt) -> list[Block]:
    """Return the blocks of a module-level compound statement that run at module level."""
    if isinstance(node, DEFINITIONS):
        return []
    blocks = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    clauses = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    return [block for block in (*blocks, *(clause.body for clause in clauses)) if block]


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _at(text: str, place: ast.stmt) -> ast.stmt:
    """Return the statement that `text` says, standing where `place` stands."""
    (statement,) = ast.parse(text).body
    for node in ast.walk(statement):
        if isinstance(node, (ast.stmt, ast.expr, ast.ExceptHandler)):
            node.lineno = node.end_lineno = place.lineno
            node.col_offset = node.end_col_offset = place.col_offset
    return statement
