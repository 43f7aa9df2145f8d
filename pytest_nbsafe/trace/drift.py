"""Differences between texts that prove nothing: another version of a library makes them, too.

Such are the same words and numbers in another order (rows of a merge, ties, columns), numbers that
differ in their last places, the same contents printed otherwise (dtypes, arrays, dots where a
table is cut), and exceptions of what a library has not yet, or no more. That the value is an old
one is then only one of two reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.text_alone import text_lines
from pytest_nbsafe.values import replace

_CLOSE = 5e-4
"""How far numbers with decimals lie apart at most, that solvers and summing may tell apart."""
_NOTHING = 1e-9
"""Below this a number is what rounding leaves of zero."""
_DIGITS = 6
_LONG = 5
_AT_LENGTH = 4
"""How many settings an object has at least that was once shown with all of them."""
_SMALL = 1e-3
"""Shares and chances below this are what is left of a fit."""
_MOST = 2_000_000
_ATOM = patterns.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)"
    r"|[^\W\d]\w*|\d+|\.\.\.|…|[^\s\w'\"()\[\]{},:;.\\|<>-]"
)
_DATA = patterns.compile(r"'[^']*'|\"[^\"]*\"|\d+")
_RESULT = patterns.compile(r"(\w+)\((\w+=[^=]*(?:, \w+=[^=]*)*)\)")
_FIELD = patterns.compile(r"=([^,()]+)")
_OBJECT = patterns.compile(r"([A-Z]\w*)\((.*)\)")
_SETTING = patterns.compile(r"(\w+)=\s*([^\s,()]+)")
_WORD = patterns.compile(r"\w+")
_SMALL_NUMBER = patterns.compile(r"\d\d?\.0")
_MODULE = patterns.compile(r"\b(?:[^\W\d]\w*\.)+(?=[^\W\d])")
_PRINTED = patterns.compile(
    r"^ *# +Column +Non-Null.*|^[- ]*$|^ *\d+ +(?=\S.* non-null\b)"
    r"|\bmemory usage: .*|\b00:00:00\b|\(?dtypes?: .*|^<\w+Array>$"
    r"|\bfreq=(?:'[^']*'|\w+)|\b(?:Freq|Length): [^,]{0,80}, (?=.{0,200}\bdtype)"
    r"|\bclosed='(?:left|right|both|neither)'|(?<=\w), (?:left|right|both|neither)(?=\])"
)
"""What a library adds to the values: how much and of which kind there is, what it is called."""
_TITLE = patterns.compile(r"\bName: (\w+), (?=.{0,200}\bdtype)")
"""What a column is called: below it, above it, or nowhere, as the version has it."""
_TRUTHS = {"true": 1.0, "false": 0.0}
"""Dummies of categories were numbers, and are truths."""
_MISSING = frozenset({"nan", "none", "nat", "na", "null"})
_OF_THE_PAGE = frozenset(
    {"AssertionError", "IndexError", "NameError", "RecursionError", "UnboundLocalError"}
    | {"KeyboardInterrupt", "ZeroDivisionError"}
)
"""Exceptions that hang on what the cells hold, hardly on a library."""
_CUT = frozenset({"...", "…"})


class _Number(NamedTuple):
    value: float
    whole: bool


_Atom = str | _Number
Drift = Literal["", "order", "print"]
"""Whether two texts differ in order alone, or in print and last places, or otherwise."""


def by_python(saved: Sequence[Output], new: Sequence[Output], *, unordered: bool) -> Drift:
    """Return what another version of Python may have done, where two texts differ by no more.

    It words exceptions otherwise; and dicts were `unordered` before 3.7.
    """
    before, after = map(text_lines, _worded_alike(saved, new))
    if before == after or _raises_otherwise(saved, new, _is_of_python):
        return "print"
    moved = unordered and Counter(_words(before)) == Counter(_words(after))
    return "order" if moved else ""


def by_library(saved: Sequence[Output], new: Sequence[Output]) -> Drift:
    """Return what another version of a library may have done, where two texts differ by no more.

    Texts too long to be looked at closely prove nothing.
    """
    if sum(len(output.text) for output in (*saved, *new)) > _MOST:
        return "print"
    if _raises_otherwise(saved, new, is_of_library):
        return "print"
    before, after = _untitled(_worded_alike(saved, new))
    if len(before) == len(after) and all(map(_is_close, before, after)):
        return "print"
    if _gist(before) == _gist(after):
        return "order"
    if _is_renamed(saved, new) or _is_set_at_length(saved, new):
        return "print"
    if _CUT.isdisjoint((*before, *after)):
        return ""
    whole = ([atom for atom in atoms if atom not in _CUT] for atoms in (before, after))
    return "print" if _lies_in(*sorted(whole, key=len)) else ""


def words(outputs: Iterable[Output]) -> Counter[str]:
    """Return the words and rounded numbers that are shown."""
    return _gist(_atoms(outputs))


def is_of(
    moved: Counter[str], saved: Iterable[Output], new: Iterable[Output], *, related: bool = True
) -> bool:
    """Return whether all that two texts differ by is among what stands in another order.

    Where the two are not `related`, small numbers alone do not tell: they stand everywhere.
    """
    if not moved:
        return False
    before, after = words(saved), words(new)
    differing = ((before - after) + (after - before)).keys()
    tells = related or not all(map(_SMALL_NUMBER.fullmatch, differing))
    return tells and differing <= moved.keys()


def same_words(saved: Iterable[Output], new: Iterable[Output]) -> bool:
    """Return whether two texts differ by numbers alone."""
    before, after = ([a for a in _atoms(shown) if isinstance(a, str)] for shown in (saved, new))
    return before == after


def most_numbers_are_equal(saved: Iterable[Output], new: Iterable[Output]) -> bool:
    """Return whether most of the numbers that were computed, as their many digits tell, stayed."""
    before, after = (Counter(_computed(text_lines(shown))) for shown in (saved, new))
    return 2 * (before & after).total() > max(before.total(), after.total())


def is_computed(line: str) -> bool:
    """Return whether a line shows a number that was computed."""
    return any(True for _ in _computed([line]))


def _computed(lines: Iterable[str]) -> Iterator[float]:
    """Yield the numbers with the many digits of what was computed."""
    for text in (text for line in lines for text in _ATOM.findall(line)):
        atom = _atom(text)
        if isinstance(atom, _Number) and _is_long(atom.value):
            yield atom.value


def _worded_alike(*shown: Sequence[Output]) -> Sequence[Sequence[Output]]:
    """Return outputs without the messages of exceptions, where these are worded otherwise.

    Another name or number in the same words is no other wording: `KeyError: 'a'`.
    """
    wordings = [[_DATA.sub("", o.evalue) for o in some if o.kind == "error"] for some in shown]
    if wordings[0] == wordings[-1]:
        return shown
    return [[replace(o, evalue="") if o.kind == "error" else o for o in some] for some in shown]


def _raises_otherwise(
    saved: Sequence[Output], new: Sequence[Output], may_be: Callable[[Output], bool]
) -> bool:
    """Return whether only one of two texts ends in an exception, or in another, of such a kind."""
    before, after = ([o for o in shown if o.kind == "error"] for shown in (saved, new))
    if [o.ename for o in before] == [o.ename for o in after]:
        return False
    return any(map(may_be, (*before, *after)))


def is_of_library(output: Output) -> bool:
    """Return whether a library may raise it in one version and not in another."""
    return output.ename not in _OF_THE_PAGE


def _is_of_python(output: Output) -> bool:
    gone = output.ename == "AttributeError" and output.evalue.startswith("module ")
    return gone or output.ename in {"ImportError", "ModuleNotFoundError", "SyntaxError"}


def _is_renamed(saved: Sequence[Output], new: Sequence[Output]) -> bool:
    """Return whether both show one result with its fields, under another class: `TtestResult`."""
    old, other = (_RESULT.fullmatch("\n".join(text_lines(shown))) for shown in (saved, new))
    if old is None or other is None or old[1] == other[1]:
        return False
    before, after = (Counter(_FIELD.findall(result[2])) for result in (old, other))
    return bool(before and after) and (not before - after or not after - before)


def _is_set_at_length(saved: Sequence[Output], new: Sequence[Output]) -> bool:
    """Return whether both show one object, with all its settings and with those alone that are set.

    What both name is the same.
    """
    objects = [_OBJECT.fullmatch("".join(text_lines(shown))) for shown in (saved, new)]
    before, after = objects
    if before is None or after is None or before[1] != after[1]:
        return False
    settings = sorted((_SETTING.findall(each[2]) for each in (before, after)), key=len)
    return len(settings[1]) >= _AT_LENGTH and not Counter(settings[0]) - Counter(settings[1])


def _untitled(shown: Sequence[Sequence[Output]]) -> Iterator[list[_Atom]]:
    """Yield the words and numbers of texts without those that are titles in one of them."""
    texts = (output.text for some in shown for output in some)
    titles = {title for text in texts for title in _TITLE.findall(text)}
    return ([atom for atom in _atoms(some) if atom not in titles] for some in shown)


def _words(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines for word in _WORD.findall(line))


def _atoms(outputs: Iterable[Output]) -> Iterator[_Atom]:
    """Yield the words and numbers of a text."""
    kinds = datafiles.words("printing", "kinds")
    for line in text_lines(outputs):
        for text in _ATOM.findall(_MODULE.sub("", _PRINTED.sub("", line))):
            atom = _atom(text)
            if not isinstance(atom, str) or atom.lower() not in kinds:
                yield atom


def _atom(text: str) -> _Atom:
    if text[-1].isdigit() or (text[-1] == "." and text not in _CUT):
        try:
            return _Number(float(text), whole=text.lstrip("+-").isdigit())
        except ValueError:
            return text
    word = text.lower().rstrip("_")
    if word in _TRUTHS:
        return _Number(_TRUTHS[word], whole=True)
    return "nan" if word in _MISSING else text.rstrip("_")


def _is_close(atom: _Atom, other: _Atom) -> bool:
    if not isinstance(atom, _Number) or not isinstance(other, _Number):
        return atom == other
    if atom.value == other.value:
        return True
    if atom.whole and other.whole:
        return False
    size = max(abs(atom.value), abs(other.value))
    apart = abs(atom.value - other.value)
    if apart <= _CLOSE * size or size < _NOTHING:
        return True
    mirrored = abs(atom.value + other.value) <= _CLOSE * size  # an axis of a PCA has no direction
    return (mirrored or size < _SMALL) and _is_long(atom.value) and _is_long(other.value)


def _is_long(value: float) -> bool:
    """Return whether a number has the many digits of what was computed, and not rounded."""
    digits = f"{abs(value):.8g}".partition("e")[0].replace(".", "")
    return len(digits.strip("0")) >= _LONG


def _gist(atoms: Iterable[_Atom]) -> Counter[str]:
    """Return the words and rounded numbers, in no order."""
    return Counter(
        (str(a.value) if a.whole else f"{a.value:.{_DIGITS}g}") if isinstance(a, _Number) else a
        for a in atoms
    )


def _lies_in(short: Sequence[_Atom], long: Sequence[_Atom]) -> bool:
    """Return whether one is the other with parts left out."""
    rest = iter(long)
    return bool(short) and all(any(_is_close(atom, other) for other in rest) for atom in short)
