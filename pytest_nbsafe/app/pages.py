"""What a report shows of a notebook's page, gathered where a report asks for it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Container, Iterable, Iterator

from pytest_nbsafe.analysis.dependencies import page_edges
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import partings
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Cell, Output
from pytest_nbsafe.pages import Page, PageCell, PageOutput, PageParting, PageRead, PageStep
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.outputs.terminal import ESCAPES
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.values import dataclass, replace

_LONGEST_SOURCE = 40_000
_LONGEST_TEXT = 8_000
_MOST_OUTPUTS = 40
_LARGEST_PICTURE = 1_500_000
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")


def page_of(facts: Facts, trial: Trial | None) -> Page:
    """Return the page; of what is very long the beginning."""
    graph, plan = facts.graph, trial.choice.plan if trial and trial.choice else facts.plan
    results = {result.cell: result for result in trial.clean.results} if trial else {}
    changed = trial.changed.keys() if trial else frozenset[int]()
    links = {**_links_of_text(graph), **(_links_of_run(trial.clean.results) if trial else {})}
    cells = tuple(
        replace(
            _cell(cell, results.get(cell.number), links.get(cell.number, _Links()), changed),
            differs=_differing(trial, cell.number),
        )
        for cell in graph.notebook.cells
    )
    steps = (PageStep(r.cell, r.count, r.reason, r.session, r.probability) for r in plan.runs)
    return Page(cells, plan.order, tuple(steps), _parting(graph, trial))


def _parting(graph: Graph, trial: Trial | None) -> PageParting | None:
    found = partings.between_orders(graph, trial) if trial is not None else None
    if found is None:
        return None
    return PageParting(found.cell, found.name, found.read, found.there, found.here)


def _differing(trial: Trial | None, cell: int) -> tuple[str, ...]:
    judgement = trial.judgements.get(cell) if trial is not None else None
    made = judgement.made if judgement is not None else {}
    return tuple(name for name, each in sorted(made.items()) if each == "differs")


# -- what cells read and make ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Links:
    """What a cell reads of others, and the names that it makes."""

    reads: tuple[PageRead, ...] = ()
    makes: tuple[str, ...] = ()


def _links_of_text(graph: Graph) -> dict[int, _Links]:
    reads: dict[int, dict[PageRead, None]] = {}
    for edge in page_edges(graph):
        reads.setdefault(edge.reader, {})[PageRead(edge.name, edge.definer)] = None
    return {
        number: _Links(
            tuple(reads.get(number, ())),
            tuple(dict.fromkeys(n for s in cell.statements for n in (*s.writes, *s.mutates))),
        )
        for number, cell in graph.cells.items()
    }


def _links_of_run(results: Iterable[CellResult]) -> dict[int, _Links]:
    """Return what cells were seen to read and make, of those that came to their end."""
    links: dict[int, _Links] = {}
    made_by: dict[str, int] = {}
    for result in results:
        reads: dict[PageRead, None] = {}
        makes: dict[str, None] = {}
        for record in result.records:
            for name in sorted(record.reads):
                if made_by.get(name, result.cell) != result.cell:
                    reads[PageRead(name, made_by[name])] = None
            for name in (*record.writes, *record.mutates):
                makes[name] = None
                made_by[name] = result.cell
        if result.came_to_end:
            links[result.cell] = _Links(tuple(reads), tuple(makes))
    return links


def _cell(
    cell: Cell, result: CellResult | None, links: _Links, changed: Container[int]
) -> PageCell:
    return PageCell(
        cell.number,
        cell.kind,
        _cut(cell.source, _LONGEST_SOURCE),
        cell.count,
        tuple(_shown(cell.outputs)),
        tuple(_shown(result.outputs)) if result else (),
        cell.number in changed,
        result.status if result else "",
        result.duration_s if result else 0.0,
        links.reads,
        links.makes,
    )


def _shown(outputs: Iterable[Output]) -> Iterator[PageOutput]:
    """Yield how outputs are shown: texts and pictures, never anything that could run."""
    for number, output in enumerate(outputs):
        if number == _MOST_OUTPUTS:
            yield PageOutput("text", "(more outputs are left out)")
            return
        yield _output(output)


def _output(output: Output) -> PageOutput:
    if output.kind == "error":
        traceback = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
        return PageOutput("error", _text(traceback))
    for media in _PICTURES:
        picture = _picture(media, output.data.get(media))
        if picture:
            return picture
    return PageOutput("stderr" if output.name == "stderr" else "text", _text(output.text))


def _picture(media: str, data: object) -> PageOutput | None:
    """Return a picture, None where the data are none or too many."""
    text = "".join(map(str, data)) if isinstance(data, list) else data
    if not isinstance(text, str) or len(text) > _LARGEST_PICTURE:
        return None
    if media == "image/svg+xml":
        encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
        return PageOutput("image", encoded, media)
    try:
        whole = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return PageOutput("image", base64.b64encode(whole).decode(), media)


def _text(text: str) -> str:
    return _cut(ESCAPES.sub("", text), _LONGEST_TEXT)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n... ({len(text) - most} more characters)"
