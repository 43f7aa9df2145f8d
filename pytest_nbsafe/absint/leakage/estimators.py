"""Estimators: what they learn from, what they give, and how they are scored."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

from pytest_nbsafe.absint.leakage import own_steps, subscripts, tabular, watched_rows
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Better,
    Bound,
    CodeSite,
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Deps,
    Estimator,
    ModelFit,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.absint.leakage.construction import stoppers
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.memory import BestScore
from pytest_nbsafe.absint.leakage.scores import evaluated
from pytest_nbsafe.values import replace

PREDICTS = frozenset({"classifier", "regressor", "model", "search", "meta", "pipeline"})
"""The roles of what is scored on rows that it has not learned from."""

_SIMPLE = frozenset({"nothing", "categories"})


def _parts(machine: Machine, value: Estimator) -> list[Estimator]:
    """Return an estimator's steps and their steps, in order; itself where it holds none."""
    if not value.steps:
        return [value]
    parts: list[Estimator] = []
    for step in value.steps:
        inner = machine.get(step)
        if isinstance(inner, Estimator) and len(parts) < 20:
            parts.extend(_parts(machine, inner))
    return parts or [value]


def predicts(machine: Machine, value: Estimator) -> bool:
    """Return whether an estimator is one that is scored on rows it has not seen."""
    if value.role not in PREDICTS:
        return False
    last = _parts(machine, value)[-1]
    return (
        value.role not in {"pipeline", "search", "meta"} or last.role in PREDICTS or last is value
    )


def _described(machine: Machine, value: Estimator) -> str:
    """Return the name by which a message calls an estimator: a pipeline's is its last step's."""
    return _parts(machine, value)[-1].what if value.role in {"pipeline", "search"} else value.what


def method(owner: Value, value: Estimator, arguments: Arguments) -> Value:
    """Return what a method of an estimator gives."""
    effect = arguments.machine.roles.method_of("estimator", arguments.what)
    if effect == "settings":
        return owner
    if effect == "learned":
        return _learned(value)
    if effect == "reload":
        saved = arguments.machine.notes.saved.get(arguments.find(0, "filepath", "path"))
        if saved is not None:
            arguments.machine.put(owner, arguments.machine.get(saved))
        return Const(None)
    if effect in {"fit", "partial_fit"}:
        return _fit(owner, value, arguments, more=effect == "partial_fit")
    handler, names = _METHODS.get(effect or "", (None, ()))
    data = _given(value, arguments, *names) if handler is not None else None
    if handler is None or data is None:
        return arguments.unknown()
    return handler(owner, value, data, arguments)


def _fit(owner: Value, value: Estimator, arguments: Arguments, *, more: bool = False) -> Value:
    data = _given(value, arguments, "X", "x", "raw_documents", "dtrain", "generator")
    given = [ast.dump(node) for node in arguments.node.args[:2]]
    if value.role == "model" and len(given) > len(set(given)):
        value = replace(value, role="embedding")  # `fit(X, X)`: it gives back what it is given
    if data is None or (not arguments.args and not arguments.keywords):
        data = value.given
    if data is None:
        arguments.machine.put(owner, replace(value, fit=None))
        return owner
    learn(owner, value, data, arguments, more=more)
    return owner


def _given(value: Estimator, arguments: Arguments, *names: str) -> Data | None:
    """Return the rows that an estimator is given; a network may have several inputs of them."""
    given = arguments.find(0, *names)
    if value.role == "model" and isinstance(given, Seq) and given.each is None:
        parts = [arguments.machine.get(item) for item in given.items]
        if parts and all(isinstance(part, Data) and part.rows for part in parts):
            return tabular.mix(parts)
    each = given.each if isinstance(given, Seq) else None
    batch = subscripts.batch(arguments.machine, each)  # a generator of features and labels
    data = subscripts.as_data(arguments.machine, batch[0]) if batch else arguments.data(0, *names)
    if data is None:
        return None
    return own_steps.changed(value, subscripts.own_rows(data), arguments)


def learn(
    owner: Value,
    value: Estimator,
    data: Data,
    arguments: Arguments,
    *,
    more: bool = False,
    watched: Sequence[Value] = (),
) -> ModelFit:
    """Fit an estimator, and return what it has learned from.

    With `more` it goes on knowing what it knew; `watched` are rows that it may stop by, beside
    those that keywords name.
    """
    machine = arguments.machine
    name = text(machine, getattr(arguments.node.func, "value", None))
    fit = fit_of(value, data, arguments, 0, name)
    fit = replace(
        fit,
        deps=fit.deps | _of_layers(machine, value),
        learns=value.learns,
        watch=watched_rows.watched(value, arguments, watched),
        searched=value.role == "search",
        made=machine.notes.made.get(owner),
    )
    if more:
        fit = fit.beside(value.fit)
    machine.put(owner, replace(value, fit=fit))
    watched_rows.note_validation(fit, data, arguments)
    for callback in stoppers(arguments):
        if isinstance(callback.path, Const):  # the best model is the one that is loaded from there
            best = replace(fit, watch=fit.watch | watched_rows.given_rows(arguments, watched))
            machine.notes.saved[callback.path] = machine.box(replace(value, fit=best))
    for step in value.steps:
        inner = machine.get(step)
        if isinstance(inner, Estimator) and value.role in {"pipeline", "columns"}:
            machine.put(
                step, replace(inner, fit=replace(fit, what=inner.what, learns=inner.learns))
            )
    return fit


