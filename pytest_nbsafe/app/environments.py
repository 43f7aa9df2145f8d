"""The environment of a run: what the kernel is asked, and what the text adds to its answer."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_nbsafe import files, project
from pytest_nbsafe.analysis import draws, syntax
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.state import outlives_kernel
from pytest_nbsafe.environment import GONE, Entry
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.kernel.contract import SurroundingsQuestion
from pytest_nbsafe.project import distributions
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.values import replace

_VARIABLE = re.compile(
    r"\b(?:environ(?:\.get|\.pop|\.setdefault)?|getenv)[(\[] ?[\"'](\w{1,200})[\"']"
)
_MOST_SEEDS = 20
_MOST_SEED = 100  # characters of a call


def question(graph: Graph, path: Path) -> SurroundingsQuestion:
    """Return what a kernel is asked of the environment of a notebook."""
    cells = graph.notebook.code_cells
    imports = [i for cell in graph.cells for i in syntax.imports(graph, cell) if not i.level]
    of_project = project.of(path)
    return {
        "home": str(files.real(path).parent),
        "root": str(of_project.folders[-1]),
        "imports": sorted({imported.module.partition(".")[0] for imported in imports}),
        "files": sorted(_named_files(graph)),
        "variables": sorted({name for c in cells for name in _VARIABLE.findall(c.source)}),
        "left_out": [],
        "distributions": distributions.candidates(),
    }


def completed(facts: Facts, path: Path) -> Trial:
    """Return the trial, its environment with the seeds of the page and the locked files gone."""
    trial = facts.trial
    environment = trial.clean.environment
    if environment is None:
        return trial
    there = {entry.name for entry in environment.files}
    gone = [
        Entry(entry.name, GONE)
        for entry in (facts.locked.files if facts.locked else ())
        if entry.name not in there and not files.is_file(path.parent / entry.name)
    ]
    entries = sorted((*environment.files, *gone), key=lambda entry: entry.name)
    environment = replace(environment, files=tuple(entries), seeds=_seeds(facts))
    return replace(trial, clean=replace(trial.clean, environment=environment))


def _named_files(graph: Graph) -> set[str]:
    """Return the files that the text reads and does not write, by the paths in it."""
    statements = [s for cell in graph.cells.values() for s in cell.statements]
    reads = {name for s in statements for name in s.reads if outlives_kernel(name)}
    writes = {name for s in statements for name in (*s.writes, *s.mutates)}
    return {name[1:-1] for name in reads - writes}


def _seeds(facts: Facts) -> tuple[str, ...]:
    """Return the calls that set a seed, as they stand in cells that ran."""
    if not facts.graph.budget.suffices:
        return ()
    ran = {result.cell for result in facts.trial.clean.results if result.status == "ok"}
    calls = {
        _call(facts, event): None
        for event in draws.of(facts.graph)
        if event.seeds and event.cell in ran and not event.callee.startswith("%")
    }
    return tuple(sorted(calls)[:_MOST_SEEDS])


def _call(facts: Facts, event: draws.Event) -> str:
    """Return the text of a call on one line, its name where it is longer."""
    span = event.span
    line = facts.notebook.cell(event.home or event.cell).line(span.line)
    one_line = span.end_line == span.line and not event.via
    text = line[span.column - 1 : span.end_column - 1] if one_line else event.callee
    return text.strip()[:_MOST_SEED]
