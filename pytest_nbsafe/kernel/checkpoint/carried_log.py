"""The fit log, as it was after each run, so that it can be carried into another kernel.

What it knows of a value or an estimator hangs on the object. So it is noted, after each run, under
which names and where in them such objects are found; the log comes to the other kernel by pickle,
its arrays beside it, each once.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checkpoint_contract import CarriedLog, CarryQuestion, LogState, LogVersion
from ..learning.fit_log import Fit, FitLog, Prediction, hold
from ..learning.table_rows import Rows
from . import blobs, holders

if TYPE_CHECKING:
    from .holders import Holdings

_MOST_BYTES = 200_000_000
_MOST_STATES, _MOST_OBJECTS = 200, 500
_OF_RUNS = frozenset({Fit, Prediction})
_TABLES = ("_values", "_fitted", "_predicted")
_FACTS = ("fits", "splits", "_predictions", "_counts")


class CarriedLogs:
    """Copies of the fit log of this kernel."""

    def __init__(self) -> None:
        self.is_over = False
        self._arrays: dict[int, tuple[int, Any]] = {}
        self._states: list[tuple[int, bytes, list[int]]] = []
        self._versions: list[LogVersion] = []
        self._holdings: dict[str, Holdings] = {}
        self._alive: set[int] = set()

    def note(
        self,
        log: FitLog,
        run: int,
        home: Mapping[str, Any],
        own: Iterable[str],
        touched: set[str],
        *,
        has_changed: bool,
    ) -> None:
        """Take note of how things are after a run; `has_changed` tells whether the log has."""
        if self.is_over or not (has_changed or self._states):
            return
        alive = _alive(log)
        if has_changed:
            self._states.append((run, *self._pickled(log)))
        self._look(alive, home, own, touched)
        self.is_over = (
            sum(array.nbytes for _, array in self._arrays.values()) > _MOST_BYTES
            or len(self._states) > _MOST_STATES
            or len(alive) > _MOST_OBJECTS
        )
        tracked: dict[str, dict[str, Any]] = {}
        for name, holdings in self._holdings.items():
            for key, path in holdings.paths.items():
                if key in alive:
                    tracked.setdefault(str(key), {})[name] = path
        self._versions.append(
            {
                "run": run,
                "state": len(self._states) - 1,
                "tracked": tracked,
                "lost": len(alive) - len(tracked),
                "cut": sorted(n for n, held in self._holdings.items() if held.is_cut),
            }
        )

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
        arrays = [np.ascontiguousarray(array) for _, array in self._arrays.values()]
        kept["shapes"] = [(array.dtype.str, len(array)) for array in arrays]
        kept["arrays"] = blobs.write(folder, b"".join(array.data.cast("B") for array in arrays))
        for run, stream, runs in self._states:
            state: LogState = {"run": run, "stream": blobs.write(folder, stream), "runs": runs}
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

    def _pickled(self, log: FitLog) -> tuple[bytes, list[int]]:
        """Return a log as pickle writes it, and the runs that it tells of."""
        held = {
            table: {
                key: fact for key, (ref, fact) in getattr(log, table).items() if ref() is not None
            }
            for table in _TABLES
        }
        facts = {name: getattr(log, name) for name in _FACTS}
        file = io.BytesIO()
        pickler = _Pickler(file, self._arrays)
        pickler.dump([vars(log.registry), facts, held])
        return file.getvalue(), sorted(pickler.runs)


class _Pickler(pickle.Pickler):
    """Writes arrays as their numbers."""

    def __init__(self, file: io.BytesIO, arrays: dict[int, tuple[int, Any]]) -> None:
        super().__init__(file, 5)
        self._arrays = arrays
        self.runs: set[int] = set()

    def reducer_override(self, obj: Any) -> Any:
        """Return how a value is pickled, `NotImplemented` for the usual way."""
        if type(obj) is Rows and obj.copied_at is not None:
            self.runs.add(obj.copied_at[0])
        elif type(obj) in _OF_RUNS:
            self.runs.add(obj.run)
        if type(obj) is not np.ndarray or obj.ndim != 1 or obj.dtype.hasobject:
            return NotImplemented
        number, _ = self._arrays.setdefault(id(obj), (len(self._arrays), obj))
        return _array, (number,)


_loading: list[Any] = []


def _array(number: int) -> Any:
    return _loading[number]


def probe() -> str:
    """Return what tells whether texts have the hashes that they have in another kernel."""
    return f"{hash('nbsafe')} {sys.version_info[:2]} {np.__version__} {sys.byteorder}"


def _alive(log: FitLog) -> set[int]:
    return {
        key
        for table in _TABLES
        for key, (ref, _) in list(getattr(log, table).items())
        if ref() is not None
    }


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
    registry, facts, held = _loaded(asked)
    runs = {int(run): told for run, told in asked["runs"].items()}
    for fit in facts["fits"]:
        fit.run, fit.line = _moved((fit.run, fit.line), runs)
    for rows in _all_rows(registry, facts, held):
        if rows.copied_at is not None:
            rows.copied_at = _moved(rows.copied_at, runs)
    moved: dict[int, Any] = {}
    for prediction in [*facts["_predictions"], *held["_predicted"].values()]:
        moved[id(prediction)] = prediction._replace(run=_moved((prediction.run, 0), runs)[0])
    facts["_predictions"] = [moved[id(each)] for each in facts["_predictions"]]
    found = {int(key): holders.at(home[name], path) for key, (name, path) in asked["found"].items()}
    tables: dict[str, Any] = {name: {} for name in _TABLES}
    for name, table in tables.items():
        for key, fact in held[name].items():
            if key in found:
                hold(table, found[key], moved.get(id(fact), fact))
    vars(log.registry).update(registry)
    for name, value in [*facts.items(), *tables.items()]:
        setattr(log, name, value)
    desk.is_resting = False


def _loaded(asked: CarryQuestion) -> Any:
    data, at = blobs.read(asked["folder"], asked["arrays"]), 0
    try:
        for kind, length in asked["shapes"]:
            array = np.frombuffer(data, kind, length, at)
            _loading.append(array)
            at += array.nbytes
        stream = blobs.read(asked["folder"], asked["stream"])
        return pickle.loads(stream)  # noqa: S301  # the host signs what is loaded
    finally:
        _loading.clear()


def _moved(place: tuple[int, int], runs: Mapping[int, Any]) -> tuple[int, int]:
    """Return a place in the numbers and lines of today.

    Raises:
        KeyError: it is not known.

    """
    run, line = place
    number, lines = runs[run]
    return number, line if lines is None or not line else lines[str(line)]


def _all_rows(
    registry: Mapping[str, Any], facts: Mapping[str, Any], held: Mapping[str, Any]
) -> Iterator[Rows]:
    """Yield all tables that a log knows, each once."""
    several: list[Any] = [registry["tables"], registry["_labels"].values()]
    several += [(rows for rows, _ in registry["_columns"].values())]
    several += registry["_wholes"].values()
    several += [(base.rows for base in registry[name]) for name in ("_bases", "_keys")]
    several += [part for parts in facts["splits"] for part in [parts]]
    several += [fit._parts for fit in facts["fits"]]  # noqa: SLF001  # our own
    several += [held["_values"].values(), (p.rows for p in held["_predicted"].values())]
    several += [(prediction.rows for prediction in facts["_predictions"])]
    yield from {id(rows): rows for each in several for rows in each}.values()
