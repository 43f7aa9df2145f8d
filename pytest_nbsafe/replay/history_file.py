"""A session in IPython's `history.sqlite`, its cells told apart by how alike their texts are."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries.datafiles import phrase, words
from pytest_nbsafe.notebook.source import Escape, to_python
from pytest_nbsafe.replay import history_database
from pytest_nbsafe.replay.session_runs import RecordedSession, RecordedStep
from pytest_nbsafe.sentences import many

ALIKE = 0.8
FEW = 50
MOST_WORK = 20_000_000
"""So many characters are compared with whole texts: enough for thousands of ordinary runs."""
_BITS_AT_ONCE = 1_000
_ROUNDING = 1e-9
_SHELLS = frozenset({"!", "bash", "cmd", "script", "sh", "sx", "system", "perl", "ruby"})
_SHELL_LINES = frozenset({"sx", "system", "sc", "pip", "conda", "mamba", "uv"})
_ASKS = patterns.compile(r"(?<![\w.])(?:raw_)?input[ \t]*\(|\bgetpass[ \t]*\(")
_ENDS = patterns.compile(r"^[ \t]*%?(?:exit|quit)(?:[ \t]*\([ \t]*\))?[ \t]*$", re.MULTILINE)


def read(path: Path, session: int | None) -> RecordedSession:
    """Return a session of a history file, mended so that it can be run again.

    A run belongs to the cell whose latest text is most like its own, if 80% of it is; else to a
    new cell. So the page's order is that in which the cells first ran.

    Source: Macke et al. 2021, section 6.1 and 6.2. Taken over: system commands are left out, plots
    are drawn into the page, runs that ask for input are left out; a session of fewer than 50 runs
    is told to be short. Departs: Python 2 is not translated (2to3 is no more), no versions of
    libraries are tried, no paths rewritten and no data fetched: one's own session finds its own.
    """
    runs = history_database.runs(path, session)
    notes = [f"a short session: {len(runs)} runs (the paper takes {FEW} or more)"]
    notes = notes if len(runs) < FEW else []
    cells = _Cells()
    steps = [_step(cells.take(source), source, count) for count, source in runs]
    if left := sum(bool(step.skip) for step in steps):
        notes.append(f"{many(left, 'run')} left out, which cannot be run again")
    mended = sum(
        s.source != source and not s.skip for s, (_, source) in zip(steps, runs, strict=True)
    )
    if mended:
        notes.append(f"system commands taken out of {many(mended, 'run')}")
    if cells.whole:
        notes.append(f"the texts of {many(cells.whole, 'run')} were only compared whole")
    plots = any(_draws().search(source) for _, source in runs)
    return RecordedSession(
        str(path),
        cells.names,
        tuple(steps),
        tuple(notes),
        before=phrase("plotting", "magic") if plots else "",
        elsewhere=True,
    )


@cache
def _draws() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words('plotting', 'names'))})\b")


# ------------------------------------------------------------------ cells


class _Cells:
    """The cells that have run, each with its latest text; no two have the same."""

    def __init__(self) -> None:
        self._text_of: dict[str, str] = {}
        self._cell_of: dict[str, str] = {}
        self._left = MOST_WORK
        self.whole = 0
        """How many texts were only looked for as they are, since comparing took too long."""

    @property
    def names(self) -> tuple[str, ...]:
        """The cells, as they first ran."""
        return tuple(self._text_of)

    def take(self, source: str) -> str:
        """Return the cell that has this text from now on."""
        cell = self._cell_of.get(source) or self._alike(source)
        self._cell_of.pop(self._text_of.get(cell, ""), None)
        self._cell_of[source], self._text_of[cell] = cell, source
        return cell

    def _alike(self, source: str) -> str:
        """Return the cell whose text is most like this one, a new cell if none is enough."""
        new = f"c{len(self._text_of) + 1}"
        likeness: dict[str, float] = {}
        for cell, text in self._text_of.items():
            self._left -= work(text, source, ALIKE)
            if self._left < 0:
                self.whole += 1
                return new
            likeness[cell] = similarity(text, source, ALIKE)
        best = max(likeness, key=lambda cell: (likeness[cell], _number(cell)), default="")
        return best if best and likeness[best] >= ALIKE else new


def _number(cell: str) -> int:
    return int(cell[1:])


def _step(cell: str, source: str, count: int) -> RecordedStep:
    skip = _unfit(source)
    return RecordedStep(cell, source if skip else _mended(source), count, skip)


def _unfit(source: str) -> str:
    """Return why a text cannot be run again without its user, empty when it can."""
    first = source.lstrip().partition("\n")[0].strip()
    if first.startswith("%%") and first[2:].split(" ")[0] in _SHELLS:
        return "runs system commands"
    if _ASKS.search(source):
        return "asks its user for input"
    if _ENDS.search(source):
        return "ends the session"
    return ""


def _mended(source: str) -> str:
    """Return a text in which `pass` stands for the lines that run system commands."""
    lines = source.split("\n")
    for escape in to_python(source).escapes:
        if not _is_system(escape) or escape.line > len(lines):
            continue
        at = escape.line - 1
        line = lines[at]
        end = at
        while lines[end].endswith("\\") and end + 1 < len(lines):
            end += 1
        indent = line[: len(line) - len(line.lstrip())]
        lines[at : end + 1] = [f"{indent}pass", *[""] * (end - at)]
    return "\n".join(lines)


def _is_system(escape: Escape) -> bool:
    return escape.kind in {"shell", "assign-shell"} or (
        escape.kind in {"line-magic", "assign-magic"} and escape.name in _SHELL_LINES
    )


# ------------------------------------------------------------------ how alike two texts are


def similarity(left: str, right: str, least: float = 0.0) -> float:
    """Return 1 less the share of characters to change, 0.0 where it is surely below `least`."""
    if left == right:
        return 1.0
    longer = max(len(left), len(right))
    if _too_long(left, right, least) or _unshared(left, right) > _allowed(longer, least):
        return 0.0
    share = 1 - distance(left, right) / longer
    return share if share >= least - _ROUNDING else 0.0


def work(left: str, right: str, least: float) -> int:
    """Return about how much there is to do to tell how alike two texts are."""
    if _too_long(left, right, least):
        return 1
    return len(right) * (1 + len(left) // _BITS_AT_ONCE)


def _too_long(left: str, right: str, least: float) -> bool:
    """Return whether the lengths alone say that the texts are less alike than that."""
    return abs(len(left) - len(right)) > _allowed(max(len(left), len(right)), least)


def _allowed(longer: int, least: float) -> int:
    return int((1 - least) * longer + _ROUNDING)


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
