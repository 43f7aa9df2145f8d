"""Everything that the text of one cell says: the entry to the analysis."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import cast

from pytest_nbsafe.analysis import definitions, liveness
from pytest_nbsafe.analysis.branches import BRANCHES
from pytest_nbsafe.analysis.cfg import (
    BIND,
    DELETE,
    DOUBTFUL,
    GUARDED,
    MAYBE,
    MUTATE,
    Builder,
    Cfg,
    LiveRead,
    Raw,
    Summary,
)
from pytest_nbsafe.analysis.exceptions import EXCEPTIONS
from pytest_nbsafe.analysis.model import (
    Call,
    CellAnalysis,
    Definition,
    DefinitionKind,
    Fault,
    Function,
    Opaque,
    Span,
    Statement,
    Use,
)
from pytest_nbsafe.analysis.nested import NESTED
from pytest_nbsafe.analysis.statements import SIMPLE, suite
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.notebook.source import Escape, to_python
from pytest_nbsafe.values import replace

_VISITORS = {**SIMPLE, **BRANCHES, **EXCEPTIONS, **NESTED}

_NOTHING: Mapping[str, frozenset[str]] = {}
_NO_CODE = SyntaxError, RecursionError, MemoryError, ValueError, OverflowError
"""What parsing raises; surrogates are values that are wrong."""


def analyse(
    cell: Cell,
    python_major: int = 3,
    shadowed: frozenset[str] = frozenset(),
    libraries: str = "",
    *,
    future: bool = False,
) -> CellAnalysis:
    """Return what one code cell reads, binds, calls and may do unseen.

    `shadowed` are names of builtins that the notebook binds somewhere: reads of them count.
    `libraries` is what the user says of libraries, as JSON text. Where `future`, annotations are
    not evaluated.
    The same source is analysed once in a process, as long as it is among the latest.

    Raises:
        CutShort: it is too much for one cell.

    """
    try:
        analysis = _analysed(cell.source, python_major, shadowed, libraries, future)
    except _NO_CODE as error:
        return CellAnalysis(cell.number, fault=_fault(error, cell.source, python_major))
    return replace(analysis, cell=cell.number)


def fault_of(cell: Cell, python_major: int = 3) -> Fault | None:
    """Return why the code of a cell cannot be parsed, None where it can."""
    try:
        parse(to_python(cell.source).text)
    except _NO_CODE as error:
        return _fault(error, cell.source, python_major)
    return None


@lru_cache(maxsize=1024)
def _analysed(
    source: str,
    python_major: int,
    shadowed: frozenset[str],
    libraries: str,
    future: bool,  # noqa: FBT001 - a cached function is asked by position
) -> CellAnalysis:
    """Return the analysis of a source, of whatever cell; what raises is not remembered."""
    python = to_python(source)
    builder = Builder(_VISITORS)
    builder.python_major, builder.shadowed, builder.libraries = python_major, shadowed, libraries
    builder.future = future
    suite(builder, parse(python.text).body)
    if builder.suspicious:
        _compile(parse(python.text))
    return _result(source, builder, python.text, python.escapes)


# -- parsing -------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def parse(text: str) -> ast.Module:
    """Return the tree of a cell's Python; a cell may await at its top level, as in IPython.

    The latest are kept, for most rules look at the tree of a cell soon after its analysis.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, "<cell>", "exec", flags, dont_inherit=True)
    assert isinstance(tree, ast.Module), "compile gave the tree that it was asked for"
    return tree