def fit_of(value: Estimator, data: Data, arguments: Arguments, place: int, name: str) -> ModelFit:
    """Return the fit of an estimator called `name` on rows, given at this place of a call."""
    machine = arguments.machine
    target = arguments.data(place + 1, "y", "Y")
    origins = target.origins if target is not None else frozenset()
    site = arguments.site
    return ModelFit(
        _described(machine, value),
        value.role,
        data.rows,
        data.all_deps(),
        site,
        name,
        arguments.name(place),
        tuned=value.tuned,
        target=origins,
        copied=_copied(machine, value, data, origins, site),
        window=_window(data, target),
        certain=machine.certain and not data.vague,
    )


def _window(data: Data, target: Data | None) -> Dep | None:
    """Return what makes a feature of the targets of neighbouring rows and of the row's own."""
    if target is None or not target.origins or target.rows != data.rows:
        return None
    windows = [dep for dep in data.all_deps() if dep.kind == "time" and dep.of & target.origins]
    return min(windows, key=lambda dep: (dep.site.cell, dep.site.span.line), default=None)


def _of_layers(machine: Machine, value: Estimator) -> Deps:
    """Return what the layers of a network had learned before: `Normalization().adapt(X)`."""
    deps: set[Dep] = set()
    for step in value.steps if value.role == "model" else ():
        layer = machine.get(step)
        if isinstance(layer, Estimator) and layer.fit and layer.role == "transformer":
            deps |= transformed(machine, layer, Data(layer.fit.rows), layer.fit).deps
    return frozenset(deps)


_BLIND = frozenset({"DummyClassifier", "DummyRegressor"})
"""What looks at no feature, whichever it is given."""


def _copied(
    machine: Machine, value: Estimator, data: Data, target: frozenset[Hashable], site: CodeSite
) -> CodeSite | None:
    """Return where the target's own column, or a copy of it, came among the features, if it did.

    Where there is no other feature, the target was made of it: nobody leaves a target in alone.
    """
    if not target or any(_may_leave_out(machine, part) for part in _all(machine, value)):
        return None
    if value.what in _BLIND:
        return None
    if data.columns is None or data.origins & target:  # of `fit(y, y)`: no features at all
        return None
    if data.base is not None and not data.columns.but:
        raw = {o[-1] for o in target if isinstance(o, tuple) and o[-2:-1] == (data.base,)}
        if data.columns.names <= raw:  # a curve to be learned: `X = df[["x"]]; y = np.sin(df["x"])`
            return None
    for origin in target:
        base, name = origin[-2:] if isinstance(origin, tuple) else (None, "")
        if base is not None and data.base == base and data.columns.has(name):
            column = dict(data.named).get(name)
            if column is None or origin in column.origins:
                return site
    for name, column in data.named:
        if (column.origins | column.uses) & target and data.columns.has(name):
            return column.site or site
    return None


def _may_leave_out(machine: Machine, value: Estimator) -> bool:
    """Return whether a step of an estimator takes columns, or is a function that may do so."""
    if value.role in {"columns", "selector"}:
        return True
    if value.role == "transformer" and value.learns == "nothing":
        return True
    steps = value.steps if value.role == "pipeline" else ()
    return not all(isinstance(machine.get(step), Estimator) for step in steps)


def _all(machine: Machine, value: Estimator) -> list[Estimator]:
    parts = [value]
    for step in value.steps:
        inner = machine.get(step)
        if isinstance(inner, Estimator) and len(parts) < 20:
            parts.extend(_all(machine, inner))
    return parts


def _transform(_owner: Value, value: Estimator, data: Data, arguments: Arguments) -> Value:
    return transformed(arguments.machine, value, data, value.fit)


def _restore(_owner: Value, _value: Estimator, data: Data, _arguments: Arguments) -> Value:
    return data


def transformed(machine: Machine, value: Estimator, data: Data, fit: ModelFit | None) -> Data:
    """Return rows changed by what an estimator has learned."""
    result = replace(data, form="array", base=None, columns=None, mask=None, random=False, named=())
    if data.base is not None and data.columns is not None and not data.named:
        result = replace(result, former=(data.base, data.columns))
    result = replace(result, deps=data.mixed_deps(), pred=None)
    learning = [p for p in _parts(machine, value) if p.learns not in _SIMPLE and not p.steps]
    if not learning:
        return result
    result = tabular.without_origins(result)
    if fit is None:
        return result
    what = learning[0]
    kind: DepKind = "fitted"
    if any(p.role == "selector" and p.learns == "target" for p in learning):
        kind = "selection"
        what = next(p for p in learning if p.role == "selector")
    elif any(p.role == "encoder" and p.learns == "target" for p in learning):
        kind = "target"
    dep = fit.dep(kind, what.what, fit.target)
    inherited = frozenset(
        d for d in fit.deps if not d.is_time and d.kind not in {"join", "ahead", "resample"}
    )
    return replace(result, deps=result.deps | {dep} | inherited)


