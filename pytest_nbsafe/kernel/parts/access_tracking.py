"""What the cells of a child read and change below the names: attributes, keys, columns of frames.

Each attribute and subscript of the texts that are followed comes by here while it is taken
(`rewrite`). An access counts for all symbols of its object (`symbols`). What goes on where nobody
follows it reads the whole symbol that was handed over, and may change it. Nothing in here reaches
the cell: every fault is caught, and then nothing is said of the run at all.

Source: Macke et al. 2021, section 3.1 and 3.2. Departs: a read counts for the part that was read
in the end (`d['a']['b']`), not for what it went through.
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Callable
from typing import Any

from ..contract import Access
from ..functions.reach import names_in
from ..identity import identity
from . import access_steps as steps
from .access_log import AccessLog
from .access_sites import ARG, CALLEE, KEEP, LOOK, TAKE, Site, is_followed, line_executing
from .aliases import Aliases, Lost, is_atom, scalars

WORK = 20_000
"""How much is followed in one run: what would take longer is not worth the wait."""
PASSES = 1_000_000
"""How many values may come by, those that need no second look included."""


class Accesses:
    """What one run after another reads and changes, by the cell's line and the symbol.

    `lines` maps files of cells to the lines of their statements, as `rewrite` gives them; `bound`
    are names that the run's own texts bind, `opaque` those of which nothing can be said. `stopped`
    is called when no more is told of a run.
    """

    def __init__(self, registry: Aliases, fingerprint: Callable[[Any], str]) -> None:
        self.registry = registry
        self.notes = AccessLog(registry, fingerprint)
        self.sites: list[Site] = []
        self.lines: dict[str, dict[int, int]] = {}
        self.fault = ""
        self.stopped: Callable[[], object] = bool
        self._quiet: set[int] = set()
        self.start()

    def start(self) -> None:
        """Forget the last run."""
        self.fault = ""
        self.opaque: set[str] = set()
        self.bound: set[str] = set()
        self._last = 0
        self._tracks: dict[tuple[int, int], steps.Track] = {}
        self._calls: dict[tuple[int, int], str] = {}
        self._work = 0
        self._passes = itertools.repeat(1, PASSES)
        self._inner: list[int] = []
        self._quiet.clear()
        self.registry.dull.clear()
        self.registry.renew()
        self.notes.start()

    def hooks(self) -> list[Callable[..., Any]]:
        """Return what the texts call, in the order of `rewrite.HOOKS`: each lets a value pass.

        A fault of ours ends in `ours`, as does all that would take too long.
        """
        dull, quiet = self.registry.dull, self._quiet

        def ours(method: Callable[..., None], *arguments: Any) -> None:
            if not self.fault:
                try:
                    self._count()
                    method(sys._getframe(2), *arguments)  # noqa: SLF001  # what else knows it
                except Exception as error:
                    self._fail(error)

        def enough() -> bool:
            if not self.fault:
                self._fail(Lost("too many values come by"))
            return True

        def use(number: int, value: Any) -> Any:
            next(self._passes, 0) or enough()
            if number in quiet and type(value) in scalars:
                return value
            if dull.get(number) != identity(value):
                ours(self._use, number, value)
            return value

        def at(number: int, place: int, value: Any) -> Any:
            next(self._passes, 0) or enough()
            if dull.get(number) != identity(value):
                dull.pop(number, None)
                ours(self._at, number, place, value)
            return value

        def key(number: int, place: int, index: int, value: Any) -> Any:
            next(self._passes, 0) or enough()
            if number not in dull:
                ours(self._key, number, place, index, value)
            return value

        def end(number: int, value: Any) -> Any:
            next(self._passes, 0) or enough()
            if number not in dull or type(value) not in scalars:
                ours(self._end, number, value)
            return value

        def call(number: int, value: Any) -> Any:
            ours(self._call, number, value)
            return value

        def more(number: int, value: Any) -> Any:
            ours(self._more, number, value)
            return value

        return [use, at, key, end, call, more]

    def _count(self) -> None:
        self._work += 1
        if self._work > WORK:
            raise Lost("there is too much to follow")

    def list_all(self) -> list[Access]:
        """Return the accesses of the run; of a name of which nothing is known, the whole."""
        for track in self._tracks.values():
            self._give_up(track)
        return self.notes.list_all(self.opaque)

    # ------------------------------------------------------------ the texts call these

    def _use(self, frame: types.FrameType, number: int, value: Any) -> None:
        """Note a value that a name held."""
        site = self.sites[number]
        if not is_atom(value) or steps.may_call(value):
            self._consume(site, value, self._paths(value, site), identity(frame))
        elif site.name and self.registry.home.get(site.name, self) is value:
            self._enter(site)
            self._note(site, [(site.name,)])
            self._quiet.add(number)
            if not site.line:
                self._inner.append(number)
        elif site.name not in self.registry.home:
            self._quiet.add(number)
        if site.mode == LOOK and self.registry.is_calm():
            self._calm(number, value)

    def _at(self, frame: types.FrameType, number: int, place: int, value: Any) -> None:
        """Note an object of which an attribute or item is about to be taken."""
        site, key = self.sites[number], (identity(frame), number)
        track = self._tracks.pop(key, None)
        if place == 0:
            if track is not None:
                self._give_up(track)
                track = None
            paths = self._paths(value, site)
        else:
            paths = self._arrived(track) if track is not None else []
            paths = steps.joined(paths, self._symbols(value))
        if not paths:
            if len(site.links) == 1 and site.mode != CALLEE:
                self._calm(number, value)
            return
        link = site.links[place]
        line = track.line if track is not None else site.line or line_executing(self.lines)
        track = self._tracks[key] = steps.Track(site, paths, steps.kind_of(value), place, line)
        if link.attribute:
            self._step(track, steps.attribute(value, track.kind, link.attribute))
        else:
            track.keys = [*link.keys]
            if link.last < 0:
                self._step(track, steps.item(track.kind, track.keys, many=link.many))
            elif track.kind.word == "array" and len(site.links) == 1:
                self._dull(number, track, value)

    def _dull(self, number: int, track: steps.Track, value: Any) -> None:
        """Leave alone, from now on, an array of which single items are looked at, or stored."""
        self._step(track, steps.STUCK)
        if track.site.stores in ("", "more"):
            self._note(track.site, track.paths)
        if (track.site.stores or track.site.mode == LOOK) and self.registry.is_calm():
            self._calm(number, value)

    def _calm(self, number: int, value: Any) -> None:
        """Leave a place alone while it has the same object, and nothing new is known of any.

        In a function that is while the cell's own statement is the same.
        """
        self.registry.dull[number] = identity(value)
        if not self.sites[number].line:
            self._inner.append(number)

    def _key(self, frame: types.FrameType, number: int, place: int, index: int, value: Any) -> None:
        """Note a key."""
        track = self._tracks.get((identity(frame), number))
        if track is not None and track.place == place:
            track.keys[index] = steps.plain_key(value)
            link = track.site.links[place]
            if index == link.last:
                self._step(track, steps.item(track.kind, track.keys, many=link.many))

    def _end(self, frame: types.FrameType, number: int, value: Any) -> None:
        """Note a value that a chain of attributes and subscripts led to."""
        site, track = self.sites[number], self._tracks.pop((identity(frame), number), None)
        if site.mode != CALLEE:
            self._arrive(site, track, value, identity(frame))
        elif track is not None:
            self._method(site, track, value, identity(frame))
        else:
            self._about_to_call(site, value, identity(frame))

    def _call(self, frame: types.FrameType, number: int, value: Any) -> None:
        """Note a value that is about to be called."""
        site = self.sites[number]
        self._note(site, self._paths(value, site))
        self._about_to_call(site, value, identity(frame))

    def _more(self, frame: types.FrameType, number: int, _value: Any) -> None:
        """Note that something is about to be added, or the like, to what a name holds."""
        site = self.sites[number]
        space = frame.f_globals if site.line else frame.f_locals
        held = space.get(site.name, frame.f_globals.get(site.name))
        for path in self._paths(held, site):
            self._note(site, [path])
            if not is_atom(held) or len(path) == 1:
                self._change(site, path)
                self.registry.doubt(path)

    # ------------------------------------------------------------ chains

    def _step(self, track: steps.Track, step: Any) -> None:
        """Note how a chain goes on; where it ends in a store, that is about to be done."""
        track.next = step
        site = track.site
        if not site.stores or track.place < len(site.links) - 1:
            return
        if site.stores == "more":
            for path in steps.after(track):
                self._note(site, [path])
                self.registry.doubt(path)
        for path in steps.after(track):
            whole = step not in (steps.STUCK, steps.CALLED) and site.stores == "store"
            self._change(site, path, whole=whole, table=track.kind.is_table)

    def _arrived(self, track: steps.Track) -> steps.Paths:
        """Return the symbols of what a link has led to; none where it led out of sight."""
        if track.next is steps.CALLED:
            return []
        if track.next is not steps.STUCK:
            return steps.after(track)
        for path in track.paths:
            self._note(track.site, [path])
            if track.site.stores or not track.kind.is_table:
                self._change(track.site, path)
        return []

    def _give_up(self, track: steps.Track) -> None:
        """Take note of a chain that did not come to its end."""
        if not track.site.stores or track.place < len(track.site.links) - 1:
            self._note(track.site, steps.after(track), track.line)

    def _arrive(self, site: Site, track: steps.Track | None, value: Any, frame: int) -> None:
        """Note that a chain led to a value that is not called."""
        paths = self._symbols(value)
        if track is None or track.next is steps.CALLED:
            self._consume(site, value, paths, frame)
            return
        reached = steps.after(track)
        if track.next is steps.STUCK:
            for path in reached:
                self._note(site, [path])
                if not is_atom(value) and not (track.kind.is_table and self._looks(site, frame)):
                    self._change(site, path)
            self._consume(site, value, paths, frame)
            return
        if len(track.next) == 1:
            for path in reached:
                self.notes.value(path, value)
        self._consume(site, value, steps.joined(reached, paths), frame, known=bool(paths))

    def _method(self, site: Site, track: steps.Track, value: Any, frame: int) -> None:
        """Note that what a chain led to is about to be called."""
        if track.next is not steps.STUCK and track.next is not steps.CALLED:
            self._note(site, steps.after(track))
            self._about_to_call(site, value, frame)
            return
        does = self._about_to_call(site, value, frame, site.links[-1].attribute, track.kind)
        if does == steps.FOLLOWED:
            return
        for path in track.paths:
            self._note(site, [path])
            if does != steps.PURE:
                self._change(site, path)

    def _about_to_call(
        self, site: Site, value: Any, frame: int, method: str = "", kind: steps.Kind | None = None
    ) -> str:
        """Return what is known of a callee, and keep it for the arguments."""
        number = site.call
        inplace = number >= 0 and self.sites[number].inplace
        does = steps.known(value, method, kind)
        if does == steps.PURE and inplace:
            does = steps.UNKNOWN
        if does == steps.UNKNOWN:
            self._distrust(value)
            if steps.sees_all(value):
                raise Lost("a cell looks at its names by itself")
        self._calls[frame, number] = does
        return does

    # ------------------------------------------------------------ what is noted

    def _symbols(self, value: Any) -> steps.Paths:
        return [] if is_atom(value) else self.registry.symbols(value)

    def _paths(self, value: Any, site: Site) -> steps.Paths:
        """Return the symbols of a value that stands, perhaps under a name, in the text."""
        registry, name = self.registry, site.name
        if site.line and site.line != self._last:
            self._last = site.line
            registry.renew(self.bound)
            while self._inner:
                number = self._inner.pop()
                registry.dull.pop(number, None)
                self._quiet.discard(number)
        if not name or registry.home.get(name, registry) is not value:
            return self._symbols(value)
        if name in registry.hidden or type(value) is types.ModuleType:
            return []
        if registry.roots.get(name) != identity(value):
            registry.look(name)
        self._enter(site)
        return steps.joined([(name,)], self._symbols(value))

    def _enter(self, site: Site) -> None:
        """Note that the run reads what a name held before, if it does."""
        if site.stores in ("", "more"):
            self.notes.enter(site.name)

    def _consume(
        self, site: Site, value: Any, paths: steps.Paths, frame: int, *, known: bool = True
    ) -> None:
        """Note what becomes of a value: it is read, and perhaps changed where nobody sees."""
        mode = site.mode
        does = self._calls.get((frame, site.call), steps.UNKNOWN) if mode == ARG else ""
        if does == steps.FOLLOWED:
            mode = KEEP
        if not paths:
            if mode != CALLEE and steps.may_call(value):
                self._distrust(value)
            return
        plain = is_atom(value)
        is_hidden = mode == TAKE and not (known and self.registry.is_seen_through(value))
        if mode == KEEP and known and not plain:
            return  # it is known again by itself
        self._note(site, paths)
        if plain and steps.may_call(value):
            self._distrust(value)
        elif plain:
            return
        elif does == steps.UNKNOWN or mode == KEEP or is_hidden:
            for path in paths:
                self._change(site, path)

    def _looks(self, site: Site, frame: int) -> bool:
        """Return whether a value that stands in a place is looked at there, and no more."""
        known = self._calls.get((frame, site.call), steps.UNKNOWN)
        return site.mode == LOOK or (site.mode == ARG and known == steps.PURE)

    def _distrust(self, value: Any) -> None:
        """Say nothing of the names that code may access which nobody follows."""
        self.opaque.update(names_in(value, self.registry.home, is_followed))

    def _note(self, site: Site, paths: steps.Paths, line: int = 0) -> None:
        """Note reads."""
        for path in paths:
            self.notes.read(line or site.line or line_executing(self.lines), path)

    def _change(
        self, site: Site, path: tuple[Any, ...], *, whole: bool = False, table: bool = False
    ) -> None:
        """Note a change; `whole`: nothing that was there at the path is left.

        What is below a `table` are no objects that have symbols.
        """
        self.notes.change(site.line or line_executing(self.lines), path, whole=whole)
        if not table:
            self.registry.changed(path)

    def _fail(self, error: Exception) -> None:
        """Say nothing of this run."""
        self.fault = self.fault or f"{type(error).__name__}: {error}"
        self._tracks.clear()
        self.stopped()
