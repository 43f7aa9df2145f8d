"""What a regular expression costs: a plain backtracking matcher that counts its steps.

It walks the tree that Python's own parser makes of an expression, tries alternatives in the order
that Python tries them, and counts each look at a character. The engine of `re` skips some of that
work; it never does more. `attacks` makes texts that keep such a matcher busy: what each repeat of
the expression takes, many times over, then something that lets the match fail.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

if sys.version_info >= (3, 11):
    from re import _constants as constants  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as constants
    import sre_parse as parser

_Node = tuple[Any, Any]
_Rest = Callable[[int], bool]
_CHARACTERS = " a0_/\\\n\x00\tb(),.:;/\\'\"[]{}<>=#%!?$@~|&*+-^Aé\x1b"
_ENDLESS = 1_000
_SAMPLES = 4


class TooManyStepsError(Exception):
    """The match was given up."""


class Counter:
    """Searches one text and counts: `steps` after `search`."""

    def __init__(self, pattern: str, flags: int, text: str, most: int) -> None:
        parsed: Any = parser.parse(pattern, flags)
        self.tree: list[_Node] = list(parsed)
        self.flags: int = parsed.state.flags
        self.text = text
        self.most = most
        self.steps = 0
        self.groups: dict[int, str] = {}

    def ends(self, at: int) -> list[int]:
        """Return where a match that begins here ends: one place, or none."""
        ends: list[int] = []

        def end(here: int) -> bool:
            ends.append(here)
            return True

        self.sequence(self.tree, 0, at, end)
        return ends

    def search(self, *, anywhere: bool) -> int:
        """Return the steps of `finditer` (or of `match`, where not the whole text is searched)."""
        at = 0
        while at <= len(self.text):
            ends = self.ends(at)
            if not anywhere:
                break
            at = max(at + 1, ends[0]) if ends else at + 1
        return self.steps

    def sequence(self, nodes: Sequence[_Node], index: int, at: int, rest: _Rest) -> bool:
        """Match nodes from one on, then the rest."""
        if index == len(nodes):
            return rest(at)
        return self.node(nodes[index], at, lambda here: self.sequence(nodes, index + 1, here, rest))

    def node(self, node: _Node, at: int, rest: _Rest) -> bool:
        """Match one node, then the rest."""
        op, given = node
        if self._is_character(op):
            return self._takes(node, at) and rest(at + 1)
        if op is constants.BRANCH:
            return any(self.sequence(list(part), 0, at, rest) for part in given[1])
        if op is constants.SUBPATTERN:
            number = given[0]

            def closed(here: int) -> bool:
                if number is not None:
                    self.groups[number] = self.text[at:here]
                return rest(here)

            return self.sequence(list(given[3]), 0, at, closed)
        if op is constants.AT:
            return self._is_at(given, at) and rest(at)
        if op in {constants.ASSERT, constants.ASSERT_NOT}:
            return self._looks(given, at) is (op is constants.ASSERT) and rest(at)
        if op is constants.GROUPREF:
            text = self.groups.get(given, "\0\0")
            self._step()
            return self.text.startswith(text, at) and rest(at + len(text))
        if str(op) == "ATOMIC_GROUP":
            return self._atomic(list(given), at, rest)
        return self._repeat(op, given, at, rest)

    def _atomic(self, nodes: Sequence[_Node], at: int, rest: _Rest) -> bool:
        ends: list[int] = []

        def end(here: int) -> bool:
            ends.append(here)
            return True

        return self.sequence(nodes, 0, at, end) and rest(ends[0])

    def _repeat(self, op: Any, given: Any, at: int, rest: _Rest) -> bool:
        least, most, body = given[0], given[1], list(given[2])
        most = len(self.text) + 1 if most is constants.MAXREPEAT else most
        if len(body) == 1 and self._is_character(body[0][0]):
            return self._repeated_character(op, least, most, body[0], at, rest)
        if str(op) == "POSSESSIVE_REPEAT":
            count, here = 0, at
            ends: list[int] = []

            def one_more(end: int) -> bool:
                ends.append(end)
                return True

            while count < most and self.sequence(body, 0, here, one_more) and ends[-1] > here:
                count, here = count + 1, ends[-1]
            return count >= least and rest(here)

        def more(count: int, here: int) -> bool:
            def again() -> bool:
                return count < most and self.sequence(
                    body,
                    0,
                    here,
                    lambda end: (end > here or count < least) and more(count + 1, end),
                )

            if count < least:
                return again()
            if op is constants.MIN_REPEAT:
                return rest(here) or again()
            return again() or rest(here)

        return more(0, at)

    def _repeated_character(
        self, op: Any, least: int, most: int, node: _Node, at: int, rest: _Rest
    ) -> bool:
        here = at
        if op is constants.MIN_REPEAT:
            while here - at < least:
                if not self._takes(node, here):
                    return False
                here += 1
            while not rest(here):
                if here - at == most or not self._takes(node, here):
                    return False
                here += 1
            return True
        while here - at < most and self._takes(node, here):
            here += 1
        if str(op) == "POSSESSIVE_REPEAT":
            return here - at >= least and rest(here)
        while here - at >= least:
            self._step()
            if rest(here):
                return True
            here -= 1
        return False

    def _looks(self, given: Any, at: int) -> bool:
        direction, body = given
        if direction > 0:
            return self.sequence(list(body), 0, at, lambda _: True)
        width: int = body.getwidth()[0]
        begin = at - width
        return begin >= 0 and self.sequence(list(body), 0, begin, lambda end: end == at)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManyStepsError

    @staticmethod
    def _is_character(op: Any) -> bool:
        return op in {constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN}

    def _takes(self, node: _Node, at: int) -> bool:
        self._step()
        return at < len(self.text) and takes(node, self.text[at], self.flags)

    def _is_at(self, where: Any, at: int) -> bool:
        self._step()
        text = self.text
        before = text[at - 1] if at else ""
        after = text[at] if at < len(text) else ""
        if where in {constants.AT_BEGINNING, constants.AT_BEGINNING_STRING}:
            lines = self.flags & re.MULTILINE and where is constants.AT_BEGINNING
            return not at or bool(lines and before == "\n")
        if where in {constants.AT_END, constants.AT_END_STRING}:
            if where is constants.AT_END_STRING:
                return not after
            lines = self.flags & re.MULTILINE
            return not after or (after == "\n" and (bool(lines) or at == len(text) - 1))
        border = _is_word(before) is not _is_word(after)
        return border is (where is constants.AT_BOUNDARY)


def takes(node: _Node, character: str, flags: int) -> bool:
    """Return whether a node for one character takes this one."""
    op, given = node
    characters = {character}
    if flags & re.IGNORECASE:
        characters |= {character.lower(), character.upper()}
    if op is constants.LITERAL:
        return chr(given) in characters
    if op is constants.NOT_LITERAL:
        return chr(given) not in characters
    if op is constants.ANY:
        return character != "\n" or bool(flags & re.DOTALL)
    inside = any(_in_set(item, c) for item in given for c in characters)
    return inside is (given[0][0] is not constants.NEGATE)


def _in_set(item: _Node, character: str) -> bool:
    op, given = item
    if op is constants.LITERAL:
        return bool(ord(character[0]) == given)
    if op is constants.RANGE:
        return bool(given[0] <= ord(character[0]) <= given[1])
    if op is constants.CATEGORY:
        name = str(given)
        kind = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": _is_word}[
            name.rpartition("_")[2]
        ]
        return kind(character) is not ("NOT" in name)
    return False


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


# -- texts that keep it busy -----------------------------------------------------------------------


def attacks(pattern: str, flags: int, size: int) -> Iterator[str]:
    """Yield texts of about `size` characters that repeat what the parts of a pattern take."""
    parsed: Any = parser.parse(pattern, flags)
    nodes: list[_Node] = list(parsed)
    flags = parsed.state.flags
    pumps = dict.fromkeys(_pumps(nodes, flags))
    whole = shortest(nodes, flags) or "a"
    pumps[("", whole)] = None
    for before, pump in pumps:
        for text in dict.fromkeys((pump, f"{before}{pump}")):
            many = text * max(1, size // max(1, len(text)))
            for end in ("", "\x00", "\n!"):
                yield f"{before}{many}{end}"


def _pumps(nodes: Sequence[_Node], flags: int, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield what leads to each repeat, and what it repeats."""
    for index, (op, given) in enumerate(nodes):
        lead = before + shortest(nodes[:index], flags)
        if str(op).endswith("_REPEAT"):
            body = list(given[2])
            if given[1] is constants.MAXREPEAT or given[1] > _ENDLESS:
                for pump in samples(body, flags):
                    yield lead, pump
            yield from _pumps(body, flags, lead)
        elif op is constants.SUBPATTERN:
            yield from _pumps(list(given[3]), flags, lead)
        elif op is constants.BRANCH:
            for part in given[1]:
                yield from _pumps(list(part), flags, lead)
        elif op in {constants.ASSERT, constants.ASSERT_NOT}:
            yield from _pumps(list(given[1]), flags, lead)
        elif str(op) == "ATOMIC_GROUP":
            yield from _pumps(list(given), flags, lead)


