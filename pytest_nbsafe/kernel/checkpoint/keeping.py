"""Writes co-variables into files, each one proven: what is loaded again equals what there was."""

from __future__ import annotations

import sys
import time
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from ..adapters import of_class, of_module
from ..checkpoint_contract import CoVariable, KeepQuestion, KeptFile
from ..contract import Fingerprint
from ..functions.reach import is_own
from ..hashing.snapshot import Snapshot
from ..identity import identity
from . import pickling
from .arrays import Plan
from .counted_references import holders_of
from .covariables import Group, found_one_by_one, groups, guess_s, pays
from .reachable import Reached, Surface, is_constant_value, is_importable

NODES, BYTES = 20_000_000, 1 << 35
"""How much of a value is looked at: nobody waits for it."""
_MUCH_BYTES = 1 << 20
NO_TIME = "there is no time for it"

Write = typing.Callable[[Any], KeptFile]  # Python 3.8 has no other that it can evaluate
"""Writes bytes into a file that is named by their hash."""


def surface_of(tracer: Any) -> Surface:
    """Return where walks end."""
    return Surface(tracer.home, tracer.shell, holds=True)


def kept(tracer: Any, asked: KeepQuestion, write: Write, surface: Surface) -> Iterator[CoVariable]:
    """Yield the co-variables of the names that are asked for, written into files where they can be.

    First comes what it pays for most, by what it took to make each name; what is sooner made again
    is left, unless that is not known, and so is what would take longer than what is left of the
    limit. Of a co-variable that cannot be kept each name is then tried alone.
    """
    names, took_s, until_s = asked["names"], asked["took_s"], 0.0

    def left_s() -> float:
        return until_s - time.process_time()

    home = tracer.home
    look = Snapshot(tracer.texts, home)
    look.limits = (NODES, BYTES)
    known = tracer.name_fingerprints.known()
    own = tracer.own_names()
    holders = holders_of(home, own, tracer.shell)
    told: set[str] = set()

    def tried(group: Group) -> CoVariable:
        about = _about(group.names, group.left_out)
        if pays(group, took_s, left_s()):
            return _kept(_Keeper(group, home, surface, look, known), about, write)
        about["cause"] = NO_TIME if group.cost_s() > left_s() else "it is sooner made again"
        return about

    for some, limit_s in ((asked["likely"], asked["likely_s"]), (names, asked["limit_s"])):
        until_s = time.process_time() + limit_s
        left = [name for name in some if name not in told]
        for group in found_one_by_one(holders, left, surface, took_s, left_s):
            told.update(group.names)
            about = tried(group)
            yield about
            if about["cause"] and len(group.reached) > 1:
                parts = (tried(group.part(name)) for name in group.names if name in names)
                yield from (part for part in parts if not part["cause"])
            del group  # what it refers to is counted
    for name in names:
        if name in holders.own and name not in told:
            yield {**_about([name]), "cause": NO_TIME}


def is_any_affordable(tracer: Any, names: Iterable[str], limit_s: float) -> bool:
    """Return whether one of the names, by a guess, can be kept within so many seconds."""
    home = tracer.home
    return any(name not in home or guess_s(home[name]) <= limit_s for name in names)


def _kept(keeper: _Keeper, about: CoVariable, write: Write) -> CoVariable:
    try:
        return keeper.kept(about, write)
    except (Exception, pickling.Refused) as error:  # of a class that is not as classes are
        return {**about, "files": [], "cause": f"it could not be looked at: {error!r}"}


def _about(names: list[str], left_out: Iterable[str] = ()) -> CoVariable:
    """Return what there is to tell of a co-variable before it was looked at."""
    return {
        "names": names,
        "left_out": sorted(left_out),
        "fingerprints": {},
        "files": [],
        "needs": [],
        "cause": "",
    }


