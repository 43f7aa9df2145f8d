"""The table of finding codes: their names, default severities and one-line meanings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from pytest_nbsafe.values import dataclass

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table; `severity` is what a proved finding of this code weighs."""

    code: str
    name: str
    severity: Severity
    says: str


_TABLE = """\
NBS101 undefined-name             error   a name is read here that no cell defines
NBS102 defined-later              error   a name is read here, but first defined further down
NBS103 ran-out-of-order           warning the counts contradict the page along a real dependency
NBS104 ambiguous-definition       warning two cells define the name and either can reach this read
NBS105 isolated-cell              note    the cell shares no name with any other cell
NBS106 rerun-unsafe               warning running the cell twice changes its own input
NBS107 never-run                  note    the cell has no count, though the notebook was run
NBS108 several-sessions           note    the counts come from more than one session
NBS109 missing-runs               note    counts are missing: cells were re-run or deleted
NBS201 stale-output               error   the saved result was made from an older version of a name
NBS202 stale-read                 error   the cell read a value older than what it was made from
NBS203 stale-if-rerun             note    running this cell and then another would read a stale value
NBS205 inconsistent-cell          error   an input no longer holds what the cell read, and a clean run gives it a different result
NBS301 preprocessing-before-split error   something was fitted on rows that are later test rows
NBS302 statistic-before-split     error   a mean, median or the like of later test rows went into the features
NBS303 selection-before-split     error   features were chosen with the labels of later test rows
NBS304 fit-on-test                error   something was fitted on the test rows, which are then evaluated
NBS305 preprocessing-before-cv    error   cross-validation runs on data that something was fitted on whole
NBS306 fit-on-train-and-test      error   train and test rows were joined, and something was fitted on both
NBS311 resample-before-split      error   rows were over-sampled before the split or the folds
NBS312 trained-on-test            error   a model is scored on rows that it was fitted on
NBS313 test-back-in-train         error   test rows were joined to the training rows, and then scored on
NBS314 train-score-only           warning the score on the training rows is the only one
NBS321 tuned-on-test              error   a parameter, threshold or model was chosen by the test score
NBS322 early-stop-on-test         error   early stopping watches the rows that are reported as test
NBS323 test-reused                note    several models are scored on one test set
NBS324 cv-best-reported           note    the best score of a search is given as the result
NBS331 shuffled-time              warning rows in order of time are split at random
NBS332 split-groups               warning rows of one group land on both sides of the split
NBS333 looks-ahead                warning a feature is made from later rows
NBS334 duplicate-rows             warning equal rows are on both sides of a split
NBS341 target-in-features         error   the target, or a copy of it, is among the features
NBS342 target-encoding            error   means of the target were made with the labels of later test rows
NBS401 cell-failed                error   the cell raised
NBS405 unseeded-randomness        warning a random source is used before any seed is set
NBS406 machine-path               warning an absolute or home path is read or written
NBS407 unpinned-install           warning a package is installed without a version
NBS408 undeclared-dependency      warning a package is imported that the project does not declare
NBS501 contract-broken            error   a contract of the user's own does not hold
NBS901 unreadable-notebook        error   the file is not a notebook that can be read
NBS902 cell-does-not-parse        error   the cell is not valid Python
NBS903 kernel-died                error   the kernel died while the cell ran
NBS904 timed-out                  error   the cell ran longer than the limit
NBS905 no-such-kernel             error   the notebook's kernel is not installed
NBS906 tracer-fault               warning nbsafe's own tracer failed here; what it touched is unknown
NBS907 unused-suppression         warning a suppression that suppresses nothing
"""
"""The code, its name, its severity, and what a finding of it says."""


def _rows() -> Iterator[Code]:
    for line in _TABLE.splitlines():
        code, name, severity, says = line.split(maxsplit=3)
        yield Code(code, name, cast("Severity", severity), says)


CODES: dict[str, Code] = {row.code: row for row in _rows()}
