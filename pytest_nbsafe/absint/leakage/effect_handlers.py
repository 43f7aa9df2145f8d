"""What functions and methods do to rows: one handler for each effect of the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pytest_nbsafe.absint.leakage import (
    builtin_calls,
    callbacks,
    combining,
    construction,
    cross_validation,
    deferred,
    drawing,
    learned_effects,
    loading,
    networks,
    positions,
    row_effects,
    scores,
    splits,
    subscripts,
)
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Bound,
    Const,
    Data,
    Index,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.libraries.keys import GENERAL

_OF_ESTIMATORS = frozenset({"fit", "predict", "transform"})
"""Methods of estimators: what seems to be a table and has one of them is none."""


def method(machine: Machine, bound: Bound, data: Data, arguments: Arguments) -> Value:
    """Return what a method of a table gives; with `inplace=True` the table itself is changed."""
    effect = machine.roles.effect_on(data.form, bound.name)
    if effect is None:
        if bound.name in _OF_ESTIMATORS or not (data.rows or data.form == "stat"):
            return arguments.unknown()
        effect = "rowwise"
    result = _on_table(effect, TableCall(data, arguments, bound.owner))
    if arguments.constant("inplace") is True:
        target = getattr(arguments.node.func, "value", None)
        if target is not None:
            machine.put(bound.owner, machine.get(result))
            machine.store(target, machine.get(result))
        return Const(None)
    return result


def apply(machine: Machine, effect: str, arguments: Arguments) -> Value:
    """Return what a function of a library gives."""
    handler = FUNCTIONS.get(effect)
    if handler is not None:
        return handler(machine, arguments)
    first, kind = arguments.find(0), GENERAL[effect]
    if isinstance(first, AnyValue) and effect == "to_array":
        return first
    if isinstance(first, Index) and kind in {"identity", "sort", "rowwise"}:
        return first
    if effect == "from_slices" and isinstance(first, Seq) and first.items:
        data = subscripts.as_data(machine, first.items[0])
    else:
        data = arguments.table(unknown=kind == "identity")
    return _on_table(effect, TableCall(data, arguments)) if data is not None else arguments.same()


def _on_table(effect: str, call: TableCall) -> Value:
    handler = TABLES.get(effect) or TABLES.get(GENERAL[effect])
    return handler(call) if handler is not None else call.arguments.unknown()


def _nothing(_machine: Machine, _arguments: Arguments) -> Value:
    return Const(None)


def _number(machine: Machine, arguments: Arguments) -> Value:
    """Return a number that judges no model."""
    return AnyValue(("number", arguments.what, machine.fresh(arguments.node)))


def _same(_machine: Machine, arguments: Arguments) -> Value:
    return arguments.same()


def _anything(_machine: Machine, arguments: Arguments) -> Value:
    return arguments.unknown()


TABLES: Mapping[str, Callable[[TableCall], Value]] = {
    # the same rows
    "identity": row_effects.kept,
    "to_array": partial(row_effects.in_form, form="array"),
    "as_array": partial(row_effects.in_form, form="array"),
    "to_frame": partial(row_effects.in_form, form="frame"),
    "reset_index": row_effects.reset_index,
    "set_index": row_effects.index_set,
    "take_out": row_effects.take_out,
    "get": row_effects.column_by_name,
    "choose": deferred.chosen,
    "some_columns": row_effects.some_columns,
    "reindex": row_effects.reindexed,
    "rename_columns": row_effects.columns_renamed,
    "items": row_effects.items,
    "columns": deferred.with_columns,
    "select_columns": deferred.select_columns,
    "rename": deferred.renamed,
    "over": deferred.spread,
    # each row from that row alone
    "rowwise": row_effects.rowwise,
    "assign": row_effects.assigned,
    "astype": row_effects.kept,
    "normalize": learned_effects.normalized,
    "eval": row_effects.evaluated_text,
    "insert": row_effects.inserted,
    "isin": row_effects.is_in,
    "between": row_effects.is_between,
    "is_missing": row_effects.is_missing,
    "is_present": partial(row_effects.is_missing, part=("not", ("is", True))),
    "dummies": row_effects.dummies,
    # some of the rows, or others
    "filter": row_effects.filtered,
    "head": partial(row_effects.at_end, first=True),
    "tail": partial(row_effects.at_end, first=False),
    "take": row_effects.taken,
    "skip": row_effects.skipped,
    "subset": row_effects.subset,
    "delete": row_effects.deleted,
    "dropna": row_effects.without_gaps,
    "query": row_effects.queried,
    "group_rows": row_effects.group_rows,
    "drop": row_effects.dropped,
    "sample": drawing.sampled,
    "resample": drawing.resampled,
    "repeat": drawing.repeated,
    "shuffle": drawing.shuffled_table,
    "concat": combining.concat_to,
    "merge": combining.merge_to,
    # what is learned of all rows, or looks at others
    "statistic": learned_effects.statistic,
    "quantile": partial(learned_effects.statistic, axis_at=learned_effects.NOWHERE),
    "correlation": partial(learned_effects.statistic, kind="correlation"),
    "value_counts": learned_effects.value_counts,
    "highest": partial(learned_effects.extreme, wanted="more"),
    "lowest": partial(learned_effects.extreme, wanted="less"),
    "highest_rows": partial(learned_effects.extreme_rows, wanted="more"),
    "lowest_rows": partial(learned_effects.extreme_rows, wanted="less"),
    "pivot_table": learned_effects.pivoted,
    "aggregate": learned_effects.aggregated,
    "selection": learned_effects.selection,
    "fitted": learned_effects.fitted,
    "fill": learned_effects.filled,
    "backfill": learned_effects.backfill,
    "shift": learned_effects.shifted,
    "difference": learned_effects.changed,
    "rolling": learned_effects.rolling,
    "window": learned_effects.window,
    "expanding": partial(learned_effects.window, form="window"),
    "time_window": learned_effects.time_window,
    "sort": learned_effects.sorted_rows,
    "group": learned_effects.grouped,
    "each": learned_effects.each,
    "each_whole": partial(learned_effects.each, whole=True),
    "pipe": learned_effects.piped,
    "map": learned_effects.mapped,
    "learn": networks.backward,
    "item": networks.item,
    "size": row_effects.sized,
    "draw": lambda _call: Const(None),
}
"""What an effect makes of a table; one without a row here does what its general effect does."""

FUNCTIONS: Mapping[str, Callable[[Machine, Arguments], Value]] = {
    "load": loading.loaded,
    "load_pair": loading.loaded_pair,
    "load_pairs": loading.loaded_pairs,
    "load_series": loading.loaded_series,
    "random": loading.random_numbers,
    "dates": loading.dates,
    "calendar": partial(loading.dates, kind="dated"),
    "date": _same,
    "column": deferred.column,
    "concat": combining.concatenated,
    "merge": combining.merged,
    "split": splits.train_test,
    "cut": splits.cut,
    "random_split": splits.drawn_apart,
    "shuffle": drawing.shuffled,
    "shuffle_in_place": drawing.shuffled_in_place,
    "sample": drawing.chosen,
    "resample": drawing.drawn_again,
    "repeat": drawing.several_times,
    "size": positions.counted,
    "counts": _same,
    "nonzero": positions.where_true,
    "positions": positions.every,
    "positions_without": positions.without,
    "range": positions.between,
    "stopper": callbacks.stopper,
    "checkpoint": callbacks.checkpoint,
    "dump": callbacks.dumped,
    "load_saved": callbacks.loaded,
    "draw": _nothing,
    "metric": scores.metric,
    "curve_metric": partial(scores.metric, curve=True),
    "cluster_metric": _number,
    "scorer": _anything,
    "score": cross_validation.score_function,
    "evaluate": cross_validation.score_function,
    "cv": cross_validation.cross_validated,
    "cv_predict": cross_validation.cross_predicted,
    "cv_curve": _number,
    "fit": cross_validation.train_function,
    "make_pipeline": construction.make_pipeline,
    "make_columns": construction.make_columns,
    "clone": construction.clone,
    "optimise": builtin_calls.optimised,
    "same": builtin_calls.same,
    "partial": builtin_calls.partial,
    "reduce": builtin_calls.reduced,
}
"""What functions give that are not a change of one table."""
