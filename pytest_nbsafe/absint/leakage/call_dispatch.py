"""What a call gives: functions of the notebook, builtins, and one handler for each effect."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from pytest_nbsafe.absint.leakage import (
    builtin_calls,
    column_effects,
    construction,
    containers,
    deferred,
    estimators,
    learned_effects,
    neighbouring_rows,
    page_classes,
    row_effects,
    scores,
    splits_and_joins,
    subscripts,
    training,
)
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Bound,
    Closure,
    Const,
    Data,
    Dictionary,
    Estimator,
    Index,
    Instance,
    Lib,
    Names,
    Partial,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.libraries.keys import GENERAL
from pytest_nbsafe.values import replace


def call(
    machine: Machine,
    node: ast.Call,
    callee: Value,
    args: list[Value],
    keywords: dict[str, Value],
) -> Value:
    """Return what a call gives."""
    value = machine.get(callee)
    if isinstance(value, Lib):
        what = value.name.rpartition(".")[2]
        return _library(value.name, Arguments(machine, node, args, keywords, what))
    if isinstance(value, Bound):
        return method(value.owner, Arguments(machine, node, args, keywords, value.name))
    if isinstance(value, Partial):
        known = [*value.args, *args]
        return call(machine, node, value.call, known, dict(value.keywords) | keywords)
    arguments = Arguments(machine, node, args, keywords)
    if isinstance(value, Closure):
        return page_classes.function(value, arguments)
    if isinstance(value, Estimator):
        return training.network_called(callee, value, arguments)
    if isinstance(value, Instance):
        own = page_classes.member(machine, callee, value, "__call__")
        if isinstance(own, Bound):
            return method(own.owner, replace(arguments, what=own.name))
    return arguments.unknown()


def _library(name: str, arguments: Arguments) -> Value:
    """Return what a function or class of a library gives."""
    owner, _, last = name.rpartition(".")
    builtin = builtin_calls.BUILTINS.get(last) if owner == "builtins" else None
    if builtin is not None:
        return builtin(arguments)
    roles = arguments.machine.roles
    cls = roles.class_of(name)
    if cls is not None and cls.role != "data":
        return construction.construct(cls, arguments)
    returned = roles.returned_by(name)
    if returned is not None:
        return Lib(returned)
    effect = roles.effect_of(name)
    if effect is not None:
        return by_effect(effect, arguments)
    if cls is not None:
        return construction.make_table(cls, arguments)
    if roles.class_of(owner) and arguments.args:  # `DataFrame.mean(df)`
        return method(arguments.args[0], replace(arguments, args=arguments.args[1:]))
    return scores.by_name(arguments)


def method(owner: Value, arguments: Arguments) -> Value:
    """Return what a method gives."""
    value = arguments.machine.get(owner)
    handler = _METHODS.get(type(value))
    return handler(owner, value, arguments) if handler else arguments.unknown()


def _of_unknown(_owner: Value, _value: AnyValue, arguments: Arguments) -> Value:
    if arguments.what == "optimize":
        return builtin_calls.optimised(arguments)
    if arguments.what in {"gradient", "backward"}:  # `tape.gradient(loss, weights)`
        loss = arguments.data(0)
        if loss is not None and loss.net is not None:
            training.learn_by_hand(loss, arguments)
    return arguments.unknown()


_OF_ESTIMATORS = frozenset({"fit", "predict", "transform"})
"""Methods of estimators: what seems to be a table and has one of them is none."""


def table_method(owner: Value, data: Data, arguments: Arguments) -> Value:
    """Return what a method of a table gives; with `inplace=True` the table itself is changed."""
    machine = arguments.machine
    effect = machine.roles.effect_on(data.form, arguments.what)
    if effect is None:
        if arguments.what in _OF_ESTIMATORS or not (data.rows or data.form == "stat"):
            return arguments.unknown()
        effect = "rowwise"
    result = _on_table(effect, TableCall(data, arguments, owner))
    if arguments.constant("inplace") is True:
        target = getattr(arguments.node.func, "value", None)
        if target is not None:
            machine.put(owner, machine.get(result))
            machine.store(target, machine.get(result))
        return Const(None)
    return result


def by_effect(effect: str, arguments: Arguments) -> Value:
    """Return what a function of a library gives."""
    handler = FUNCTIONS.get(effect)
    if handler is not None:
        return handler(arguments)
    if effect == "where" and len(arguments.args) == 1 and not arguments.keywords:
        return Seq((containers.places_where_true(arguments),))  # one for each axis
    first, kind = arguments.find(0), GENERAL[effect]
    if isinstance(first, AnyValue) and effect == "to_array":
        return first
    if isinstance(first, Index) and kind in {"identity", "sort", "rowwise"}:
        return first
    if effect == "from_slices" and isinstance(first, Seq) and first.items:
        data = subscripts.as_data(arguments.machine, first.items[0])
        data = replace(data, form="array") if data is not None else None
    else:
        data = arguments.table(unknown=kind == "identity")
    return _on_table(effect, TableCall(data, arguments)) if data is not None else arguments.same()


def _on_table(effect: str, call: TableCall) -> Value:
    handler = TABLES.get(effect) or TABLES.get(GENERAL[effect])
    return handler(call) if handler is not None else call.arguments.unknown()


def _number(arguments: Arguments) -> Value:
    """Return a number that judges no model."""
    return AnyValue(("number", arguments.what, arguments.fresh))


TABLES: Mapping[str, Callable[[TableCall], Value]] = {
    # the same rows
    "identity": row_effects.kept,
    "to_array": partial(row_effects.in_form, form="array"),
    "as_array": partial(row_effects.in_form, form="array"),
    "to_frame": partial(row_effects.in_form, form="frame"),
    "reset_index": row_effects.reset_index,
    "set_index": row_effects.index_set,
    "take_out": column_effects.take_out,
    "get": column_effects.column_by_name,
    "choose": deferred.chosen,
    "some_columns": column_effects.some_columns,
    "reindex": row_effects.reindexed,
    "align": row_effects.aligned,
    "rename_columns": column_effects.columns_renamed,
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
    "insert": column_effects.inserted,
    "isin": row_effects.is_in,
    "between": row_effects.is_between,
    "text_told": row_effects.text_told,
    "is_missing": row_effects.is_missing,
    "is_present": partial(row_effects.is_missing, part=("not", ("is", True))),
    "dummies": column_effects.dummies,
    # some of the rows, or others
    "filter": row_effects.filtered,
    "head": partial(row_effects.at_end, first=True),
    "tail": partial(row_effects.at_end, first=False),
    "take": partial(row_effects.by_count, first=True),
    "skip": partial(row_effects.by_count, first=False),
    "subset": row_effects.subset,
    "delete": row_effects.deleted,
    "one_each": row_effects.one_each,
    "dropna": row_effects.without_gaps,
    "query": row_effects.queried,
    "group_rows": row_effects.group_rows,
    "drop": row_effects.dropped,
    "sample": splits_and_joins.sampled,
    "resample": splits_and_joins.resampled,
    "repeat": splits_and_joins.repeated,
    "shuffle": splits_and_joins.shuffled_table,
    "concat": splits_and_joins.concat_to,
    "merge": splits_and_joins.merge_to,
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
    "fitted_or_given": learned_effects.fitted_or_given,
    "fill": learned_effects.filled,
    "backfill": learned_effects.backfill,
    "shift": neighbouring_rows.shifted,
    "difference": neighbouring_rows.changed,
    "rolling": neighbouring_rows.rolling,
    "window": neighbouring_rows.window,
    "expanding": partial(neighbouring_rows.window, form="window"),
    "time_window": neighbouring_rows.time_window,
    "sort": learned_effects.sorted_rows,
    "order": learned_effects.places_in_order,
    "group": learned_effects.grouped,
    "each": learned_effects.each,
    "each_whole": partial(learned_effects.each, whole=True),
    "pipe": learned_effects.piped,
    "map": learned_effects.mapped,
    "learn": training.backward,
    "item": training.item,
    "size": row_effects.sized,
    "draw": lambda _call: Const(None),
}
"""What an effect makes of a table; one without a row here does what its general effect does."""

FUNCTIONS: Mapping[str, Callable[[Arguments], Value]] = {
    "load": construction.loaded,
    "load_pair": construction.loaded_pair,
    "load_pairs": construction.loaded_pairs,
    "load_series": construction.loaded_series,
    "random": construction.random_numbers,
    "dates": construction.dates,
    "calendar": partial(construction.dates, kind="dated"),
    "date": Arguments.same,
    "column": deferred.column,
    "concat": splits_and_joins.concatenated,
    "merge": splits_and_joins.merged,
    "split": splits_and_joins.train_test,
    "cut": splits_and_joins.cut,
    "random_split": splits_and_joins.drawn_apart,
    "shuffle": splits_and_joins.shuffled,
    "shuffle_in_place": splits_and_joins.shuffled_in_place,
    "sample": splits_and_joins.chosen,
    "resample": splits_and_joins.drawn_again,
    "repeat": splits_and_joins.several_times,
    "size": containers.counted,
    "counts": Arguments.same,
    "nonzero": containers.places_where_true,
    "positions": containers.every_place,
    "positions_without": containers.places_without,
    "range": containers.places_between,
    "stopper": construction.stopper,
    "checkpoint": construction.checkpoint,
    "dump": construction.dumped,
    "load_saved": construction.restored,
    "draw": lambda _arguments: Const(None),
    "metric": scores.metric,
    "curve_metric": partial(scores.metric, curve=True),
    "cross_table": learned_effects.crossed,
    "design": learned_effects.designed,
    "designs": partial(learned_effects.designed, several=True),
    "cluster_metric": _number,
    "scorer": Arguments.unknown,
    "score": training.score_function,
    "evaluate": training.score_function,
    "cv": training.cross_validated,
    "cv_predict": training.cross_predicted,
    "cv_curve": _number,
    "fit": training.train_function,
    "make_pipeline": construction.make_pipeline,
    "make_columns": partial(construction.make_pipeline, what="ColumnTransformer", role="columns"),
    "clone": construction.clone,
    "optimise": builtin_calls.optimised,
    "same": builtin_calls.same,
    "partial": builtin_calls.partial,
    "reduce": builtin_calls.reduced,
}
"""What functions give that are not a change of one table."""

_METHODS: Mapping[type[Value], Callable[..., Value]] = {
    Data: table_method,
    Estimator: estimators.method,
    Instance: page_classes.own_method,
    Seq: containers.method,
    Dictionary: containers.method,
    Splitter: training.split,
    Names: containers.names_method,
    Index: containers.index_method,
    AnyValue: _of_unknown,
}
"""What finds the methods of each kind of value."""
