"""The fit log, as it was after each run, so that it can be carried into another kernel.

What it knows of a value or an estimator hangs on the object. So it is noted, after each run, under
which names and where in them such objects are found; the log comes to the other kernel by pickle,
its arrays beside it, each once.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checkpoint_contract import CarriedLog, CarryQuestion, LogState, LogVersion
from ..hashes_contract import hash_of
from ..learning.fit_log import NOWHERE, FitLog, Place, Prediction, hold
from ..learning_contract import NOTHING, LogNote
from . import blobs, holders

if TYPE_CHECKING:
    from .holders import Holdings

_MOST_BYTES = 200_000_000
_MOST_STATES, _MOST_OBJECTS = 200, 500
_TABLES = ("_values", "_fitted", "_predicted")
_FACTS = ("fits", "splits", "_predictions")


class CarriedLogs:
    """Copies of the fit log of this kernel."""

    def __init__(self) -> None:
        self.is_over = False
        self._arrays: dict[int, _Array] = {}
        self._states: list[_State] = []
        self._versions: list[LogVersion] = []
        self._holdings: dict[str, Holdings] = {}
        self._alive: set[int] = set()
        self._told: dict[str, str] = {}

    def begin(self, log: FitLog, run: int) -> None:
        """Go on from a log that was known after an earlier run."""
        self._states.append(_State(run, *self._pickled(log)))

    def note(
        self,
        log: FitLog,
        run: int,
        home: Mapping[str, Any],
        own: Iterable[str],
        touched: set[str],
        *,
        has_changed: bool,
    ) -> LogNote | None:
        """Take note of how things are after a run; `has_changed` tells whether the log has.

        None is returned where nothing is known.
        """
        if self.is_over or not (has_changed or self._states):
            return None
        known = _known(log)
        alive = set(known)
        if has_changed:
            self._states.append(_State(run, *self._pickled(log)))
        self._look(alive, home, own, touched)
        self.is_over = (
            sum(array.content.nbytes for array in self._arrays.values()) > _MOST_BYTES
            or len(self._states) > _MOST_STATES
            or len(alive) > _MOST_OBJECTS
        )
        tracked: dict[str, dict[str, Any]] = {}
        for name, holdings in self._holdings.items():
            for key, path in holdings.paths.items():
                if key in alive:
                    tracked.setdefault(str(key), {})[name] = path
        told, holds = self._told, _told(known, self._holdings)
        self._told = holds
        self._versions.append(
            {
                "run": run,
                "state": len(self._states) - 1,
                "holds": holds,
                "tracked": tracked,
                "lost": len(alive) - len(tracked),
                "cut": sorted(n for n, held in self._holdings.items() if held.is_cut),
            }
        )
        return {
            "state": self._states[-1].digest,
            "places": [(*place,) for place in log.places[log.told_places :]],
            "holds": {n: held for n, held in holds.items() if n in touched or told.get(n) != held},
        }

    def kept(self, folder: str) -> CarriedLog:
        """Write all into files of a folder, and return what is in them.

        Raises:
            OSError: it cannot be written.

        """
        kept: CarriedLog = {
            "versions": [], "states": [], "arrays": None, "shapes": [],
            "probe": probe(), "cause": "",
        }  # fmt: skip
        if self.is_over or not self._states:
            kept["cause"] = "there is nothing to carry"
            return kept
        arrays = [np.ascontiguousarray(array.content) for array in self._arrays.values()]
        kept["shapes"] = [(array.dtype.str, len(array)) for array in arrays]
        kept["arrays"] = blobs.write(folder, b"".join(array.data.cast("B") for array in arrays))
        for noted in self._states:
            stream = blobs.write(folder, noted.stream)
            state: LogState = {"run": noted.run, "stream": stream, "numbers": noted.numbers}
            kept["states"].append(state)
        kept["versions"] = self._versions
        return kept

    def _look(
        self, alive: set[int], home: Mapping[str, Any], own: Iterable[str], touched: set[str]
    ) -> None:
        """Look where what the log knows is held, in the names that may hold another now.

        A name that no cell has touched holds what it held; of that the log may know more now.
        """
        names = set(own)
        for name in self._holdings.keys() - names:
            del self._holdings[name]
        learned = alive - self._alive
        for name in names:
            held = self._holdings.get(name)
            if held is None or name in touched or not learned.isdisjoint(held.seen):
                self._holdings[name] = holders.held_by(home[name], alive)
        self._alive = alive

    def _pickled(self, log: FitLog) -> tuple[bytes, list[int], str]:
        """Return a log as pickle writes it, the numbers of its arrays, and what stands for it.

        That is the same for two logs of which the same will be told: of what was fitted, and
        where, is told by the number of the place; what hangs on objects is told of their names.
        """
        held = {
            table: {
                key: fact for key, (ref, fact) in getattr(log, table).items() if ref() is not None
            }
            for table in _TABLES
        }
        facts = {name: getattr(log, name) for name in _FACTS}
        file = io.BytesIO()
        pickler = _Pickler(file, self._arrays)
        pickler.dump([vars(log.registry), facts, len(log.places)])
        told = [file.getvalue(), *(array.digest for array in pickler.arrays)]
        pickler.dump([log._counts, held])  # noqa: SLF001  # our own
        numbers = [array.number for array in pickler.arrays]
        return file.getvalue(), numbers, hash_of(b"".join(told))


class _State(NamedTuple):
    """A log after a run: as pickle writes it, with the numbers of its arrays in their order."""

    run: int
    stream: bytes
    numbers: list[int]
    digest: str


class _Array(NamedTuple):
    """An array of any state, which keeps its identity: its number and a digest of its content."""

    number: int
    content: Any
    digest: bytes


class _Pickler(pickle.Pickler):
    """Writes arrays as their numbers in the order in which they come, in `arrays`."""

    def __init__(self, file: io.BytesIO, known: dict[int, _Array]) -> None:
        super().__init__(file, 5)
        self._known = known
        self.arrays: list[_Array] = []

    def reducer_override(self, obj: Any) -> Any:
        """Return how a value is pickled, `NotImplemented` for the usual way."""
        if type(obj) is Prediction:
            return Prediction, (obj.fit, obj.rows, 0)  # it is of no run to come
        if type(obj) is not np.ndarray or obj.ndim != 1 or obj.dtype.hasobject:
            return NotImplemented
        array = self._known.get(id(obj))
        if array is None:
            digest = hashlib.sha256(np.ascontiguousarray(obj).data.cast("B"))
            digest.update(f"{obj.dtype.str} {len(obj)}".encode())
            array = self._known[id(obj)] = _Array(len(self._known), obj, digest.digest())
        self.arrays.append(array)
        return _array, (len(self.arrays) - 1,)


_loading: list[Any] = []


def _array(number: int) -> Any:
    return _loading[number]


def probe() -> str:
    """Return what tells whether texts have the hashes that they have in another kernel."""
    return f"{hash('nbsafe')} {sys.version_info[:2]} {np.__version__} {sys.byteorder}"


def _known(log: FitLog) -> dict[int, list[Any]]:
    """Return what stands for that which is known of each living object, by its identity."""
    known: dict[int, list[Any]] = {}
    for table in _TABLES:
        for key, (ref, fact) in list(getattr(log, table).items()):
            if ref() is not None:
                about = (fact.fit, fact.rows) if isinstance(fact, Prediction) else (fact,)
                numbers = [None if each is None else each.number for each in about]
                known.setdefault(key, []).append((table, numbers))
    return known


def _told(known: Mapping[int, Any], names: Mapping[str, Holdings]) -> dict[str, str]:
    """Return what stands for that which is known of the objects in each name, see `LogNote`."""
    told = dict.fromkeys(names, NOTHING)
    for name, held in names.items():
        paths = {key: path for key, path in held.paths.items() if key in known}
        if held.is_cut or None in paths.values():
            told[name] = ""
        elif paths:
            found = sorted(repr((path, known[key])) for key, path in paths.items())
            told[name] = hash_of("".join(found).encode())
    return told


# ------------------------------------------------------------------ in the other kernel


def restore(desk: Any, home: Mapping[str, Any], asked: CarryQuestion) -> None:
    """Let the watch go on with another log.

    Raises:
        Exception: it does not fit this kernel; the watch rests on.

    """
    log = desk.fit_log
    if probe() != asked["probe"]:
        message = "this kernel is another"
        raise ValueError(message)
    registry, facts, places, counts, held = _loaded(asked)
    if places != len(asked["places"]) + 1:
        message = "places are missing"
        raise ValueError(message)
    found = {
        int(key): [holders.at(home[name], path) for name, path in paths]
        for key, paths in asked["found"].items()
    }
    tables: dict[str, Any] = {name: {} for name in _TABLES}
    for name, table in tables.items():
        for key, fact in held[name].items():
            for value in found.get(key, ()):
                hold(table, value, fact)
    vars(log.registry).update(registry)
    log.places = [NOWHERE, *(Place(*place) for place in asked["places"])]
    for name, value in [*facts.items(), ("_counts", counts), *tables.items()]:
        setattr(log, name, value)
    log.start()
    desk.logs = CarriedLogs()
    desk.logs.begin(log, asked["run"])
    desk.is_resting = False


def _loaded(asked: CarryQuestion) -> Any:
    data, at = blobs.read(asked["folder"], asked["arrays"]), 0
    try:
        arrays = []
        for kind, length in asked["shapes"]:
            arrays.append(np.frombuffer(data, kind, length, at))
            at += arrays[-1].nbytes
        _loading.extend(arrays[number] for number in asked["numbers"])
        stream = blobs.read(asked["folder"], asked["stream"])
        unpickler = pickle.Unpickler(io.BytesIO(stream))  # noqa: S301  # the host signs it
        return [*unpickler.load(), *unpickler.load()]
    finally:
        _loading.clear()
