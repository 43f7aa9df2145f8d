"""New estimators: of a class, as a pipeline, as a clone."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage.abstract_values import (
    Data,
    Deps,
    Estimator,
    ModelFit,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.callbacks import stopping
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.libraries.leakroles import LibraryClass
from pytest_nbsafe.values import replace

_HOLDERS = frozenset({"pipeline", "columns", "search", "meta", "model"})


def construct(machine: Machine, cls: LibraryClass, arguments: Arguments) -> Value:
    """Return a new object of a class that the tables know."""
    what = cls.name.rpartition(".")[2]
    if cls.role == "splitter":
        shuffles = cls.shuffles or arguments.constant("shuffle") is True
        return Splitter(what, cls.time, cls.grouped, shuffles)
    steps = _held(machine, arguments) if cls.role in _HOLDERS else ()
    prefit = arguments.constant("prefit") is True
    learns = "nothing" if _fixed(cls, arguments) else cls.learns
    given = None
    data = [value for value in arguments.every() if isinstance(value, Data)]
    if data and cls.role in {"regressor", "classifier"}:
        named = arguments.data(-1, "data", "exog")
        given = named or (data[1] if len(data) > 1 else None)
    made = Estimator(
        what,
        cls.role,
        learns,
        steps,
        fit=_fit_of(machine, arguments) if prefit else None,
        tuned=_tuned(data),
        given=given if given is not None and given.rows else None,
        stops=_stops(cls, arguments),
        search=cls.role == "search",
    )
    return machine.box(made)


def _fit_of(machine: Machine, arguments: Arguments) -> ModelFit | None:
    """Return what an estimator in a call has learned: `SelectFromModel(forest, prefit=True)`."""
    held = [machine.get(value) for value in _held(machine, arguments)]
    return next((value.fit for value in held if isinstance(value, Estimator)), None)


def _stops(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a model stops by the rows it watches: some do unless told otherwise."""
    if arguments.constant("early_stopping_rounds") is not None or stopping(arguments):
        return True
    return cls.stops and arguments.constant("use_best_model") is not False


def _tuned(data: list[Data]) -> Deps:
    return frozenset(dep for value in data for dep in value.all_deps() if dep.kind == "tuned")


def _held(machine: Machine, arguments: Arguments) -> tuple[Value, ...]:
    """Return the estimators that stand in a call, those in lists of (name, estimator) too."""
    found: list[Value] = []

    def look(value: Value, depth: int) -> None:
        state = machine.get(value)
        if isinstance(state, Estimator):
            found.append(value)
        elif isinstance(state, Seq) and depth < 4:
            for item in (*state.items, state.each):
                if item is not None:
                    look(item, depth + 1)

    for value in (*arguments.args, *arguments.keywords.values()):
        look(value, 0)
    return tuple(found)


def make_pipeline(machine: Machine, arguments: Arguments) -> Value:
    """Return a pipeline of the arguments."""
    return machine.box(Estimator("Pipeline", "pipeline", steps=_held(machine, arguments)))


def make_columns(machine: Machine, arguments: Arguments) -> Value:
    """Return steps side by side."""
    return machine.box(Estimator("ColumnTransformer", "columns", steps=_held(machine, arguments)))


def clone(machine: Machine, arguments: Arguments) -> Value:
    """Return the same estimator, not fitted."""
    value = arguments.get(0)
    if isinstance(value, Estimator):
        return machine.box(replace(value, fit=None))
    return value


def _fixed(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a parameter makes it learn nothing: `SimpleImputer(strategy="constant")`."""
    for parameter, wanted in cls.fixed_by:
        value = arguments.constant(parameter)
        if parameter in arguments.keywords and (not wanted or value == wanted):
            return True
    return False
