"""Misuse of the tool, told in one line with a hint; faults of a notebook are findings instead."""

from __future__ import annotations

from collections.abc import Iterable


class NbsafeError(Exception):
    """The user asked for something that cannot be done.

    `slug` is a stable short name for the kind of misuse, `hint` says what to do instead.
    The command line prints both and exits with 2; the plugin raises them as a usage error.
    """

    def __init__(self, slug: str, message: str, hint: str = "") -> None:
        super().__init__(slug, message, hint)
        self.slug = slug
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def no_code_cell(page: str, cell: int, numbers: Iterable[int], which: str = "") -> NbsafeError:
    """Return that a page has no code cell of a number, `which` says what kind is asked for.

    The hint lists the `numbers` of those that there are.
    """
    known = ", ".join(map(str, numbers))
    hint = f"code cells: {known}" if known else ""
    return NbsafeError("no-such-cell", f"{page} has no code cell {cell}{which}", hint)


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known word that is nearest, empty when none is near.

    Of words that are as near the one with more letters in the same places is meant: NBS201 by
    NBS2O1, not NBS321.
    """
    import difflib

    def nearness(other: str) -> tuple[float, int]:
        same = sum(a == b for a, b in zip(other, word, strict=False))
        return difflib.SequenceMatcher(None, other, word).ratio(), same

    near = difflib.get_close_matches(word, list(known), n=5, cutoff=cutoff)
    return max(near, key=nearness, default="")


def suggestion(word: str, known: Iterable[str], otherwise: str, cutoff: float = 0.6) -> str:
    """Return a hint for a word that is not known: the nearest that is, else what to say then."""
    near = nearest(word, known, cutoff)
    return f"did you mean {near}?" if near else otherwise
