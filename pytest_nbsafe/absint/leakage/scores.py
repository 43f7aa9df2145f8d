"""Scores of predictions against the truth."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import subscripts
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Better,
    Data,
    Dictionary,
    Eval,
    ModelFit,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.memory import Choice
from pytest_nbsafe.values import replace


def evaluated(
    fit: ModelFit,
    data: Data,
    arguments: Arguments,
    name: str,
    *,
    curve: bool = False,
    better: Better = "",
    splitter: Splitter | None = None,
    whole: str = "",
) -> Data:
    """Return a score of a fit on rows, or on the folds of a splitter, and tell the judge of it."""
    machine = arguments.machine
    score = Eval(
        fit,
        data.rows,
        data.all_deps(),
        arguments.site,
        name,
        cv=data.cv,
        shuffled=splitter is not None and splitter.shuffles,
        several=curve or machine.loops > 0,
        vague=data.vague,
        certain=machine.certain and fit.certain,
        better=better,
        whole=whole,
    )
    machine.note(score)
    return Data(form="stat", scores=frozenset((score,)))


def answers_counted(machine: Machine, node: ast.If, test: Value) -> None:
    """Tell the judge of right or wrong predictions that a loop counts one by one."""
    if not (isinstance(test, Data) and test.judged and test.pred and machine.loops):
        return
    if any(isinstance(part, ast.AugAssign) for child in node.body for part in ast.walk(child)):
        fit, deps, site = test.pred, test.all_deps(), machine.site(node.test)
        certain = machine.certain and fit.certain
        machine.note(
            Eval(fit, test.rows, deps, site, cv=test.cv, vague=test.vague, certain=certain)
        )


def judged(data: Data, arguments: Arguments) -> Value:
    """Return the score that a mean of right predictions is."""
    if data.pred is None:
        return AnyValue(arguments.fresh)
    return evaluated(data.pred, data, arguments, "")


def metric(arguments: Arguments, *, curve: bool = False) -> Value:
    """Return the score of predictions against the truth, or one for each threshold."""
    machine = arguments.machine
    values = [(v, arguments.name(i)) for i, v in enumerate(map(machine.get, arguments.args))]
    values += [(machine.get(v), "") for v in arguments.keywords.values()]
    predictions = []
    for value, name in values:
        state = subscripts.as_data(machine, value) if isinstance(value, Seq) else value
        if isinstance(state, Data) and state.pred is not None:
            predictions.append((state, name))
    if not predictions:
        scores = frozenset(s for v, _ in values if isinstance(v, Data) for s in v.scores)
        return Data(form="stat", scores=scores) if scores else arguments.unknown()
    data = predictions[-1][0]
    truth = next((name for value, name in values if name and value is not predictions[-1][0]), "")
    assert data.pred is not None, "only predictions are kept"
    better: Better = "less" if _LOSS.search(arguments.what) else "more"
    return evaluated(data.pred, data, arguments, truth, curve=curve, better=better)


def by_name(arguments: Arguments) -> Value:
    """Return the score that an unknown function seems to give, by what it is called."""
    values = [v for v in map(arguments.machine.get, arguments.args) if isinstance(v, Data)]
    values += [
        v for v in map(arguments.machine.get, arguments.keywords.values()) if isinstance(v, Data)
    ]
    several = any(v.pred for v in values) and any(v.pred is None and v.rows for v in values)
    if several and _SCORE.search(arguments.what):
        return metric(arguments)
    return arguments.unknown()


_SCORE = patterns.compile(
    r"(?i)accuracy|confusion|error(?!bar)|evaluat|loss|metric|precision|recall|report|score|"
    r"(?<![a-z])(?:auc|f1|r2|s?map?e|rms?l?e|ms?l?e|mae)(?![a-z])"
)
"""What functions are called that judge predictions."""
_LOSS = patterns.compile(r"loss|error|deviance|^m[as]e$|^rmse")
"""What a score is called of which less is better."""


# -- the scores that values hold -------------------------------------------------------------------


def note_choice(value: Value, arguments: Arguments, wanted: Better = "") -> None:
    """Tell the judge of a choice by scores: `max(scores)`; the worst of them is no choice."""
    machine = arguments.machine
    chosen_by = frozenset(
        s for s in scores_in(machine, value) if not wanted or s.better in {"", wanted}
    )
    if chosen_by:
        machine.note(Choice(machine.site(arguments.node), chosen_by))


def turned(scores: frozenset[Eval]) -> frozenset[Eval]:
    """Return scores with their sign turned: the least of them is the best now."""
    return frozenset(replace(s, better=_TURNED[s.better]) for s in scores)


_TURNED: Mapping[str, Better] = {"": "", "more": "less", "less": "more"}


def scores_in(machine: Machine, value: Value, depth: int = 0) -> frozenset[Eval]:
    """Return the scores that a value holds."""
    value = machine.get(value)
    if isinstance(value, Data):
        return frozenset(value.scores)
    if not isinstance(value, Seq | Dictionary) or depth >= _DEPTH:
        return frozenset()
    return frozenset().union(*(scores_in(machine, part, depth + 1) for part in value.parts()))


_DEPTH = 4
"""Scores that lie deeper in lists are not looked for."""
