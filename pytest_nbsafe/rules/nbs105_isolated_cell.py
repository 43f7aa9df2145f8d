"""The cell shares no name with any other cell.

Why it matters: no cell needs it and it needs none, so it is often left over from an experiment;
whoever turns the notebook into a script has to ask what it is for.

Limits: a note, shown on request. Names are compared, and files, settings and random sources
that the text names; what cells share through anything else is not seen. Left alone are cells
that define nothing (they only show something), cells of magics and shell lines, cells that set
options of a module, show a page or a video, or read what no cell defines.

Source: NBLyzer, section 4.1 (isolated cells).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.notebook.model import Cell, is_skipped
from pytest_nbsafe.rules.base import Claim, Facts, claim

_REACHES = patterns.compile(
    r"\b(?:_+\d*|_i+\d*|Out|In|get_ipython)\b|__future__|IPython\.(?:core\.)?display"
)
"""Words of a cell that reaches others without a name of theirs, or is there to be looked at."""
_SPEAKS_OF_NAMES = patterns.compile(r"\b(?:eval|exec|query|globals|locals|vars)\b")
_WORD = patterns.compile(r"[^\W\d]\w*")

BAD = """\
# %% [1]
total = 3
# %% [2]
trial = [n * n for n in range(4)] #! NBS105
# %% [3]
print(total)
#> 3
"""
GOOD = """\
# %% [1]
total = 3
# %% [2]
print(total)
#> 3
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a note for each cell whose names stand in no other cell."""
    cells = facts.graph.cells
    by_cell = {number: _names(analysis) for number, analysis in cells.items()}
    holders = Counter(name for names in by_cell.values() for name in names)
    for number, names in by_cell.items():
        if len(cells) > 1 and names and all(holders[name] == 1 for name in names):
            line = _first_line(facts.notebook.cell(number), cells[number])
            if line and not _is_spoken_of(facts, number, names):
                message = "no other cell uses what this cell defines, and it uses nothing of theirs"
                remedy = "delete the cell if it is left over from an experiment"
                yield claim(facts, "NBS105", number, line, "proved", message, remedy=remedy)


def _names(analysis: CellAnalysis) -> set[str]:
    """Return every name of the notebook's scope that the cell binds, changes or reads."""
    names = {definition.name for definition in analysis.definitions}
    names.update(use.name for use in analysis.uses)
    for function in analysis.functions.values():
        names.update(function.reads, function.writes)
    return names


def _is_spoken_of(facts: Facts, number: int, names: set[str]) -> bool:
    """Return whether another cell has a word that may be one of these names."""
    cells = facts.graph.cells
    others = (other for other in cells if other != number)
    return any(names & _words(facts.notebook.cell(other), cells[other]) for other in others)


def _words(cell: Cell, analysis: CellAnalysis) -> set[str]:
    """Return the words that may be names though no analysis reads them: in magics and strings."""
    if analysis.fault or _SPEAKS_OF_NAMES.search(cell.source):
        return set(_WORD.findall(cell.source))
    lines = cell.source.split("\n") if "%" in cell.source or "!" in cell.source else []
    return {word for line in lines if _is_escape(line) for word in _WORD.findall(line)}


def _first_line(cell: Cell, analysis: CellAnalysis) -> int:
    """Return the line where the cell's own work begins, 0 where it may reach others after all."""
    if analysis.fault or analysis.opaque or is_skipped(cell) or _REACHES.search(cell.source):
        return 0
    own = {d.name for d in analysis.definitions if d.binds}
    foreign = {use.name for use in analysis.uses} - own
    foreign |= {name for f in analysis.functions.values() for name in f.reads} - own
    if not own or foreign or _sets_options(analysis):
        return 0
    lines = (s.span.line for s in analysis.statements if not _is_escape(cell.line(s.span.line)))
    return next(lines, 0)


def _sets_options(analysis: CellAnalysis) -> bool:
    """Return whether the cell changes a module it imports, which all cells that import it see."""
    imported = {d.name for d in analysis.definitions if d.kind == "import"}
    return any(d.kind == "mutation" and d.name in imported for d in analysis.definitions)


def _is_escape(line: str) -> bool:
    return line.lstrip()[:1] in {"%", "!", "?", ""}
