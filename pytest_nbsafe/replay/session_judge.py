"""What is asked for, and what is said, after a step of a session that clean runs judge."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.model import CellAnalysis, Graph
from pytest_nbsafe.analysis.parts import Reader
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.replay import read_doubts, stale_cells, stale_names
from pytest_nbsafe.replay.session_runs import SessionEvidence, SessionRun, SessionText, StepAnswer
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.values import dataclass

_SAME = frozenset(
    {
        "__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses",
        "decimal", "enum", "fractions", "functools", "heapq", "itertools", "json", "math",
        "operator", "re", "statistics", "string", "textwrap", "types", "typing",
    }
)  # fmt: skip
_IMPORT = patterns.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^#\n]+))", re.MULTILINE)
_CHANCE = patterns.compile(
    r"\b(?:id|hash|repr|object|open|input|__import__|import_module|get_ipython|exec|eval)\b"
    r"|\b(?:__code__|co_filename|[ft]b_\w+|__traceback__|__file__)\b"
    r"|^[ \t]*(?:!|%(?!%?time\b))|=[ \t]*(?:!|%[a-zA-Z])",
    re.MULTILINE,
)
_OWN = patterns.compile(r"\bclass\b")
_TEXTS = patterns.compile(r"\b(?:str|format)\b|[fF]['\"]|%[sr]")


@dataclass(frozen=True, slots=True)
class TextRun:
    """A text to be run on the side of a session, `without` a name if one is given."""

    text: int
    without: str = ""


Inquiry = Generator[TextRun, CellResult | None, StepAnswer]
"""Yields what to run next, is sent what came of it, None when that is not known."""


def session_texts(
    notebook: Notebook, analyses: Mapping[int, CellAnalysis]
) -> dict[int, SessionText]:
    """Return what each text says, also through the functions that it defines."""
    reader = Reader(Graph(notebook, analyses, {}, {}))
    return {
        number: SessionText(
            source=notebook.cell(number).source,
            makes=analysis.defines.union(*(each.writes for each in analysis.functions.values())),
            dead=analysis.dead,
            certain=frozenset(use.name for use in analysis.uses if use.certain),
            partly=frozenset(
                name
                for name in {use.name for use in analysis.uses}
                if () not in reader.read(name, number)
            ),
        )
        for number, analysis in analyses.items()
    }


def clean_texts(runs: Sequence[SessionRun], cell: str) -> list[int]:
    """Return the texts with which a cell counts in a clean run, in the order in which they run.

    It is the latest text. Where that raised, what stands above the fault has its effect and what
    stands below has not: so the last text that ran to its end comes before it, which is still what
    the cell has made, and where it had no effect at all, the last text before it that had one.
    """
    good: int | None = None
    partly: int | None = None
    latest: int | None = None
    for run in runs:
        if run.cell != cell:
            continue
        latest = run.result.cell
        if run.result.status == "ok":
            good, partly = latest, None
        elif run.result.made or run.result.deleted:
            partly = latest
    texts = [text for text in (good, partly) if text not in {None, latest}]
    return [text for text in (*texts, latest) if text is not None]


def excludes_chance(text: str) -> bool:
    """Return whether chance and time have surely no part in what a text makes, so far as it shows.

    It imports nothing but libraries that compute, and asks for no identity or outer state. Where
    it makes classes it may put an object's address into a text.
    """
    for match in _IMPORT.finditer(text):
        for name in (match[1] or match[2]).split(","):
            words = name.split()
            if not words or words[0].split(".")[0] not in _SAME:
                return False
    if _CHANCE.search(text):
        return False
    return not (_OWN.search(text) and _TEXTS.search(text))


def needs_second(session: SessionEvidence) -> bool:
    """Return whether a second clean run must tell what differs from what is chance."""
    return stale_names.differ(session) or stale_cells.differ(session)


def inquiry(session: SessionEvidence) -> Inquiry:
    """Ask which stale names cells really read, and what the stale cells would do if they ran now.

    Returns what is said of the last step.
    """
    names = stale_names.names(session)
    cells = stale_cells.cells(session, names)
    for doubt in read_doubts.doubts(session, names, cells):
        text = session.last[doubt.cell].result.cell
        without = yield TextRun(text, doubt.name)
        plain = (yield TextRun(text)) if without is not None else None
        if without is not None and plain is not None:
            reads = read_doubts.settled(doubt, plain, without)
            cells = read_doubts.corrected(cells, doubt, reads=reads)
    reruns = {}
    for cell in sorted(stale_cells.to_rerun(cells)):
        rerun = yield TextRun(session.last[cell].result.cell)
        if rerun is not None:
            reruns[cell] = rerun
    return stale_cells.answer(session, names, cells, reruns)
