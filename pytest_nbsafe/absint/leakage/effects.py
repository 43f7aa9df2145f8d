"""What functions and methods do to rows: one handler for each effect of the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import (
    construct,
    deferred,
    joining,
    networks,
    scores,
    select,
    tables,
    validation,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.frames import (
    Call,
    drop,
    filtered,
    kept,
    resample,
    rowwise,
    sample,
    sized,
)
from pytest_nbsafe.absint.leakage.learning import (
    backfill,
    each,
    filled,
    fitted,
    grouped,
    mapped,
    rolling,
    selection,
    shifted,
    sorted_rows,
    statistic,
    window,
)
from pytest_nbsafe.absint.leakage.sources import (
    chosen,
    dates,
    drawn,
    joined_rows,
    loaded,
    merged,
    randoms,
    repeated,
    setdiff,
    shuffle,
    split_rows,
)
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Const,
    Data,
    Index,
    Seq,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


_CLASSES: Mapping[str, tuple[str, ...]] = {
    "frame": ("pandas.DataFrame", "polars.DataFrame"),
    "series": ("pandas.Series", "numpy.ndarray", "polars.Expr", "torch.Tensor"),
    "array": ("numpy.ndarray", "pandas.DataFrame", "torch.Tensor"),
    "group": ("pandas.GroupBy",),
    "window": ("pandas.Window",),
    "stat": ("pandas.Series", "pandas.DataFrame", "numpy.ndarray", "polars.Expr", "torch.Tensor"),
    "any": (
        "pandas.DataFrame",
        "pandas.Series",
        "numpy.ndarray",
        "polars.DataFrame",
        "torch.Tensor",
    ),
    "bunch": (),
    "row": ("pandas.Series", "numpy.ndarray"),
    "list": ("numpy.ndarray",),
}
"""The classes whose methods a value may have, by its form."""


def is_method(machine: Machine, data: Data, name: str) -> bool:
    """Return whether a name is a method of a table, not one of its columns."""
    return _effect(machine, data, name) is not None or (data.form != "frame" and name == "apply")


def _effect(machine: Machine, data: Data, name: str) -> str | None:
    for kind in _CLASSES[data.form]:
        found = machine.knowledge.method_of(kind, name)
        if found is not None:
            return found
    return None


def method(machine: Machine, bound: Bound, data: Data, arguments: Arguments) -> Value:
    """Return what a method of a table gives; with `inplace=True` the table itself is changed."""
    effect = _effect(machine, data, bound.name)
    if effect is None:
        effect = "rowwise" if data.rows or data.form == "stat" else None
        if effect is None or bound.name in {"fit", "predict", "transform"}:
            return arguments.unknown()
    call = Call(machine, bound.name, data, arguments, 0, bound.owner)
    result = _handle(effect, call)
    if arguments.constant("inplace") is True:
        target = getattr(arguments.node.func, "value", None)
        if target is not None:
            machine.put(bound.owner, machine.get(result))
            machine.store(target, machine.get(result))
        return Const(None)
    return result


def apply(machine: Machine, effect: str, name: str, arguments: Arguments) -> Value:
    """Return what a function of a library gives."""
    what = name.rpartition(".")[2]
    special = _FUNCTIONS.get(effect)
    if special is not None:
        return special(machine, what, arguments)
    data = arguments.data(0, "x", "a", "data", "arr", "X", "frame")
    pair = arguments.find(0)
    if what == "from_tensor_slices" and isinstance(pair, Seq) and pair.items:
        data = select.as_data(machine, pair.items[0])  # the features, with their labels
    if isinstance(arguments.find(0), Unknown) and what in {"array", "asarray"}:
        return arguments.get(0)
    if isinstance(arguments.find(0), Index) and effect in {"identity", "sort", "rowwise"}:
        return arguments.get(0)
    if data is None or (isinstance(arguments.find(0), Unknown) and effect != "identity"):
        found = [value for value in arguments.every() if isinstance(value, Data)]
        if not found:
            return Unknown((what, *(machine.token(v) for v in arguments.every())))
        data = tables.mix(found)
    return _handle(effect, Call(machine, what, data, arguments, 1))


def _handle(effect: str, call: Call) -> Value:
    handler = _EFFECTS.get(effect)
    return handler(call) if handler is not None else call.arguments.unknown()


def _draw(_call: Call) -> Value:
    return Const(None)


def _concat_method(call: Call) -> Value:
    others = [v for v in call.arguments.every() if isinstance(v, Data)]
    return joining.concat([call.data, *others], call.arguments.site, call.name)


def _merge_method(call: Call) -> Value:
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not call.data]
    return joining.merge([call.data, *others])


_EFFECTS: Mapping[str, Callable[[Call], Value]] = {
    "identity": kept,
    "rowwise": rowwise,
    "filter": filtered,
    "drop": drop,
    "sample": sample,
    "shuffle": lambda call: replace(call.data, mask=None),
    "sort": sorted_rows,
    "size": sized,
    "statistic": statistic,
    "selection": selection,
    "fitted": fitted,
    "fill": filled,
    "backfill": backfill,
    "shift": shifted,
    "rolling": rolling,
    "window": window,
    "group": grouped,
    "each": each,
    "map": mapped,
    "learn": networks.backward,
    "item": networks.item,
    "columns": deferred.with_columns,
    "rename": deferred.renamed,
    "over": deferred.spread,
    "concat": _concat_method,
    "merge": _merge_method,
    "resample": resample,
    "draw": _draw,
}
"""What an effect makes of a table."""

_FUNCTIONS: Mapping[str, Callable[[Machine, str, Arguments], Value]] = {
    "load": loaded,
    "random": randoms,
    "dates": dates,
    "column": deferred.column,
    "scorer": networks.loss,
    "concat": joined_rows,
    "merge": merged,
    "split": split_rows,
    "shuffle": shuffle,
    "sample": chosen,
    "size": setdiff,
    "resample": repeated,
    "draw": drawn,
    "metric": scores.metric,
    "cluster_metric": lambda _machine, _what, arguments: Unknown(
        ("metric", arguments.machine.fresh(arguments.node))
    ),
    "score": validation.score_function,
    "cv": validation.cross_validated,
    "cv_predict": validation.cross_predicted,
    "cv_curve": lambda _machine, _what, arguments: Unknown(
        ("curve", arguments.machine.fresh(arguments.node))
    ),
    "fit": validation.train_function,
    "make_pipeline": construct.make_pipeline,
    "make_columns": construct.make_columns,
    "clone": construct.clone,
}
"""Functions that are not a change of one table."""
