"""What came of a run, made from what the kernel sent back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.kernel.contract import CellRun, SideRun
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.runner.executed import UNSENT, Executed, of_side_run
from pytest_nbsafe.runner.failures import as_failure
from pytest_nbsafe.trace.evaluations import copies, evaluations
from pytest_nbsafe.trace.events import records, values
from pytest_nbsafe.trace.results import CellResult, Incident
from pytest_nbsafe.values import replace


class CellResults:
    """Makes the results of the runs in one kernel, and knows which of its runs ran which cell.

    `analyses` saves analysing the notebook again. `fault` is what went wrong with the tracer; the
    next result tells it.
    """

    def __init__(
        self, notebook: Notebook, analyses: Mapping[int, CellAnalysis] | None, *, trace: bool
    ) -> None:
        self.fault = ""
        self.run_cells: dict[int, int] = {}
        self._notebook = notebook
        self._analyses = analyses
        self._trace = trace

    def of_run(self, cell: Cell, step: int, executed: Executed) -> CellResult:
        """Return the result of a run in the kernel."""
        event = executed.event
        if event is not None:
            self.run_cells[event["run"]] = cell.number
        failure, status = None, executed.status
        if executed.reply is not None:
            failure = as_failure(executed.reply, event, self.run_cells)
        if status == "ok" and failure is not None:
            status = "raised"
        result = CellResult(
            step,
            cell.number,
            status,
            failure=failure,
            reason=executed.reason,
            outputs=executed.outputs,
            displays=executed.displays,
            incidents=self._incidents(executed),
            duration_s=executed.duration_s,
            reused=executed.reused,
            again_s=executed.again_s,
            since=executed.since,
        )
        return self._traced(result, event) if event is not None else result

    def of_side_runs(
        self, runs: Sequence[SideRun], cells: Sequence[Cell], raw: str, first: int = 1
    ) -> tuple[CellResult, ...]:
        """Return the results of runs on the side, the `first` of which is of that step.

        The kernel itself has not run them. `raw` is what compiled code wrote past Python in the
        last.
        """
        known, self.run_cells = self.run_cells, dict(self.run_cells)
        try:
            results = []
            last = first + len(runs) - 1
            for step, (run, cell) in enumerate(zip(runs, cells, strict=False), first):
                executed = of_side_run(run, raw if step == last else "")
                results.append(self.of_run(cell, step, executed))
            return tuple(results)
        finally:
            self.run_cells = known

    def _traced(self, result: CellResult, event: CellRun) -> CellResult:
        result = replace(
            result,
            cpu_s=event["cpu_s"],
            evaluations=evaluations(event, result.cell, self.run_cells),
            copies=copies(event, result.cell, self.run_cells),
        )
        if not self._trace:
            return result
        return replace(
            result,
            reads=values(event["before"]),
            after=values(event["after"]),
            records=records(event, result.step, result.cell, self._known(), self.run_cells),
        )

    def _known(self) -> Mapping[int, CellAnalysis]:
        if self._analyses is None:
            self._analyses = build(self._notebook).cells
        return self._analyses

    def _incidents(self, executed: Executed) -> tuple[Incident, ...]:
        event = executed.event
        incidents = [Incident(**incident) for incident in event["incidents"]] if event else []
        if self.fault:
            incidents.append(Incident("tracer", 0, self.fault))
            self.fault = ""
        elif event is None and _is_answered(executed) and self._notebook.language == "python":
            incidents.append(Incident("tracer", 0, "the tracer did not report this run"))
        return tuple(incidents)


def _is_answered(executed: Executed) -> bool:
    """Return whether a kernel has answered that it ran a cell."""
    return executed.reply is not None and UNSENT not in executed.reply