def samples(nodes: Sequence[_Node], flags: int) -> Iterator[str]:
    """Yield texts that a part takes: its shortest, and one for each character that fits alone."""
    yield shortest(nodes, flags)
    if len(nodes) == 1 and Counter._is_character(nodes[0][0]):
        yield from islice((c for c in _CHARACTERS if takes(nodes[0], c, flags)), _SAMPLES)
    elif len(nodes) == 1 and nodes[0][0] is constants.SUBPATTERN:
        yield from samples(list(nodes[0][1][3]), flags)
    elif len(nodes) == 1 and nodes[0][0] is constants.BRANCH:
        for part in nodes[0][1][1]:
            yield from samples(list(part), flags)


def shortest(nodes: Sequence[_Node], flags: int) -> str:
    """Return a short text that nodes take, as far as that is told without looking around."""
    return "".join(_shortest(node, flags) for node in nodes)


def _shortest(node: _Node, flags: int) -> str:
    op, given = node
    if Counter._is_character(op):
        if op is constants.LITERAL:
            return str(chr(given))
        fit: list[str] = [c for c in "a0 .-" + _CHARACTERS if takes(node, c, flags)]
        return fit[0] if fit else ""
    if op is constants.BRANCH:
        return min((shortest(list(part), flags) for part in given[1]), key=len)
    if op is constants.SUBPATTERN:
        return shortest(list(given[3]), flags)
    if str(op) == "ATOMIC_GROUP":
        return shortest(list(given), flags)
    if str(op).endswith("_REPEAT"):
        return shortest(list(given[2]), flags) * int(given[0])
    return ""


def steps(pattern: str, flags: int, text: str, most: int, *, anywhere: bool = True) -> int:
    """Return the steps of a search; `most` and one more when there are more."""
    try:
        return Counter(pattern, flags, text, most).search(anywhere=anywhere)
    except TooManyStepsError:
        return most + 1
