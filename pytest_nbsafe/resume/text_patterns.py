"""Which texts of cells reach past the names that they mention: by magics, or by names in texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_nbsafe import patterns
from pytest_nbsafe.resume.words import words_of

_MULTILINE = 8
"""`re.MULTILINE`, without `re`."""
_MAGIC = r"^[ \t]*[%!]|=[ \t]*[%!]"
_SHELL = r"\bget_ipython\b"
_HOME_BY_NAME = (
    r"\b(?:user_ns|user_global_ns|__main__|dill|ipytest|getmodule)\b"
    r"|\bsys\.modules[ \t]*(?:\.|\[[ \t]*(?!['\"]))|\bmodules\[[ \t]*__name__"
    r"|\b(?:import_module|__import__)\([ \t]*__name__"
)
"""How a text gets at all names of the notebook: by the module that holds them."""
_HOME_OF_CODE = r"\b(?:__globals__|f_globals|f_locals)\b"
"""How it gets at them by a function, or by a frame."""
_LISTED = r"^[ \t]*%?who(?:s|_ls)?\b|(?<![\w.])__annotations__\b"
"""How it asks which names there are."""

# at its start alone: a magic below leaves no text of Python, each character of which counts anyway
_LITERAL = patterns.compile(
    rf"[;?]|{_MAGIC}|{_SHELL}|\b(?:getsource|getsourcelines|findsource|__doc__)\b"
)
_COMMANDS = patterns.compile(rf"{_MAGIC}|{_SHELL}", _MULTILINE)
_EFFECTS = patterns.compile(
    rf"{_MAGIC}|{_SHELL}|^[ \t]*(?:import\b|from\b)|\bimport_module\b", _MULTILINE
)
_LISTS = patterns.compile(
    rf"\b(?:globals|locals|vars|dir)\(\)|{_HOME_BY_NAME}|{_LISTED}"
    r"|\b(?:getsizeof|getrefcount|asizeof|tracemalloc)\b",
    _MULTILINE,
)
_READS_ALL = patterns.compile(
    rf"\b(?:exec|globals|locals|vars|dir)\b|\beval\b(?!\([ \t]*\))|{_HOME_BY_NAME}|{_HOME_OF_CODE}"
    r"|\bunittest\.main\b|\bexit[ \t]*=[ \t]*False\b|\bloadTestsFrom(?:Module|Names?)\b"
    r"|\b(?:testmod|DocTestFinder|cProfile)\b|\bprofile\.run|\bin[ \t]+(?:\w+\.)?modules\b"
    rf"|{_LISTED}|\b__subclasses__\b|\.e[xv]\(|\bget_type_hints\b"
    r"|^[ \t]*%run[ \t][^\n]*-[a-z]*i\b",
    _MULTILINE,
)
_CHANGES_ALL = patterns.compile(
    r"(?<![\w.])(?:exec|eval|globals|locals)\b|(?<![\w.])vars\(\s*\)|\bbuiltins\.e(?:xec|val)\b"
    rf"|{_HOME_BY_NAME}|{_HOME_OF_CODE}"
    r"|\bget_(?:objects|referrers)\b|\bget_ipython\(\)\.e[xv]\b|^[ \t]*%run\b"
    r"|\b(?:_{1,3}|_\d+|Out)\b[ \t]*[.\[]|[(,=][ \t]*(?:_{1,3}|_\d+|Out)\b(?![ \t]*[,)=])",
    _MULTILINE,
)
_HOLDS_ON = patterns.compile(
    r"\b(?:__del__|finalize)\b|(?m:^[ \t]+@(?:\w+\.)?(?:lru_cache|cache)\b)|(?<![\w.])id\("
)
_TELLS_LINES = patterns.compile(
    r"lineno|traceback|exc_info|\.exception\(|currentframe|_getframe|getframeinfo|findCaller"
    r"|\binspect\s*\.\s*(?:stack|trace)\b|\brecord[ \t]*=[ \t]*True"
)
_NAMES_SOMETHING = patterns.compile(
    r"\.names?[ \t]*=(?!=)|\bsetattr\(|\b_?set_names\(|\b(?:index|columns)\.rename\("
)
_AXES = patterns.compile(r"\b(?:index|columns|axes|levels|keys)\b|Index\b")
"""Together in a text: it may rename, in place, an axis that tables of pandas share."""


def is_literal(text: str) -> bool:
    """Return whether each character of a text may count, and not only what Python makes of it."""
    return _LITERAL.search(text) is not None


def has_commands(text: str) -> bool:
    """Return whether a text may ask the shell to do what no value shows."""
    return _COMMANDS.search(text) is not None


def may_have_effects(text: str) -> bool:
    """Return whether a text may do what no value shows: it imports something, or has commands."""
    return _EFFECTS.search(text) is not None


def tells_lines(*texts: str) -> bool:
    """Return whether texts may have anything tell on which line of a cell something stands."""
    return any(map(_TELLS_LINES.search, texts))


def lists_names(*texts: str) -> bool:
    """Return whether texts may ask which names there are, or how values lie in memory.

    Of the names that IPython numbers, too.
    """
    return any(map(_LISTS.search, texts))


def cannot_be_loaded_beside(texts: Iterable[str]) -> bool:
    """Return whether texts make what holds on to values, so that none may be others.

    They have something run when an object is given up: where it was loaded, or another is given up
    than was, that would run amiss. A method keeps its results, which a class leads to, and is kept
    itself by its name alone. Or where an object lies was noted, and what is loaded lies elsewhere.
    """
    return any(map(_HOLDS_ON.search, texts))


def reads_all(*texts: str) -> bool:
    """Return whether texts may read names that they do not mention, or change what those hold."""
    return any(map(_READS_ALL.search, texts)) or renames_axis(*texts)


def may_change_all(*texts: str) -> bool:
    """Return whether texts may change what names hold that they do not mention."""
    return any(map(_CHANGES_ALL.search, texts)) or renames_axis(*texts)


def renames_axis(*texts: str, axes: Collection[str] = ()) -> bool:
    """Return whether texts may rename an axis: of all tables that have it, wherever they are held.

    Those are not followed as sharing objects: nothing else of an axis can change. `axes` are the
    names that hold one.
    """
    return any(
        _NAMES_SOMETHING.search(text)
        and (_AXES.search(text) or not words_of(text).isdisjoint(axes))
        for text in texts
    )
