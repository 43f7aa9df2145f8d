"""Which settings a run changes, and which sources of random numbers it draws from."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ..adapters import answers
from ..hashing.snapshot import Snapshot
from ..python_state import PLACES
from .shell_state import shell_state
from .state_hashes import hash_of

_RANDOM = "random"
_TOLD_ELSEWHERE = frozenset({_RANDOM, "os"})
_ABSENT: Any = object()


class SettingUses:
    """The state that no name shows, as it was when the last run had ended.

    `new` are the sources of random numbers that came within a statement of it, `new_settings` the
    libraries whose settings did, `met` those whose settings came in the run. What a library holds
    when it has just been imported is not told as changed.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._settings = _settings(shell)
        self._random_states = _random_states()
        self._modules = len(sys.modules)
        self.new: list[str] = []
        self.new_settings: list[str] = []
        self.met: set[str] = set()

    def start(self) -> None:
        """Take note that a run begins."""
        self.met.clear()

    def meet(self) -> None:
        """Take note of what libraries hold that have been imported, before they are used."""
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            for place, state in _random_states().items():
                self._random_states.setdefault(place, state)
            for place, state in _answered("settings").items():
                if place not in self._settings:
                    self._settings[place] = state
                    self.met.add(place)

    def sources(self) -> list[str]:
        """Return the sources of random numbers that are known."""
        return [*self._random_states]

    def changes(self) -> tuple[list[str], list[str]]:
        """Return the settings that differ from the last time, and the random states that do."""
        settings, random_states = _settings(self._shell), _random_states()
        self.new = sorted(random_states.keys() - self._random_states.keys())
        self.new_settings = sorted(settings.keys() - self._settings.keys())
        self.met.update(self.new_settings)
        changed = (
            _differing(self._settings, settings),
            _differing(self._random_states, random_states),
        )
        self._settings, self._random_states = settings, random_states
        return changed

    def hashes(self, places: Iterable[str], snapshot: Snapshot) -> dict[str, str]:
        """Return hashes of what places held when `changes` were told, of those that are compared.

        Empty where it cannot be told.
        """
        known = {**self._settings, **self._random_states}
        return {place: hash_of(known[place], snapshot) for place in places if place in known}


def _settings(shell: Any) -> dict[str, Any]:
    states: dict[str, Any] = {
        place: look(sys.modules[place])
        for place, look in PLACES.items()
        if place in sys.modules and place not in _TOLD_ELSEWHERE
    }
    states["warnings"] = warnings.filters[:]
    states["sys.path"] = sys.path[:]
    try:
        states["folder"] = os.getcwd()  # noqa: PTH109  # a text
    except OSError:  # it has been removed
        states["folder"] = ""
    try:
        states["shell"] = shell_state(shell)
    except Exception:  # a shell of another form
        states["shell"] = ()
    return {**states, **_answered("settings")}


def _random_states() -> dict[str, Any]:
    states = _answered("random_states")
    if _RANDOM in sys.modules:
        states[_RANDOM] = PLACES[_RANDOM](sys.modules[_RANDOM])
    return states


def _answered(question: str) -> dict[str, Any]:
    try:
        return {place: state for told in answers(question) for place, state in told.items()}
    except Exception:  # a library is only half there
        return {}


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return sorted(place for place in now if not _equal(before.get(place, _ABSENT), now[place]))


def _equal(before: Any, now: Any) -> bool:
    if before is _ABSENT:
        return True
    try:
        return bool(before == now)
    except Exception:
        return False
