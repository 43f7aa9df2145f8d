"""Runs of pages made up by hand, and why the outputs differ that were saved."""

from __future__ import annotations

from collections.abc import Mapping

import percent

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.changed_outputs import changed
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Notebook, Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.results import CellResult, Failure, PlanResult
from pytest_nbsafe.values import replace


def of(text: str) -> Output:
    return Output("stream", name="stdout", text=text)


def ran(
    notebook: Notebook, prints: Mapping[int, str], *, raises: Mapping[int, str] | None = None
) -> PlanResult:
    """A run in which these cells print these texts, and the others what was saved."""
    results = []
    for step, cell in enumerate(notebook.code_cells, 1):
        text = prints.get(cell.number)
        outputs = cell.outputs if text is None else (of(text),) if text else ()
        ename = (raises or {}).get(cell.number)
        failure = Failure(ename, "", 1) if ename else None
        status = "raised" if ename else "ok"
        results.append(CellResult(step, cell.number, status, failure, outputs=outputs))  # type: ignore[arg-type]
    cells = [cell.number for cell in notebook.code_cells]
    runs = tuple(Run(i, n, None, recorded=False, reason="") for i, n in enumerate(cells, 1))
    return PlanResult(Plan("top-down", runs), tuple(results), python="3.11.4")


def why(
    text: str,
    clean: Mapping[int, str],
    second: Mapping[int, str] | None = None,
    *,
    replay: Mapping[int, str] | None = None,
    raises: Mapping[int, str] | None = None,
    expected: Expectations | None = None,
    saved_by: str = "",
) -> dict[int, str]:
    """Return why each cell differs, by default after two runs that agree."""
    notebook = percent.parse(text)
    if saved_by:
        notebook = replace(notebook, metadata={"language_info": {"version": saved_by}})
    runs = [
        ran(notebook, prints, raises=raises) if prints is not None else None
        for prints in (clean, clean if second is None else second, replay)
    ]
    assert runs[0] is not None
    trial = Trial(runs[0], second=runs[1], replay=runs[2])
    differing = changed(build(notebook), trial, expected or Expectations())
    return {cell: each.why for cell, each in differing.items()}
