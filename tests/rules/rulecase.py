"""Help for the rule tests: notebooks as percent text in, compact findings out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import percent

from pytest_nbsafe.app import facts as app_facts
from pytest_nbsafe.app import run as app_run
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.judge.trial import Judgement, Trial
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.project import Project
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.results import CellResult, Failure, Incident, PlanResult, RunStatus
from pytest_nbsafe.trace.suspicions import Suspicions

_MARK = re.compile(r"#! (NBS\d+)")
_DECLARES = re.compile(r"^# the project declares: (.+)$", re.MULTILINE)


def facts_of(text: str, config: Config | None = None) -> Facts:
    """Return the static facts of a notebook in percent text.

    A line "# the project declares: a, b" says what its project does, in requirements.txt.
    """
    facts, _ = app_facts.static_facts(percent.parse(text), config or Config())
    if declares := _DECLARES.search(text):
        names = frozenset(declares[1].split(", "))
        files = (Path("requirements.txt"),)
        return replace(facts, project=Project(names, frozenset(), files))
    return facts


def found(text: str, config: Config | None = None) -> list[str]:
    """Return the static findings of a notebook in percent text, as `lines` puts them."""
    return lines(evaluate(facts_of(text, config)))


def lines(findings: Iterable[Finding]) -> list[str]:
    """Return findings as "NBS101 3:1 proved error" (cell:line)."""
    return [
        f"{f.code} {f.location.cell}:{f.location.line} {f.verdict} {f.severity}" for f in findings
    ]


def marked(text: str) -> list[str]:
    """Return the places that `#! NBS101` marks in percent text, as "NBS101 3:1"."""
    notebook = percent.parse(text)
    return [
        f"{code} {cell.number}:{number}"
        for cell in notebook.cells
        for number, line in enumerate(cell.source.split("\n"), 1)
        for code in _MARK.findall(line)
    ]


def run(text: str, folder: Path, **settings: Any) -> tuple[Finding, ...]:
    """Return what running a notebook in percent text finds, notes too."""
    path = folder / "notebook.ipynb"
    percent.write(percent.parse(text, str(path)), path)
    return app_run.run([path], {"notes": True, **settings}).findings


def tried(
    facts: Facts,
    clean: Mapping[int, CellResult] | None = None,
    *,
    replay: Mapping[int, CellResult] | None = None,
    judgements: Iterable[Judgement] = (),
    suspicions: Suspicions | None = None,
) -> Facts:
    """Return the facts after a run in which every cell passed but those given.

    With `replay` (or judgements), the facts' own plan was replayed first.
    """
    judged = {judgement.cell: judgement for judgement in judgements}
    suspicions = suspicions or facts.suspicions
    numbers = [cell.number for cell in facts.notebook.code_cells]
    top_down = Plan(
        "top-down",
        tuple(Run(i, n, None, recorded=False, reason="") for i, n in enumerate(numbers, 1)),
    )
    trial = Trial(
        clean=_results(top_down, clean or {}),
        replay=_results(facts.plan, replay or {}) if replay is not None or judged else None,
        suspicions=suspicions,
        judgements=judged,
    )
    return replace(facts, trial=trial, suspicions=suspicions)


def _results(plan: Plan, given: Mapping[int, CellResult]) -> PlanResult:
    return PlanResult(
        plan,
        tuple(
            replace(given.get(run.cell, CellResult(0, run.cell, "ok")), step=run.step)
            for run in plan.runs
        ),
    )


def raised(
    cell: int, ename: str, evalue: str, line: int = 1, frames: tuple[tuple[int, int], ...] = ()
) -> dict[int, CellResult]:
    """Return the result of a cell that raised, by its number."""
    failure = Failure(ename, evalue, line, frames=frames or ((cell, line),))
    return {cell: CellResult(0, cell, "raised", failure)}


def ended(cell: int, status: RunStatus, reason: str = "") -> dict[int, CellResult]:
    """Return the result of a cell that ended so, by its number."""
    return {cell: CellResult(0, cell, status, reason=reason)}


def with_incident(cell: int, kind: str, message: str = "") -> dict[int, CellResult]:
    """Return the result of a cell that passed with an incident, by its number."""
    return {cell: CellResult(0, cell, "ok", incidents=(Incident(kind, 1, message),))}
