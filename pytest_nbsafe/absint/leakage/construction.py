"""New estimators, the callbacks of their training, and what is saved of them in files."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Deps,
    Estimator,
    ModelFit,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.marks import Stopper
from pytest_nbsafe.absint.leakage.positions import counted
from pytest_nbsafe.libraries.leakroles import LibraryClass
from pytest_nbsafe.values import replace

_HOLDERS = frozenset({"pipeline", "columns", "search", "meta", "model"})


def construct(cls: LibraryClass, arguments: Arguments) -> Value:
    """Return a new object of a class that the tables know."""
    what = cls.name.rpartition(".")[2]
    if cls.role == "splitter":
        shuffles = cls.shuffles or arguments.constant("shuffle") is True
        return Splitter(what, cls.time, cls.grouped, shuffles)
    steps = _held(arguments) if cls.role in _HOLDERS else ()
    prefit = arguments.constant("prefit") is True
    learns = "nothing" if _fixed(cls, arguments) else cls.learns
    given = None
    data = [value for value in arguments.every() if isinstance(value, Data)]
    if data and cls.role in {"regressor", "classifier"}:
        named = arguments.data(-1, "data", "exog")
        given = named or (data[1] if len(data) > 1 else None)
    estimator = Estimator(
        what,
        cls.role,
        learns,
        steps,
        fit=_fit_of(arguments) if prefit else None,
        tuned=_tuned(data),
        given=given if given is not None and given.rows else None,
        stops=_stops(cls, arguments),
        search=cls.role == "search",
    )
    return arguments.machine.box(estimator)


def _fit_of(arguments: Arguments) -> ModelFit | None:
    """Return what an estimator in a call has learned: `SelectFromModel(forest, prefit=True)`."""
    held = [arguments.machine.get(value) for value in _held(arguments)]
    return next((value.fit for value in held if isinstance(value, Estimator)), None)


def _stops(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a model stops by the rows it watches: some do unless told otherwise."""
    if arguments.constant("early_stopping_rounds") is not None or stopping(arguments):
        return True
    return cls.stops and arguments.constant("use_best_model") is not False


def _tuned(data: list[Data]) -> Deps:
    return frozenset(dep for value in data for dep in value.all_deps() if dep.kind == "tuned")


def _held(arguments: Arguments) -> tuple[Value, ...]:
    """Return the estimators that stand in a call, those in lists of (name, estimator) too."""
    estimators: list[Value] = []

    def look(value: Value, depth: int) -> None:
        state = arguments.machine.get(value)
        if isinstance(state, Estimator):
            estimators.append(value)
        elif isinstance(state, Seq) and depth < 4:
            for item in state.parts():
                look(item, depth + 1)

    for value in (*arguments.args, *arguments.keywords.values()):
        look(value, 0)
    return tuple(estimators)


def make_pipeline(arguments: Arguments) -> Value:
    """Return a pipeline of the arguments."""
    return arguments.machine.box(Estimator("Pipeline", "pipeline", steps=_held(arguments)))


def make_columns(arguments: Arguments) -> Value:
    """Return steps side by side."""
    return arguments.machine.box(Estimator("ColumnTransformer", "columns", steps=_held(arguments)))


def clone(arguments: Arguments) -> Value:
    """Return the same estimator, not fitted."""
    value = arguments.get(0)
    if isinstance(value, Estimator):
        return arguments.machine.box(replace(value, fit=None))
    return value


def _fixed(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a parameter makes it learn nothing: `SimpleImputer(strategy="constant")`."""
    for parameter, wanted in cls.fixed_by:
        value = arguments.constant(parameter)
        if parameter in arguments.keywords and (not wanted or value == wanted):
            return True
    return False


def stopper(arguments: Arguments) -> Value:
    """Return what stops a training early."""
    return AnyValue(Stopper(arguments.fresh))


def checkpoint(arguments: Arguments) -> Value:
    """Return what keeps a model in a file: where it is the best one, it chooses as a stop does."""
    if arguments.constant("save_best_only") is not True:
        return counted(arguments)
    return AnyValue(Stopper(arguments.fresh, arguments.find(0, "filepath")))


def stopping(arguments: Arguments) -> bool:
    """Return whether one of the callbacks that are given stops a training early."""
    return bool(_stoppers(arguments))


def checkpoints(arguments: Arguments) -> list[Const]:
    """Return the files in which callbacks keep the best model."""
    return [mark.path for mark in _stoppers(arguments) if isinstance(mark.path, Const)]


def _stoppers(arguments: Arguments) -> list[Stopper]:
    if "callbacks" not in arguments.keywords:
        return []
    only = Arguments(arguments.machine, arguments.node, [arguments.keywords["callbacks"]], {})
    marks = (value.key for value in only.every() if isinstance(value, AnyValue))
    return [mark for mark in marks if isinstance(mark, Stopper)]


def dumped(arguments: Arguments) -> Value:
    """Remember what is saved in a file, as it is now."""
    path = arguments.find(1, "filename", "file")
    if path is not None and arguments.args:
        arguments.machine.notes.saved[path] = arguments.get(0)
    return Const(None)


def loaded(arguments: Arguments) -> Value:
    """Return what was saved in a file."""
    saved = arguments.machine.notes.saved.get(arguments.find(0, "filename", "filepath"))
    return arguments.machine.box(saved) if saved is not None else counted(arguments)
