"""New outputs saved, of a notebook that passes but for what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_nbsafe import files, suffixes
from pytest_nbsafe.app.whole_files import put
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, fails
from pytest_nbsafe.fix import cell_diff, saved_results
from pytest_nbsafe.fix.notebook_text import CellEdit, edited, is_editable
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, Notebook, may_raise
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.outputs import shown
from pytest_nbsafe.trace.results import CellResult


def update(
    path: Path, config: Config, facts: Facts, trial: Trial, findings: Iterable[Finding]
) -> tuple[str, ...]:
    """Save the outputs that are not those of the page's own run; return a diff of them.

    Nothing is written where nothing differs; nor where any of the findings fails, the file has
    changed since, a cell did not come to its end, or the run had other values than the page holds.

    Raises:
        NbsafeError: the file cannot be written.

    """
    notebook, results = facts.notebook, trial.clean.results
    if suffixes.is_text(str(path)) or config.parameters:
        return ()
    if not all(map(_is_whole, results)) or any(fails(f, strict=config.strict) for f in findings):
        return ()
    try:
        content = files.read_bytes(path, config.most_mb * files.MEGABYTE)
        if not _is_of(content, notebook, config) or not is_editable(content):
            return ()
    except (OSError, load.Unreadable):  # it is gone, or no notebook any more
        return ()
    edits = _edits(facts, trial)
    if not edits:
        return ()
    put(path, edited(content.decode("utf-8"), edits).encode("utf-8"))
    return tuple(cell_diff.shown(notebook, edits))


def _is_whole(result: CellResult) -> bool:
    return result.came_to_end and not shown.of(result.outputs).is_cut


def _is_of(content: bytes, notebook: Notebook, config: Config) -> bool:
    """Return whether the file still is what was run."""
    now = load.read(Path(notebook.path), config.libraries, config.most_mb, content)
    return now.cells == notebook.cells


def _edits(facts: Facts, trial: Trial) -> Mapping[int, CellEdit]:
    """Return the new outputs of the cells that differ, and of those that never ran, with counts."""
    notebook = facts.notebook
    if not any(map(saved_results.has_results, notebook.cells)):
        return {}
    counts = saved_results.counts(runnable(facts.graph))
    edits = dict(saved_results.recounted(notebook, counts))
    renewed = False
    for result in trial.clean.results:
        cell = notebook.cell(result.cell)
        if not _is_due(cell, result, trial):
            continue
        renewed = renewed or bool(result.outputs) or bool(cell.outputs)
        count = counts.get(cell.number)
        new = saved_results.as_saved(result.outputs, count)
        edits[cell.number] = CellEdit(outputs=new, count=count)
    return edits if renewed else {}


def _is_due(cell: Cell, result: CellResult, trial: Trial) -> bool:
    if result.status != "ok" and not may_raise(cell):
        return False
    return result.cell in trial.changed or not saved_results.has_results(cell)
