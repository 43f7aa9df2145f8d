"""The user's own expressions for what is no difference, and nbval's files of them.

A text is handed to an expression in blocks of whole lines with at most 10,000 characters, since an
expression of a stranger may take far longer than linear time; a longer line is cut. An expression
that takes exponential time is slow even so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pytest_nbsafe.values import dataclass

MOST_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """An expression, and what stands in place of what it matches."""

    pattern: re.Pattern[str]
    replacement: str


def of(pairs: Iterable[tuple[str, str]]) -> tuple[Sanitizer, ...]:
    """Return the sanitizers of (expression, replacement) pairs.

    Raises:
        ValueError: an expression, or its replacement, is not one that `re` takes.

    """
    sanitizers = []
    for text, replacement in pairs:
        try:
            pattern = re.compile(text)
            pattern.sub(replacement, "")  # reads the replacement, though nothing matches
        except (re.error, IndexError, OverflowError, RecursionError) as error:
            raise ValueError(f"{text!r} with {replacement!r}: {error}") from error
        sanitizers.append(Sanitizer(pattern, replacement))
    return tuple(sanitizers)


def of_file(text: str) -> tuple[Sanitizer, ...]:
    """Return the sanitizers of a file as nbval has them: sections with `regex:` and `replace:`.

    Raises:
        ValueError: the file is not of that form, or holds an expression that `re` does not take.

    """
    import configparser  # most projects have no such file

    sections = configparser.RawConfigParser()
    try:
        sections.read_string(text)
        pairs = [(sections[s]["regex"], sections[s]["replace"]) for s in sections.sections()]
    except KeyError as error:
        raise ValueError(f"a section lacks its line {error.args[0]}:") from error
    except configparser.Error as error:
        raise ValueError(" ".join(str(error).split())) from error
    return of(pairs)


def sanitized(text: str, sanitizers: Sequence[Sanitizer]) -> str:
    """Return a text with all that the sanitizers match replaced, in their order."""
    for each in sanitizers:
        text = "".join(each.pattern.sub(each.replacement, block) for block in _blocks(text))
    return text


def _blocks(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = at + MOST_AT_ONCE
        if end < len(text):
            end = text.rfind("\n", at, end) + 1 or end
        yield text[at:end]
        at = end
