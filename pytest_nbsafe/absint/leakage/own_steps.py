"""Steps of a pipeline that are objects of the page's own classes."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage import page_classes, tabular
from pytest_nbsafe.absint.leakage.abstract_values import Data, Estimator, Instance
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.values import replace


def changed(pipeline: Estimator, data: Data, arguments: Arguments) -> Data:
    """Return the rows that a pipeline is given, with what its own steps have learned in them.

    Where the call fits the pipeline, its own steps learn first.
    """
    machine = arguments.machine
    for step in pipeline.steps if pipeline.role == "pipeline" else ():
        inner = machine.get(step)
        if not isinstance(inner, Instance):
            continue
        given = machine.box(data)
        call = replace(arguments, args=[given, *arguments.args[1:]])
        if arguments.what.startswith("fit"):
            page_classes.own_method(step, inner, replace(call, what="fit"))
        now = machine.get(step)
        assert isinstance(now, Instance), "a method leaves an object what it is"
        only = replace(call, args=[given], keywords={}, what="transform")
        result = machine.get(page_classes.own_method(step, now, only))
        if isinstance(result, Data):
            data = tabular.with_deps(data, result.all_deps())
    return data
