"""How alike two texts are: Levenshtein's distance, by bits."""

from __future__ import annotations

from collections import Counter

_ROUNDING = 1e-9


def similarity(left: str, right: str, least: float = 0.0) -> float:
    """Return 1 less the share of characters to change, 0.0 where it is surely below `least`."""
    if left == right:
        return 1.0
    longer = max(len(left), len(right))
    allowed = int((1 - least) * longer + _ROUNDING)
    if abs(len(left) - len(right)) > allowed or _unshared(left, right) > allowed:
        return 0.0
    found = 1 - distance(left, right) / longer
    return found if found >= least - _ROUNDING else 0.0


def distance(left: str, right: str) -> int:
    """Return how many characters have to be put in, taken out or changed.

    Source: H. Hyyro, 2003, after G. Myers, 1999: a column of the matrix is a pair of integers, one
    bit a row.
    """
    if not left or not right:
        return len(left) or len(right)
    places: dict[str, int] = {}
    for place, character in enumerate(left):
        places[character] = places.get(character, 0) | 1 << place
    mask, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    more, less, score = mask, 0, len(left)
    for character in right:
        equal = places.get(character, 0)
        straight = equal | less
        diagonal = (((equal & more) + more) ^ more) | equal
        grows = less | (~(diagonal | more) & mask)
        shrinks = more & diagonal
        if grows & last:
            score += 1
        elif shrinks & last:
            score -= 1
        grows = (grows << 1 | 1) & mask
        shrinks = shrinks << 1 & mask
        more = (shrinks | ~(straight | grows)) & mask
        less = grows & straight
    return score


def _unshared(left: str, right: str) -> int:
    """Return a distance that the texts have at least: characters that the other has not."""
    shared = (Counter(left) & Counter(right)).total()
    return max(len(left), len(right)) - shared