class _Keeper:
    """One co-variable, on its way into files."""

    def __init__(
        self,
        group: Group,
        home: dict[str, Any],
        surface: Surface,
        look: Snapshot,
        known: dict[str, Fingerprint],
    ) -> None:
        self.group, self.surface, self.look, self.known = group, surface, look, known
        self.home = home
        self.values = {name: home[name] for name in group.names}
        self.plan = Plan(group)

    def kept(self, about: CoVariable, write: Write) -> CoVariable:
        """Write the values into files, and return what became of them."""
        about["fingerprints"] = fingerprints = self._fingerprints(self.values, self.known)
        about["cause"] = self._obstacle(fingerprints)
        if about["cause"]:
            return about
        dumped = self._dumped()
        if isinstance(dumped, str):
            return {**about, "cause": dumped}
        about["needs"] = sorted(dumped.needs)
        cause = self._difference(dumped, fingerprints)
        if not cause:
            try:
                parts = [dumped.stream, *(buffer.raw() for buffer in dumped.buffers)]
                about["files"] = [write(part) for part in parts]
            except (OSError, pickling.Refused) as error:
                cause = f"it could not be written: {error}"
        return {**about, "cause": cause}

    def _obstacle(self, fingerprints: dict[str, Fingerprint]) -> str:
        """Return why the values should not even be tried, empty when they may."""
        for name, value in self.values.items():
            cause = self._cause_of(name, value)
            if cause:
                return cause
        for place in filter(None, map(self._place_of, self.group.left_out)):
            return f"{place}, and shares objects with it"
        for name, fingerprint in fingerprints.items():
            if not fingerprint["hash"]:
                return f"what `{name}` holds is not known: {fingerprint['cause']}"
        if self.group.may_share_unseen():
            return "a library may have parts in common in it that nobody sees"
        return self.plan.cause

    def _cause_of(self, name: str, value: Any) -> str:
        kind = type(value)
        if kind is types.ModuleType:
            return f"`{name}` is a module, which is imported again"
        if isinstance(value, (type, types.FunctionType)) and value.__module__ == "__main__":
            return f"`{name}` is defined by its cell"
        if isinstance(value, (type, types.FunctionType)) and is_importable(value):
            return f"`{name}` is {value.__module__}.{value.__qualname__}"
        cause = self._place_of(name)
        if cause:
            return cause
        objects = self.group.reached[name].objects
        for key in self.surface.own.intersection(objects):
            if not is_constant_value(objects[key]):
                place = ".".join(self.surface.place_of(objects[key]))
                return f"`{name}` holds {place}, which a module of the project holds too"
        for kind in self._own_classes(name):
            shared = self.surface.values_of(kind).keys() & objects
            if not all(is_constant_value(objects[key]) for key in shared):
                return f"`{name}` holds what the class {kind.__qualname__} of a cell holds too"
        for kind in self._kinds(name):
            if kind.__name__ in getattr(of_class(kind), "NOT_KEPT", ()):
                return f"`{name}` holds a {kind.__qualname__}, which is more than its values"
        return ""

    def _place_of(self, name: str) -> str:
        """Return where a module of a library holds what a name does, empty if none."""
        value = self.home[name]
        if identity(value) not in self.surface.elsewhere or is_constant_value(value):
            return ""
        return f"`{name}` is {'.'.join(self.surface.place_of(value))}"

    def _own_classes(self, name: str) -> list[type]:
        """Return the classes of cells that have a name, or that a name leads to."""
        named = [each for each in self.home.values() if issubclass(type(each), type)]
        return [*filter(is_own, named), *self.group.reached[name].classes.values()]

    def _kinds(self, name: str) -> list[type]:
        """Return the classes of what a name leads to."""
        return [self.surface.kinds[key] for key in self.group.reached[name].kinds]

    def _dumped(self) -> pickling.Dump | str:
        """Return the values as pickle writes them, or why it does not."""
        try:
            made = pickling.dump(self.values, self.plan, self.surface)
        except (Exception, pickling.Refused):
            place, cause = pickling.culprit(self.values, self.plan, self.surface)
            return f"`{place}` cannot be pickled: {cause}"
        return made.cause or made

    def _difference(self, dumped: pickling.Dump, fingerprints: dict[str, Fingerprint]) -> str:
        """Return what is not as it was once the values are loaded, empty when all is."""
        loaded = self._loaded_in_place(dumped)
        if loaded is not None:
            return self._difference_in_form(loaded, dumped)
        copies = [_copied(buffer) for buffer in dumped.buffers]
        try:
            loaded = pickling.load(dumped.stream, copies)
        except (Exception, pickling.Refused) as error:
            return f"it cannot be loaded: {type(error).__name__}: {str(error)[:200]}"
        for name, fingerprint in self._fingerprints(loaded, {}).items():
            if not fingerprint["hash"]:
                return f"what `{name}` would hold is not known: {fingerprint['cause']}"
            if fingerprint["hash"] != fingerprints[name]["hash"]:
                return f"`{name}` is not the same after it is loaded"
            if fingerprint["kind"] != fingerprints[name]["kind"]:
                return f"`{name}` is of another class after it is loaded"
        return self._difference_in_form(loaded, dumped)

    def _loaded_in_place(self, dumped: pickling.Dump) -> dict[str, Any] | None:
        """Return the values as they are loaded from the very memory that they lie in now.

        Where they then show this memory they are equal, and it need not be read. None where that
        cannot be said, or would save nothing.
        """
        numpy = sys.modules.get("numpy")
        if sum(buffer.raw().nbytes for buffer in dumped.buffers) < _MUCH_BYTES or numpy is None:
            return None
        memory = [buffer.raw().toreadonly() for buffer in dumped.buffers]
        try:
            loaded = pickling.load(dumped.stream, memory)
        except (Exception, pickling.Refused):
            return None
        self.look.memory = _joined(_place_of(numpy, part) for part in memory)
        try:
            own, again = (self._fingerprints(values, {}) for values in (self.values, loaded))
        finally:
            self.look.memory = []
        are_equal = all(
            own[name]["hash"] and own[name]["hash"] == again[name]["hash"]
            for name in self.group.names
        )
        are_alike = all(own[name]["kind"] == again[name]["kind"] for name in self.group.names)
        return loaded if are_equal and are_alike else None

    def _difference_in_form(self, loaded: dict[str, Any], dumped: pickling.Dump) -> str:
        """Return what equal values lack of those that were kept, empty if nothing."""
        if any(self._is_by_name(name, loaded[name]) for name in self.group.names):
            return "a part of it is pickled by its name alone, whatever it holds"
        if len(loaded) > 1 and len(groups(loaded, loaded, loaded, self.surface)) > 1:
            return "its names no longer share what they share once they are loaded"
        kinds = {kind for name in self.group.names for kind in self._kinds(name)}
        has_sets = any(issubclass(kind, (set, frozenset)) for kind in kinds)
        if (has_sets or dumped.adds_state) and not self._has_its_form(loaded):
            if has_sets:
                return "a set in it comes in another order once it is loaded"
            return "the table that it was cut from is not kept with it"
        return ""

    def _has_its_form(self, loaded: dict[str, Any]) -> bool:
        """Return whether sets give their elements in the order in which they did, and the like.

        That hangs on all that was ever put into a set, which `pickle` does not write.
        """
        self.look.in_form = True
        try:
            own, again = (self._fingerprints(values, {}) for values in (self.values, loaded))
        finally:
            self.look.in_form = False
        return all(own[name]["hash"] == again[name]["hash"] for name in self.group.names)

    def _is_by_name(self, name: str, loaded: Any) -> bool:
        """Return whether what is loaded is in part the very object: another kernel has another."""
        reached = self.group.reached[name]
        if all(map(_is_by_value, self._kinds(name))):
            return False
        again = Reached(loaded, self.surface).objects
        return any(not is_constant_value(again[key]) for key in again.keys() & reached.objects)

    def _fingerprints(
        self, values: dict[str, Any], known: dict[str, Fingerprint]
    ) -> dict[str, Fingerprint]:
        fingerprints = {}
        for name in self.group.names:
            old = known.get(name)
            if old is None or not old["hash"] or old["identity"] != id(values[name]):
                old = self.look.fingerprint(values[name])
            fingerprints[name] = old
        return fingerprints


def _place_of(numpy: Any, memory: Any) -> tuple[int, int]:
    """Return where bytes begin and end."""
    if not memory.nbytes:
        return 0, 0
    start = numpy.frombuffer(memory, numpy.uint8).__array_interface__["data"][0]
    return start, start + memory.nbytes


def _joined(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places in order, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for place in sorted(places):
        start, end = place
        if found and start < found[-1][1]:
            first, last = found.pop()
            start, end = first, max(last, end)
        found.append((start, end))
    return found


def _copied(buffer: Any) -> Any:
    """Return what a file would give for a buffer; pickle makes it read-only where it was."""
    return bytearray(buffer.raw())


def _is_by_value(kind: type) -> bool:
    """Return whether objects of a class are surely pickled by what they hold."""
    return kind.__module__ == "builtins" or hasattr(of_module(kind.__module__), "IS_BY_VALUE")
