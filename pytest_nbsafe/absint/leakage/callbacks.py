"""Callbacks of a training, and what is saved in files and loaded from them again."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage.abstract_values import AnyValue, Const, Value
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Stopper
from pytest_nbsafe.absint.leakage.positions import counted


def stopper(machine: Machine, arguments: Arguments) -> Value:
    """Return what stops a training early."""
    return AnyValue(Stopper(machine.fresh(arguments.node)))


def checkpoint(machine: Machine, arguments: Arguments) -> Value:
    """Return what keeps a model in a file: where it is the best one, it chooses as a stop does."""
    if arguments.constant("save_best_only") is not True:
        return counted(machine, arguments)
    return AnyValue(Stopper(machine.fresh(arguments.node), arguments.find(0, "filepath")))


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


def dumped(machine: Machine, arguments: Arguments) -> Value:
    """Remember what is saved in a file, as it is now."""
    path = arguments.find(1, "filename", "file")
    if path is not None and arguments.args:
        machine.notes.saved[path] = arguments.get(0)
    return Const(None)


def loaded(machine: Machine, arguments: Arguments) -> Value:
    """Return what was saved in a file."""
    saved = machine.notes.saved.get(arguments.find(0, "filename", "filepath"))
    return machine.box(saved) if saved is not None else counted(machine, arguments)
