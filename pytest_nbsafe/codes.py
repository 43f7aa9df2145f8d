"""The table of finding codes: their names, default severities and one-line meanings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from pytest_nbsafe.values import dataclass

Severity = Literal["error", "warning", "note"]
Needs = Literal["static", "either", "run", "-"]


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table; `severity` is that of a proved finding of this code.

    Its rule needs the text alone ("static"), it speaks from the text and a run may add to it
    ("either"), or it can only speak after a run ("run"). "-" has a code that no rule is asked for:
    it is told before there are facts, or when all rules have spoken.
    """

    code: str
    name: str
    severity: Severity
    needs: Needs
    says: str


RENEWED = frozenset({"NBS402", "NBS403"})
"""What is found of outputs that saving the new ones mends."""
_TABLE = """\
NBS101 undefined-name             error   either a name is read here that no cell defines
NBS102 defined-later              error   either a name is read here, but first defined further down
NBS103 ran-out-of-order           warning either the counts contradict the page along a real dependency
NBS104 ambiguous-definition       warning either two cells define the name and either can reach this read
NBS105 isolated-cell              note    static the cell shares no name with any other cell
NBS106 rerun-unsafe               warning either running the cell twice changes its own input
NBS107 never-run                  note    static the cell has no count, though the notebook was run
NBS108 several-sessions           note    static the counts come from more than one session
NBS109 missing-runs               note    static counts are missing: cells were re-run or deleted
NBS201 stale-output               error   either the saved result was made from an older version of a name
NBS202 stale-read                 error   run    the cell read a value older than what it was made from
NBS203 stale-if-rerun             note    static running this cell and then another would read a stale value
NBS205 inconsistent-cell          error   run    an input no longer holds what the cell read, and a clean run gives it a different result
NBS301 preprocessing-before-split error   either something was fitted on rows that are later test rows
NBS302 statistic-before-split     error   static a mean, median or the like of later test rows went into the features
NBS303 selection-before-split     error   either features were chosen with the labels of later test rows
NBS304 fit-on-test                error   either something was fitted on the test rows, which are then evaluated
NBS305 preprocessing-before-cv    error   either cross-validation runs on data that something was fitted on whole
NBS306 fit-on-train-and-test      error   either train and test rows were joined, and something was fitted on both
NBS311 resample-before-split      error   either rows were over-sampled before the split or the folds
NBS312 trained-on-test            error   either a model is scored on rows that it was fitted on
NBS313 test-back-in-train         error   either test rows were joined to the training rows, and then scored on
NBS314 train-score-only           warning static the score on the training rows is the only one
NBS321 tuned-on-test              error   static a parameter, threshold or model was chosen by the test score
NBS322 early-stop-on-test         error   static early stopping watches the rows that are reported as test
NBS323 test-reused                note    static several models are scored on one test set
NBS324 cv-best-reported           note    static the best score of a search is given as the result
NBS331 shuffled-time              warning static rows in order of time are split at random
NBS332 split-groups               warning static rows of one group land on both sides of the split
NBS333 looks-ahead                warning static a feature is made from later rows
NBS334 duplicate-rows             warning run    equal rows are on both sides of a split
NBS341 target-in-features         error   static the target, or a copy of it, is among the features
NBS342 target-encoding            error   static means of the target were made with the labels of later test rows
NBS401 cell-failed                error   run    the cell raised
NBS402 output-changed             error   run    the saved output is not what the cell gives
NBS403 order-dependent            error   run    the recorded order and the page's own end with different values
NBS404 nondeterministic           warning run    the same order, run twice, gives different values
NBS405 unseeded-randomness        warning static a random source is used before any seed is set
NBS406 machine-path               warning static an absolute or home path is read or written
NBS407 unpinned-install           warning static a package is installed without a version
NBS408 undeclared-dependency      warning static a package is imported that the project does not declare
NBS409 saved-error                error   static an error was saved as the output of the cell
NBS501 contract-broken            error   -      a contract of the user's own does not hold
NBS901 unreadable-notebook        error   -      the file is not a notebook that can be read
NBS902 cell-does-not-parse        error   static the cell is not valid Python
NBS903 kernel-died                error   run    the kernel died while the cell ran
NBS904 timed-out                  error   run    the cell ran longer than the limit
NBS905 no-such-kernel             error   -      the notebook's kernel is not installed
NBS906 tracer-fault               warning run    nbsafe's own tracer failed here; what it touched is unknown
NBS907 unused-suppression         warning -      a suppression that suppresses nothing
NBS908 analysis-cut-short         warning -      the notebook is too much to be analysed whole
"""
"""The code, its name, its severity, what its rule needs, and what a finding of it says."""


def _rows() -> Iterator[Code]:
    for line in _TABLE.splitlines():
        code, name, severity, needs, says = line.split(maxsplit=4)
        yield Code(code, name, cast("Severity", severity), cast("Needs", needs), says)


CODES: dict[str, Code] = {row.code: row for row in _rows()}
