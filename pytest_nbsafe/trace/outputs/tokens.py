"""Words and numbers of a text, and when two such sequences say the same.

White space is no token: where an array breaks its lines, or how wide a column is, says nothing.
Two numbers are one where they differ by a millionth of the larger: that is one unit in the seventh
digit, more than rounding and summing in another order change, and less than the digits that
people print and read. One printed with fewer digits, four at least, is the other rounded. Whole
numbers are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.trace.outputs.difference import Mode

_NUMBER_OR_WORD = (
    r"(?<![\w.)\]])[-+]?(?:\d+(?:,\d{3}(?!\d))*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?[jJ]?"
    r"|[^\W\d]\w*|\d+"
)
_TOKEN = patterns.compile(_NUMBER_OR_WORD + r"|[^\s\w]")
_PIECE = patterns.compile(_NUMBER_OR_WORD + r"|\s+|[^\s\w]")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_MOST_NESTED = 40
_CLOSE = 1e-6
_NOTHING = 1e-12
"""Below this a number is what rounding leaves of zero."""
_MOST_DIGITS = 300
_DIGITS_ROUNDED = 4


def tokens(text: str) -> list[str]:
    """Return the words, numbers and signs of a text."""
    return _TOKEN.findall(text)


def same(saved: str, new: str, mode: Mode = "lenient") -> bool:
    """Return whether two texts say the same, both as far as `mode` asks."""
    if saved == new:
        return True
    if mode == "exact":
        return False
    before, after = tokens(saved), tokens(new)
    if same_tokens(before, after):
        return True
    return "{" in saved and "{" in new and same_tokens(in_order(before), in_order(after))


def same_tokens(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether two sequences of tokens are the same, numbers within the tolerance."""
    return len(before) == len(after) and all(map(is_close, before, after))


def is_number(token: str) -> bool:
    """Return whether a token is a number."""
    return token[-1:].isdecimal() or any(char.isdecimal() for char in token[:2])


def is_close(token: str, other: str) -> bool:
    """Return whether two tokens are the same word or, nearly, the same number."""
    if token == other:
        return True
    if not is_number(token) or not is_number(other):
        return token.lower() == other.lower() == "nan"
    if max(len(token), len(other)) > _MOST_DIGITS:
        return False
    try:
        return _is_close(token.replace(",", ""), other.replace(",", ""))
    except ValueError:
        return False


def in_order(given: Sequence[str]) -> list[str]:
    """Return tokens with the elements in braces sorted: sets, and dicts as older Pythons had them.

    What is nested too deep is left as it is.
    """
    opened: list[tuple[str, list[list[str]]]] = [("", [[]])]
    for sign in given:
        elements = opened[-1][1]
        if sign in _CLOSERS:
            if len(opened) > _MOST_NESTED:
                return list(given)
            opened.append((sign, [[]]))
        elif sign == _CLOSERS.get(opened[-1][0]):
            opener, _ = opened.pop()
            opened[-1][1][-1] += [opener, *_joined(elements, sort=opener == "{"), sign]
        elif sign == ",":
            elements.append([])
        else:
            elements[-1].append(sign)
    return [token for opener, elements in opened for token in (opener, *_joined(elements))]


def _joined(elements: list[list[str]], *, sort: bool = False) -> list[str]:
    if sort:
        elements = sorted(elements)
    return [token for element in elements for token in (*element, ",")][:-1]


def _is_close(text: str, other: str) -> bool:
    if text[-1] in "jJ" or other[-1] in "jJ":
        return text[-1] == other[-1] and _is_close(text[:-1], other[:-1])
    if text.lstrip("+-").isdecimal() and other.lstrip("+-").isdecimal():
        return int(text) == int(other)
    value, against = float(text), float(other)
    size, apart = max(abs(value), abs(against)), abs(value - against)
    if value == against or size < _NOTHING or apart <= _CLOSE * size:
        return True
    if "e" in (text + other).lower():
        return False
    fewer, more = sorted((text, other), key=_decimals)
    rounded = _decimals(fewer) < _decimals(more) and _digits(fewer) >= _DIGITS_ROUNDED
    return rounded and apart <= 0.5 * 10.0 ** -_decimals(fewer) * (1 + _CLOSE)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _digits(text: str) -> int:
    """Return how many digits are printed, but for leading zeros."""
    return len(text.lstrip("+-0.").replace(".", ""))


def pieces(text: str) -> list[str]:
    """Return a text cut into words, numbers, signs and white space, nothing left out."""
    return _PIECE.findall(text)