def _compile(tree: ast.Module) -> None:
    """Let Python itself say what its parser lets pass, such as `return` outside a function.

    IPython compiles one statement after the other, so that an import from `__future__` may follow
    others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in tree.body:
            module = ast.Module([statement], [])
            compile(module, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def _fault(error: Exception, source: str, python_major: int) -> Fault:
    if isinstance(error, RecursionError):
        return Fault(1, 1, "the code is nested too deeply to be analysed")
    if isinstance(error, MemoryError):
        return Fault(1, 1, "the code is too large or nested too deeply to be parsed")
    if not isinstance(error, SyntaxError):
        return Fault(1, 1, f"the code cannot be parsed: {error}")
    lines = source.split("\n")
    line = max(1, min(error.lineno or 1, len(lines)))
    column = max(1, min(error.offset or 1, len(lines[line - 1]) + 1))
    message = error.msg or "invalid syntax"
    if python_major == 2:
        message = f"not Python 3 (the notebook says Python 2): {message}"
    return Fault(line, column, message)


# -- from events to values -----------------------------------------------------------------------


class Places:
    """Turns nodes into spans: lines and columns from 1, columns in characters, inside the cell."""

    def __init__(self, source: str, text: str) -> None:
        self.lines = source.split("\n")
        self.ascii = text.isascii()
        self.text = text.split("\n") if not self.ascii else []

    def span(self, node: ast.AST, end: ast.AST | None = None) -> Span:
        """Return where a node stands, or what runs from its start to the end of another."""
        first, offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
        stop = end or node
        last = getattr(stop, "end_lineno", None) or first
        end_offset = getattr(stop, "end_col_offset", None)
        line, column = self._place(first, offset)
        end_line, end_column = self._place(last, 1 << 30 if end_offset is None else end_offset)
        least = column + 1 if line == end_line else 1
        return Span(line, column, end_line, max(end_column, least))

    def _place(self, line: int, offset: int) -> tuple[int, int]:
        line = max(1, min(line, len(self.lines)))
        if not self.ascii and line <= len(self.text):
            offset = len(self.text[line - 1].encode()[:offset].decode(errors="ignore"))
        return line, min(offset, len(self.lines[line - 1])) + 1


def _result(source: str, b: Builder, text: str, escapes: Iterable[Escape]) -> CellAnalysis:
    places = Places(source, text)
    cfg = b.cfg()
    flow = liveness.flow(cfg)
    ends = definitions.ends(cfg)
    magic = {(escape.line, name) for escape in escapes for name in escape.binds}
    return CellAnalysis(
        cell=0,
        uses=tuple(
            _use(name, read, places)
            for name, read in sorted(flow.uses.items(), key=lambda use: liveness.place(use[1].node))
        ),
        dead=ends.dead,
        definitions=_definitions(cfg, ends, places, magic),
        statements=tuple(_statement(raw, places) for raw in b.statements if cfg.reached[raw.block]),
        functions=_functions(b.functions, places),
        calls=tuple(
            Call(c.name, places.span(c.node), not c.flags & MAYBE, c.bound, c.method)
            for c in flow.calls
        ),
        opaque=tuple(Opaque(places.span(node), cause) for node, cause in b.opaque),
        sure=ends.sure,
        leaves=ends.leaves,
        removed=ends.removed,
        replaced=ends.bound,
        index=flow.bits,
        aliases=_frozen(b.aliases),
        made_by=_frozen(b.makers),
    )


def _use(name: str, read: LiveRead, places: Places) -> Use:
    certain, guarded = not read.flags & MAYBE, bool(read.flags & GUARDED)
    return Use(name, places.span(read.node), certain, guarded)


def _definitions(
    cfg: Cfg, ends: definitions.Ends, places: Places, magic: set[tuple[int, str]]
) -> tuple[Definition, ...]:
    placed: dict[tuple[int, str], tuple[tuple[int, int], Definition]] = {}
    for events in cfg.events:
        for what, name, node, _, kind in events:
            if what not in (BIND, DELETE, MUTATE) or (id(node), name) in placed:
                continue
            if what == BIND:
                sure = name in ends.bound
                by_magic = (liveness.place(node)[0], name) in magic
                shown = "magic" if by_magic else kind
            else:
                sure = name in (ends.removed if what == DELETE else ends.changed)
                shown = kind
            doubtful = shown == DOUBTFUL
            kind_of = cast("DefinitionKind", "mutation" if doubtful else shown)
            definition = Definition(name, places.span(node), kind_of, sure, doubtful)
            placed[id(node), name] = (liveness.place(node), definition)
    in_order = (
        placed.values() if len(cfg.events) == 1 else sorted(placed.values(), key=itemgetter(0))
    )
    return tuple(definition for _, definition in in_order)


def _statement(raw: Raw, places: Places) -> Statement:
    return Statement(
        span=places.span(raw.node, raw.end),
        reads=frozenset(raw.reads),
        writes=_frozen(raw.writes),
        mutates=_frozen(raw.mutates),
        deletes=frozenset(raw.deletes),
        calls=frozenset(raw.calls),
        same=raw.same,
        kind=raw.kind,
    )


def _frozen(sets: Mapping[str, set[str]]) -> Mapping[str, frozenset[str]]:
    return {name: frozenset(names) for name, names in sets.items()} if sets else _NOTHING


def _functions(summaries: Mapping[str, list[Summary]], places: Places) -> Mapping[str, Function]:
    return {name: _function(namesakes, places) for name, namesakes in summaries.items()}


def _function(namesakes: list[Summary], places: Places) -> Function:
    """Return one value for all functions of a cell that share a name (in branches, say)."""
    reads: dict[str, LiveRead] = {}
    for summary in namesakes:
        for name, read in summary.reads.items():
            flags = read.flags | (MAYBE if len(namesakes) > 1 else 0)
            reads.setdefault(name, LiveRead(read.node, flags))
    last = namesakes[-1]
    calls = frozenset(name for s in namesakes for name in s.calls)
    return Function(
        name=last.name,
        span=places.span(last.node),
        reads={name: _use(name, read, places) for name, read in reads.items()},
        returns=frozenset(name for s in namesakes for name in s.returns),
        writes=frozenset(name for s in namesakes for name in s.writes),
        calls=calls,
        parameters=last.parameters,
        sure_calls=frozenset(
            name for name in calls if all(not s.calls.get(name, MAYBE) & MAYBE for s in namesakes)
        ),
        changes=frozenset(name for s in namesakes for name in s.changes),
        rebinds=frozenset(name for s in namesakes for name in s.rebinds),
        own_calls=frozenset(name for s in namesakes for name in s.own_calls),
        inner=frozenset(name for s in namesakes for name in s.inner),
        later=all(s.later for s in namesakes),
        methods=_functions(last.methods, places),
    )
