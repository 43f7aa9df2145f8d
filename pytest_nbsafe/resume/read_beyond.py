"""Names that a run reads though its text does not: by code that its values hold, by texts in it.

An annotation of a function is read when it is defined. A table is asked `"v > @limit"`; a
dictionary, or an iterator, holds a lambda that reads `limit` when it is called. Where a value holds
code, all that is read by code of the cells counts that the value has come from, step by step: from
what was made of values in which there is no code none comes.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from pytest_nbsafe import patterns
from pytest_nbsafe.kernel.contract import CODE, HOME, CellRun, Fingerprint
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.questions import parsed
from pytest_nbsafe.resume.state import Held, State, is_tied, names_of, runs_of
from pytest_nbsafe.resume.text_patterns import may_change_all

_IN_TEXTS = patterns.compile(r"@[ \t]*([^\W\d]\w*)")
_ANNOTATED = patterns.compile(r"->|:[ \t]*[^\W\d]")
"""Texts that may hold an annotation."""
_CLASS = patterns.compile(r"^[ \t]*class[ \t]+([^\W\d]\w*)", 8)
_WORD = patterns.compile(r"[^\W\d]\w*")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMELESS = (ast.Lambda, ast.GeneratorExp)
_PAUSES = (ast.Yield, ast.YieldFrom, ast.Await)
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_FOLLOWED = frozenset({"function", "type", "method", "module", "abc.ABCMeta"})
"""Kinds of values whose code the kernel follows itself, where a text mentions them."""


def _runs_later(node: ast.AST) -> bool:
    return isinstance(node, (*_FUNCTIONS, *_NAMELESS, ast.ClassDef))


def read_beyond(
    texts: Sequence[str], event: CellRun, past: Sequence[PastRun], state: State
) -> frozenset[str]:
    """Return the names of a state that a run may have read without a word.

    `texts` are its own and those of the functions that it called.
    """
    if _finds_home(event):
        return frozenset(names_of(state))
    words = {word for text in texts for word in _IN_TEXTS.findall(text)}
    words.update(*map(_annotations, texts))
    if any(_holds_objects(held) for held in event["before"].values()):
        words.update(*(_CLASS.findall(run.source) for run in past))
    return frozenset((words | _words_held(event, past, state, _runs_later)) & state.keys())


def changed_beyond(
    texts: Sequence[str], event: CellRun, past: Sequence[PastRun], state: State
) -> frozenset[str]:
    """Return the names of a state that a run may have changed without a word.

    By lambdas that its values hold, or functions that go on there (of others with a name it is told
    that they were called), or by looking for names itself; `texts` are its own and those of the
    functions that it called.
    """
    if may_change_all(*texts) or _finds_home(event):
        return frozenset(name for name, held in state.items() if is_tied(name, held))
    return frozenset(_words_held(event, past, state, _runs_untold) & state.keys())


def texts_of_lambdas(event: CellRun, past: Sequence[PastRun], state: State) -> list[str]:
    """Return the texts with a lambda of the cells that made the functions which a run has found."""
    found = [n for n, held in event["before"].items() if held["kind"] == "function" and n in state]
    makers = _makers(state[name] for name in found)
    return [run.source for run in past if run.entry in makers and "lambda" in run.source]


def words_of_code_in(
    names: Iterable[str],
    past: Sequence[PastRun],
    state: State,
    counts: Callable[[ast.AST], bool] = _runs_later,
) -> frozenset[str]:
    """Return what code that counts reads which is in the values of these names, or may be."""
    holders = [name for name in names if name in state and _holds_code(state, name)]
    later = _later_words(past, counts) if holders else {}
    makers = _makers(state[name] for name in holders)
    return frozenset[str]().union(*(later.get(entry, ()) for entry in makers))


def words_of_code_in_settings(past: Sequence[PastRun]) -> frozenset[str]:
    """Return what code reads that cells may have put into settings or modules: any may call it."""
    setters = [place for place, run in enumerate(past) if _may_put_code(run)]
    later = _later_words(past[: setters[-1] + 1], _runs_later) if setters else {}
    return frozenset[str]().union(*(later[past[place].entry] for place in setters))


def _may_put_code(run: PastRun) -> bool:
    """Return whether a run has changed settings that may hold code of the notebook then."""
    inputs = run.inputs
    states = inputs["states"] if inputs is not None else {}
    return inputs is not None and not all(map(states.get, inputs["settings"]))


def _finds_home(event: CellRun) -> bool:
    """Return whether a run has found what holds all names of the notebook."""
    return any(held["kind"] == HOME for held in event["before"].values())


def _words_held(
    event: CellRun, past: Sequence[PastRun], state: State, counts: Callable[[ast.AST], bool]
) -> frozenset[str]:
    """Return what code that counts reads which is in the values that a run has found.

    And what code reads that cells may have put into settings or modules, with nobody told when
    that runs.
    """
    words = words_of_code_in(event["before"], past, state, counts)
    setters = [place for place, run in enumerate(past) if run.changes_settings]
    untold = _later_words(past[: setters[-1] + 1], _runs_untold) if setters else {}
    return words.union(*(untold[past[place].entry] for place in setters))


def _holds_objects(found: Fingerprint) -> bool:
    """Return whether a value may hold objects of classes of the notebook, of which it is a part."""
    is_code = found["kind"] in _FOLLOWED
    return found["kind"].startswith("__main__.") or (CODE in found["hash"] and not is_code)


def _holds_code(state: State, name: str) -> bool:
    held = state[name]
    is_unknown = not held.hash and is_tied(name, held)
    return held.kind not in _FOLLOWED and (CODE in held.hash or is_unknown)


def _may_hold_code(held: Held) -> bool:
    """Return whether code of the notebook may be in a value, or follow from what it is."""
    return not held.hash or CODE in held.hash or held.kind in _FOLLOWED


def _later_words(
    past: Sequence[PastRun], counts: Callable[[ast.AST], bool]
) -> Mapping[str, frozenset[str]]:
    """Return, by the entries of runs, what code reads that may be in the values that they made."""
    later: dict[str, frozenset[str]] = {}
    for run in past:
        read = (run.before[name] for name in run.reads if name in run.before)
        makers = _makers(held for held in read if _may_hold_code(held))
        later[run.entry] = _words_of_code(run.source, counts).union(
            *(later[maker] for maker in makers & later.keys())
        )
    return later


def _makers(values: Iterable[Held]) -> set[str]:
    """Return the entries of the runs that have made values."""
    return {entry for held in values for entry in runs_of(held.maker)}


def _runs_untold(node: ast.AST) -> bool:
    """Return whether code runs, or goes on, with nobody told that it does."""
    if isinstance(node, _FUNCTIONS):
        return any(isinstance(inner, _PAUSES) for inner in ast.walk(node))
    return isinstance(node, _NAMELESS)


@lru_cache(maxsize=2_000)
def _annotations(text: str) -> frozenset[str]:
    """Return the names that annotations in a text read."""
    tree = parsed(text)
    held = (
        part
        for node in (ast.walk(tree) if tree is not None and _ANNOTATED.search(text) else ())
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if part is not None
    )
    return frozenset(
        inner.id for part in held for inner in ast.walk(part) if isinstance(inner, ast.Name)
    )


@lru_cache(maxsize=2_000)
def _words_of_code(text: str, counts: Callable[[ast.AST], bool]) -> frozenset[str]:
    """Return the names that code reads which stands in a text, and counts."""
    tree = parsed(text)
    if tree is None:
        return frozenset(_WORD.findall(text))
    return frozenset().union(*(_names_outside(node) for node in ast.walk(tree) if counts(node)))


def _names_outside(code: ast.AST) -> set[str]:
    """Return the names that code reads or sets and that are not its own, as arguments are."""
    try:
        waiting = [symtable.symtable(ast.unparse(code), "<code>", "exec")]
    except _UNPARSABLE:
        return {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}
    names = set[str]()
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        is_inner = table.get_type() == "function"
        names.update(
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_global() or (symbol.is_referenced() and not is_inner)
        )
    return names
