"""Which parts of two outputs differ: lines in their order, cells and leaves by their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from pytest_nbsafe.trace.outputs import tokens
from pytest_nbsafe.trace.outputs.difference import Change, Mode, Part

_MOST_ALIGNED = 200
"""More lines than these, between what is the same above and below, are compared one by one."""
Same = Callable[[str, str], bool]


def ends(before: Sequence[str], after: Sequence[str], same: Same = str.__eq__) -> tuple[int, int]:
    """Return how many lines are the same at the start, and behind what differs."""
    most = min(len(before), len(after))
    first = next((i for i in range(most) if not same(before[i], after[i])), most)
    rest = most - first
    behind = (i for i in range(rest) if not same(before[-1 - i], after[-1 - i]))
    return first, next(behind, rest)


def of_lines(
    before: Sequence[str],
    after: Sequence[str],
    same: Same,
    mode: Mode = "lenient",
    above: int = 0,
) -> list[Change]:
    """Return the lines that differ; where lines break is no difference in `lenient` mode.

    `above` is how many lines stand above these.
    """
    if before == after:
        return []
    first, behind = ends(before, after)
    if mode == "lenient":
        rest = ["\n".join(some[first : len(some) - behind]) for some in (before, after)]
        if tokens.same(rest[0], rest[1]):
            return []
        first, behind = ends(before, after, same)
    old, new = before[first : len(before) - behind], after[first : len(after) - behind]
    return [
        Change(
            None if a is None else Part(f"line {above + first + i + 1}", old[a]),
            None if b is None else Part(f"line {above + first + i + 1}", new[b]),
        )
        for i, (a, b) in enumerate(_pairs(old, new))
        if a is None or b is None or not same(old[a], new[b])
    ]


def of_parts(saved: Sequence[Part], new: Sequence[Part], same: Same) -> list[Change]:
    """Return the parts that differ: one by one where there are as many, else by their places."""
    if len(saved) == len(new):
        pairs = zip(saved, new, strict=True)
        return [Change(a, b) for a, b in pairs if not same(a.text, b.text)]
    before, after = _by_place(saved), _by_place(new)
    gone = [Change(part, None) for key, part in before.items() if key not in after]
    more = [Change(None, part) for key, part in after.items() if key not in before]
    shared = [(part, after[key]) for key, part in before.items() if key in after]
    return [*(Change(a, b) for a, b in shared if not same(a.text, b.text)), *gone, *more]


def _by_place(parts: Sequence[Part]) -> dict[tuple[str, int], Part]:
    times: dict[str, int] = {}
    places = {}
    for part in parts:
        times[part.place] = times.get(part.place, 0) + 1
        places[part.place, times[part.place]] = part
    return places


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield which line stands against which, by their indices."""
    if len(old) == len(new) or not old or not new or max(len(old), len(new)) > _MOST_ALIGNED:
        yield from zip_longest(range(len(old)), range(len(new)))
        return
    for _, a, a_end, b, b_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from zip_longest(range(a, a_end), range(b, b_end))
