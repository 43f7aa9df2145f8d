"""The words of texts, each of which may be a name, wherever it stands."""

from __future__ import annotations

from pytest_nbsafe import patterns

_WORD = patterns.compile(r"\w+")


def words_of(*texts: str) -> set[str]:
    """Return the words of some texts."""
    return {word for text in texts for word in _WORD.findall(text)}
