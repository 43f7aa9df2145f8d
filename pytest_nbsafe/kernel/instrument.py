"""Puts hooks into a cell's syntax tree without changing what it does or where it stands.

Two phases: `plan` reads the tree and may fail; `apply` only inserts, so that a tree is changed
wholly or not at all. A module-level statement gets a hook before it, a function one at its entry.
Lambdas have none: a hook in a lambda could not be caught where the lambda is unpickled in a
process that has no hooks. Functions meant for a compiler of their own (numba) have none either.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .recorder import Recorder, Slot
from .targets import bound_names, global_names, header

BEGIN = "__nbsafe_begin__"
FLAGS = "__nbsafe_on__"
HITS = "__nbsafe_hits__"

if TYPE_CHECKING:  # Python 3.8 cannot evaluate these
    FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
    Block = list[ast.stmt]
    Edit = tuple[Block, int, ast.stmt]

_COMPILED = frozenset(
    {
        "jit",
        "njit",
        "vectorize",
        "guvectorize",
        "stencil",
        "cfunc",
        "jitclass",
        "overload",
        "script",
    }
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_STRAIGHT = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Pass)


class Plan:
    """The insertions for one tree: (block, index, statement), and the functions it defines."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.functions: list[FunctionNode] = []

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
    functions: bool = True,
) -> Plan:
    """Return the hooks for a cell's tree; `line_of` maps its lines to the cell's own."""
    found = Plan()
    planner = _Planner(recorder, run, line_of, found)
    planner.block(tree.body, in_loop=False)
    for node in function_nodes(tree):
        found.functions.append(node)
    if functions and not mentions_numba(tree):
        for node in hookable(tree):
            planner.function(node)
    found.edits.sort(key=lambda edit: edit[1])
    return found


def function_nodes(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield every function definition of a tree, whatever it is nested in."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def hookable(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield the functions that may have a hook: those that no foreign compiler reads."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if any(_is_compiled(decorator) for decorator in node.decorator_list):
                continue
            if not isinstance(node, ast.ClassDef):
                yield node
        waiting.extend(ast.iter_child_nodes(node))


def mentions_numba(tree: ast.AST) -> bool:
    """Tell whether the text imports numba: any plain function may then be compiled by it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            roots = [node.module or ""]
        else:
            continue
        if any(root.split(".")[0] == "numba" for root in roots):
            return True
    return False


def _is_compiled(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        return decorator.attr in _COMPILED
    return isinstance(decorator, ast.Name) and decorator.id in _COMPILED


class _Planner:
    def __init__(
        self, recorder: Recorder, run: int, line_of: Callable[[int], int], found: Plan
    ) -> None:
        self.recorder = recorder
        self.run = run
        self.line_of = line_of
        self.found = found

    def block(self, body: Block, *, in_loop: bool) -> int:
        """Plan the hooks of a block and what it holds; return the first hook, -1 for none."""
        first = -1
        for index, group in _groups(body, in_loop=in_loop):
            inner = -1
            head = group[0]
            looping = in_loop or isinstance(head, _LOOPS)
            for number, block in enumerate(_inner_blocks(head)):
                hook = self.block(block, in_loop=looping)
                inner = hook if number == 0 else inner
            entered = inner if isinstance(head, _LOOPS) else -1
            slots = tuple(self._slot(statement, entered, in_loop=in_loop) for statement in group)
            hook = self.recorder.reserve(slots)
            first = hook if first < 0 else first
            text = f"{BEGIN}({hook})"
            if in_loop:
                text = f"if {FLAGS}[{hook}]: {text}"
            self.found.edits.append((body, index, _at(text, head)))
        return first

    def function(self, node: FunctionNode) -> None:
        """Plan the hook at a function's entry; nothing in it can raise but a missing name."""
        index = 1 if _is_docstring(node.body[0]) else 0
        place = node.body[min(index, len(node.body) - 1)]
        line, names = self.line_of(place.lineno), global_names(node)
        slot = Slot(self.run, line, place.col_offset, line, maybe=names)
        hook = self.recorder.reserve((slot,))
        text = (
            f"try:\n if {FLAGS}[{hook}]:\n  {FLAGS}[{hook}] = 0\n  {HITS}.append({hook})\n"
            "except NameError: pass"
        )
        self.found.edits.append((node.body, index, _at(text, place)))

    def _slot(self, node: ast.stmt, entered: int, *, in_loop: bool) -> Slot:
        sure, maybe = bound_names(node)
        end = getattr(node, "end_lineno", None) or node.lineno
        return Slot(
            self.run,
            self.line_of(node.lineno),
            node.col_offset,
            self.line_of(end),
            sure,
            maybe,
            entered,
            quiet=in_loop and not _calls(node),
        )


def _groups(body: Block, *, in_loop: bool) -> Iterator[tuple[int, list[ast.stmt]]]:
    """Yield (index, statements) that share one hook.

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
    return iter(groups)


def _is_straight(node: ast.stmt) -> bool:
    if not isinstance(node, _STRAIGHT):
        return False
    return not _calls(node)


def _calls(node: ast.stmt) -> bool:
    """Tell whether a statement's own text calls something."""
    calling = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(inner, calling) for inner in header(node))


def _inner_blocks(node: ast.stmt) -> Iterator[Block]:
    """Yield the blocks of a module-level compound statement that run at module level."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and block:
            yield block
    for field in ("handlers", "cases"):
        for part in getattr(node, field, ()):
            yield part.body


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _at(text: str, place: ast.stmt) -> ast.stmt:
    """Return the statement that `text` says, standing where `place` stands."""
    (statement,) = ast.parse(text).body
    for node in ast.walk(statement):
        if isinstance(node, (ast.stmt, ast.expr, ast.ExceptHandler)):
            node.lineno = node.end_lineno = place.lineno
            node.col_offset = node.end_col_offset = place.col_offset
    return statement
