"""Which variables of the environment a run reads, and which it sets."""

from __future__ import annotations

import functools
import os
from typing import Any

from ..contract import ALL_VARIABLES
from ..functions.stand_in import exchange
from ..hashes_contract import hash_of_text, hash_of_variables, is_of_kernel
from .callers import Callers, frames, is_import
from .telling import Told

_IS_WINDOWS = os.name == "nt"
_READ, _ALL, _SET = (
    "__getitem__",
    ("__iter__", "__len__", "__repr__"),
    ("__setitem__", "__delitem__"),
)


class VariableUses:
    """Variables of the environment that the current run has read or set, by name.

    What cells have set is the notebook's own, not the environment's: it is not told as read.
    """

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        environ: Any = os.environ
        self._held: dict[Any, Any] = environ._data  # noqa: SLF001  # to look without a word
        self._own: set[str] = set()
        self.on = False
        self.read: dict[str, str] = {}
        self.set: dict[str, None] = {}

    def install(self) -> None:
        """Watch the mapping from now on, whoever has it."""
        kind: Any = type(os.environ)
        for name in (_READ, *_ALL, *_SET):
            function = kind.__dict__.get(name)
            if function is not None:
                exchange(
                    function, functools.partial(Told, tell=functools.partial(self._touched, name))
                )

    def start(self) -> None:
        """Forget the last run."""
        self.read, self.set, self.on = {}, {}, True

    def stop(self) -> None:
        """Take no more notes."""
        self.on = False

    def _touched(self, name: str, *args: Any) -> None:
        if not self.on:
            return
        if name in _ALL:
            self._gone_over()
            return
        key = args[1]
        variable = _as_kept(os.fsdecode(key)) if isinstance(key, (str, bytes)) else ""
        if name in _SET:
            self._own.add(variable)
            by_user = self._callers.is_users(self._callers.beyond_python())
            if by_user or not any(map(is_import, frames())):  # a library sets it again
                self.set[variable] = None
            return
        is_known = variable in self.read or variable in self._own or is_of_kernel(variable)
        if not is_known and not self._callers.is_kernels():
            self.read[variable] = self._hash(variable)

    def _gone_over(self) -> None:
        """Note that somebody goes over all variables.

        What a cell finds is of one kernel alone; a library looks for those that are meant for it.
        """
        if self.read.get(ALL_VARIABLES) == "" or self._callers.is_kernels():
            return
        if self._callers.is_users(self._callers.beyond_python()):
            self.read[ALL_VARIABLES] = ""
        elif ALL_VARIABLES not in self.read:
            decode: Any = str if _IS_WINDOWS else os.fsdecode
            held = {decode(name): decode(value) for name, value in [*self._held.items()]}
            given = {name: value for name, value in held.items() if name not in self._own}
            self.read[ALL_VARIABLES] = hash_of_variables(given)

    def _hash(self, variable: str) -> str:
        key: Any = variable if _IS_WINDOWS else os.fsencode(variable)
        held = self._held.get(key)
        return "" if held is None else hash_of_text(os.fsdecode(held))


def _as_kept(variable: str) -> str:
    """Return a name as the environment keeps it: in capitals on Windows, however it is spelled."""
    return variable.upper() if _IS_WINDOWS else variable
