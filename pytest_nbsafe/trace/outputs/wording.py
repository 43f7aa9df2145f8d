"""What differs, in one short line: words of a text, cells of a table."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pytest_nbsafe.trace.outputs.difference import Change, Form
from pytest_nbsafe.trace.outputs.tokens import pieces

_MOST_CHARACTERS = 600
_WIDTH = 160
_KEPT = 30
_MOST_RUNS = 3
_Opcode = tuple[str, int, int, int, int]
_MANY = {"text": "lines", "table": "cells", "data": "values", "drawing": "elements"}


def detail(changes: Sequence[Change], form: Form) -> str:
    """Return what the first change is, and how many others there are."""
    return of_change(changes[0]) + _more(len(changes) - 1, _MANY.get(form, "parts"))


def _more(others: int, many: str) -> str:
    word = many.removesuffix("s") if others == 1 else many
    return f" (and {others:,} other {word})" if others else ""


def of_change(change: Change) -> str:
    """Return a change with its place."""
    saved, new = change
    if new is None:
        return f"{saved.place if saved else ''}: {_cut(saved.text if saved else '')} is missing"
    if saved is None:
        return f"{new.place}: {_cut(new.text)} is new"
    return f"{saved.place}: {by_word(saved.text, new.text)}"


def count(lines: Sequence[str]) -> str:
    """Return how many lines there are on one side alone, and the first."""
    return _cut(lines[0]) + _more(len(lines) - 1, "lines")


def count_of_displays(saved: int, new: int) -> str:
    """Return how many displays there were, and are."""
    return f"{saved:,} saved, {new:,} now"


def by_word(saved: str, new: str) -> str:
    """Return two texts as one: `accuracy [0.99 -> 0.71] on 40 rows`."""
    start = max(0, _common(saved, new) - _MOST_CHARACTERS // 2)
    old, now = (pieces(text[start : start + _MOST_CHARACTERS]) for text in (saved, new))
    matcher = SequenceMatcher(None, old, now, autojunk=False)
    opcodes = _runs(matcher.get_opcodes(), old)
    changed = [code for code in opcodes if code[0] != "equal"]
    kept = sum(_words(old[a:b]) for kind, a, b, _, _ in opcodes if kind == "equal")
    if len(changed) > _MOST_RUNS or 2 * kept < _words(old):
        return f"{_cut(saved[start:])} -> {_cut(new[start:])}"
    runs: list[str] = []
    for number, (kind, a, a_end, b, b_end) in enumerate(opcodes):
        before, after = "".join(old[a:a_end]), "".join(now[b:b_end])
        if kind == "equal" or before.split() == after.split():
            runs.append(_context(before, is_first=number == 0, is_last=b_end == len(now)))
        else:
            begin, end = (" " if _is_apart(before, after, at) else "" for at in (0, -1))
            change = f"[{_cut(before) or 'nothing'} -> {_cut(after) or 'nothing'}]"
            runs.append(f"{begin}{change}{end}")
    return _cut("".join(runs))


def _is_apart(before: str, after: str, at: int) -> bool:
    """Return whether white space stands at one end of a change, on all sides that there are."""
    return all(text[at].isspace() for text in (before, after) if text)


def _common(saved: str, new: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(saved, new, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(saved), len(new)))


def _runs(opcodes: Sequence[_Opcode], old: Sequence[str]) -> list[_Opcode]:
    """Return runs of equal and of changed words; what is short between two changes is of them."""
    runs: list[_Opcode] = []
    for kind, a, a_end, b, b_end in opcodes:
        is_short = kind == "equal" and not _words(old[a:a_end])
        if runs and runs[-1][0] != "equal" and (kind != "equal" or (is_short and a_end < len(old))):
            _, first_a, _, first_b, _ = runs[-1]
            runs[-1] = ("replace", first_a, a_end, first_b, b_end)
        else:
            runs.append((kind, a, a_end, b, b_end))
    return runs


def _words(some: Sequence[str]) -> int:
    return sum(piece[-1].isalnum() for piece in some)


def _context(text: str, *, is_first: bool, is_last: bool) -> str:
    """Return what stands around a change, the far ends of long texts left out."""
    if len(text) <= 2 * _KEPT:
        return text
    start = "" if is_first else text[:_KEPT]
    end = "" if is_last else text[-_KEPT:]
    return f"{start} ... {end}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
