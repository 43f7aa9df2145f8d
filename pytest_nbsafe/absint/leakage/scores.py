"""Scores of predictions against the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import select
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.values import (
    Better,
    Data,
    Eval,
    Fit,
    Seq,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def evaluated(
    machine: Machine,
    fit: Fit,
    data: Data,
    arguments: Arguments,
    name: str,
    *,
    curve: bool = False,
    better: Better = "",
) -> Data:
    """Return a score of a fit on rows, and tell the judge of it."""
    score = Eval(
        fit,
        data.rows,
        data.all_deps(),
        arguments.site,
        name,
        cv=data.cv,
        loop=machine.loops > 0,
        curve=curve,
        vague=data.vague,
        certain=machine.certain and fit.certain,
        better=better,
    )
    machine.note("eval", arguments.node, score)
    return Data(form="stat", scores=frozenset((score,)))


def judged(machine: Machine, data: Data, arguments: Arguments) -> Value:
    """Return the score that a mean of right predictions is."""
    if data.pred is None:
        return Unknown(machine.fresh(arguments.node))
    return evaluated(machine, data.pred, data, arguments, "")


def metric(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return the score of predictions against the truth."""
    values = [(v, arguments.name(i)) for i, v in enumerate(map(machine.get, arguments.args))]
    values += [(machine.get(v), "") for v in arguments.keywords.values()]
    found = []
    for value, name in values:
        state = select.as_data(machine, value) if isinstance(value, Seq) else value
        if isinstance(state, Data) and state.pred is not None:
            found.append((state, name))
    if not found:
        scores = frozenset(s for v, _ in values if isinstance(v, Data) for s in v.scores)
        return Data(form="stat", scores=scores) if scores else arguments.unknown()
    data = found[-1][0]
    truth = next((name for value, name in values if name and value is not found[-1][0]), "")
    curve = what in {"roc_curve", "precision_recall_curve"}
    assert data.pred is not None, "only predictions are kept"
    better: Better = "less" if _LOSS.search(what) else "more"
    return evaluated(machine, data.pred, data, arguments, truth, curve=curve, better=better)


_LOSS = patterns.compile(r"loss|error|deviance|^m[as]e$|^rmse")
"""What a score is called of which less is better."""
