"""How single values of a configuration are read, whichever key they are of."""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping, Sequence
from typing import Any

Pairs = tuple[tuple[str, str], ...]
_MOST_S = 10**7  # of a time limit; clocks cannot hold much more


class Unfit(Exception):  # noqa: N818  # it completes "raise Unfit"
    """The value is not of the kind that the key wants; `says` is what stands after the key."""

    def __init__(self, says: str = "", hint: str = "", slug: str = "bad-value") -> None:
        super().__init__(says)
        self.says = says
        self.hint = hint
        self.slug = slug


def selectors(value: Any) -> list[str]:
    """Return the codes, prefixes and names of a list, of which commas may make more."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(i, str) for i in items):
        raise Unfit
    return [part for item in items for part in item.split(",") if part.strip()]


def names(value: Any) -> tuple[str, ...]:
    """Return names of Python."""
    names = tuple(name.strip() for name in selectors(value))
    if not all(name.isidentifier() for name in names):
        raise Unfit
    return names


def globs(value: Any) -> tuple[str, ...]:
    """Return globs."""
    return tuple(glob.strip() for glob in selectors(value))


def flag(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise Unfit
    return value


def text(value: Any) -> str | None:
    """Return a text, None for an empty one."""
    if not isinstance(value, str):
        raise Unfit
    return value or None


def one_of(choices: Sequence[str], value: Any) -> str:
    """Return one of the choices."""
    if value not in choices:
        raise Unfit
    return str(value)


def pairs(value: Any) -> Pairs:
    """Return regular expressions, each with what stands in place of what it matches."""
    if not isinstance(value, list):
        raise Unfit
    for pair in value:
        if not isinstance(pair, list) or [type(part) for part in pair] != [str, str]:
            raise Unfit
    return tuple((text, replacement) for text, replacement in value)


def seconds(value: Any) -> float | None:
    """Return a time limit, None for 0."""
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        raise Unfit from None
    if isinstance(value, bool) or not 0 <= seconds < _MOST_S:
        raise Unfit
    return seconds or None


def number(value: Any, least: int = 0, most: int = 10**6) -> int:
    """Return a whole number within its bounds."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Unfit
    return value


def parameters(value: Any) -> Pairs:
    """Return names of Python, each with the text of its value."""
    if not isinstance(value, Mapping):
        raise Unfit
    for name in value:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise Unfit(f": {name!r} is no name of Python")
    return tuple((name, _literal(name, item)) for name, item in value.items())


def _literal(name: str, value: Any) -> str:
    """Return the text of a value in Python."""
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, list | tuple):
        items = ", ".join(_literal(name, item) for item in value)
        return f"[{items}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_literal(name, k)}: {_literal(name, v)}" for k, v in value.items())
        return f"{{{pairs}}}"
    kind = type(value).__name__
    raise Unfit(f": {name} is a {kind}", "texts, numbers, true and false, lists and tables")


def variables(value: Any) -> Pairs:
    """Return variables of the environment."""
    if not isinstance(value, Mapping):
        raise Unfit
    for name, text in value.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise Unfit(f": {name} is no text")
        if not name or "=" in name or "\0" in name + text:
            raise Unfit(f": {name!r} cannot be a variable")
    return tuple(value.items())