def _fit_transform(owner: Value, value: Estimator, data: Data, arguments: Arguments) -> Data:
    fit = learn(owner, value, data, arguments)
    return transformed(arguments.machine, value, data, fit)


def _fit_predict(owner: Value, value: Estimator, data: Data, arguments: Arguments) -> Value:
    result = _fit_transform(owner, value, data, arguments)
    now = arguments.machine.get(owner)
    if isinstance(now, Estimator) and predicts(arguments.machine, now):
        return replace(result, pred=now.fit)
    return result


def _fit_resample(_owner: Value, value: Estimator, data: Data, arguments: Arguments) -> Value:
    target = arguments.data(1, "y")
    parts = [data, target if target is not None else data]
    if value.learns == "nothing":  # it only leaves rows out
        step = sets.Division(sets.Sampled(arguments.fresh), ("is", True), "random")
        parts = [tabular.part(part, step) for part in parts]
    else:
        certain = arguments.machine.certain and not data.vague
        made_at = arguments.site, arguments.name()
        dep = Dep("resample", data.rows, value.what, *made_at, certain=certain)
        parts = [tabular.with_deps(replace(part, mask=None), (dep,)) for part in parts]
    return Seq(tuple(map(arguments.machine.box, parts)))


def _predict(_owner: Value, value: Estimator, data: Data, arguments: Arguments) -> Value:
    if not predicts(arguments.machine, value):
        return transformed(arguments.machine, value, data, value.fit)
    fit = value.fit
    if fit is None:
        return Data(data.rows, data.all_deps(), vague=True)
    watched_rows.note_prediction(fit, data, arguments)
    return Data(data.rows, data.all_deps(), "array", pred=fit, vague=data.vague)


def _score(
    _owner: Value, value: Estimator, data: Data, arguments: Arguments, better: Better = "more"
) -> Value:
    if value.fit is None or not predicts(arguments.machine, value):
        return arguments.unknown()
    return evaluated(value.fit, data, arguments, arguments.name(), better=better)


_ROWS = ("X", "x", "raw_documents")
_METHODS: Mapping[str, tuple[Callable[..., Value], Sequence[str]]] = {
    "transform": (_transform, _ROWS),
    "inverse_transform": (_restore, _ROWS),
    "fit_transform": (_fit_transform, _ROWS),
    "fit_predict": (_fit_predict, _ROWS),
    "fit_resample": (_fit_resample, ("X",)),
    "predict": (_predict, ("X", "x", "data", "exog")),
    "score": (_score, ("X", "x")),
    "evaluate": (partial(_score, better=""), ("X", "x")),
}
"""What methods that are given rows do, and the keywords of these rows."""


def fitted_part(
    machine: Machine, node: ast.AST, owner: Value, value: Estimator, name: str
) -> Value:
    """Return an attribute of an estimator: what it has learned, its best candidate, a method."""
    if machine.roles.method_of("estimator", name) is not None:
        return Bound(owner, name)
    fit = value.fit
    if name == "best_estimator_" and fit is not None and value.steps:
        return _best(machine, value, fit)
    if name in {"best_estimator_", "base_estimator_", "estimator_", "model"}:
        return owner
    if fit is not None and name == "best_score_":
        machine.note(BestScore(machine.site(node), fit))
        return AnyValue(("best", machine.token(fit.site)))
    if fit is not None and name == "best_params_":
        return Data(deps=frozenset((fit.dep("tuned", fit.what),)), form="stat")
    if name in {"named_steps", "steps", "transformers_", "estimators_"}:
        return Seq((), value.steps[-1]) if value.steps else AnyValue()
    if (
        (name.endswith("_") or name in _RESULTS)
        and fit is not None
        and name not in {"classes_", "cv_results_", "n_features_in_", "n_iter_"}
    ):
        return _learned(value)
    return Bound(owner, name)


def _best(machine: Machine, search: Estimator, fit: ModelFit) -> Value:
    """Return the best candidate of a search: fitted again, it still knows what chose it."""
    best = machine.get(search.steps[0])
    if not isinstance(best, Estimator):
        return AnyValue(("best", machine.token(fit.site)))
    chosen = search.tuned | {fit.dep("tuned", fit.what)}
    return machine.box(replace(best, fit=fit, tuned=chosen))


_RESULTS = frozenset({"pvalues", "params", "tvalues", "bse"})
"""What statsmodels calls that which was learned."""


def _learned(value: Estimator) -> Data:
    """Return what an estimator has learned, as values: the choice of features depends on it."""
    fit = value.fit
    if fit is None:
        return Data(form="stat")
    target = value.learns == "target" or value.role in PREDICTS
    dep = fit.dep("selection" if target else "fitted", value.what)
    return Data(deps=frozenset((dep,)), form="stat", columns=Columns(but=True))
