"""Which names may share objects at a point of a session, as far as its runs tell.

An object is made in one run, and comes to a name by runs that read what holds it: what a run makes
shares nothing with a name that shares nothing with what it read. Else the kernel has to have
looked: it does where a run changes an object in place, and where a value is kept.

A value may be kept when it shares objects with fewer names than it did before: the others hold
something else by then. If it is loaded, and one of those made again, they are torn: what changes
the one no longer changes the other. So it is not loaded there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pytest_nbsafe.resume import sharing
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun, entries_by_value
from pytest_nbsafe.resume.positions import runs_called
from pytest_nbsafe.resume.state import is_axis, is_tied, made_by_value
from pytest_nbsafe.resume.text_patterns import renames_axis
from pytest_nbsafe.values import dataclass

_DEEPEST = 100
"""Through so many runs values are followed back."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What a name held after the run that made it, or last changed it; -1 where none is known."""

    name: str
    place: int


class Lineage:
    """Whether what names hold after the `runs` of a session may share objects."""

    def __init__(self, past: Sequence[PastRun]) -> None:
        self._past = past
        self.runs = len(past)
        self._places: dict[str, list[int]] = {}
        for place, run in enumerate(past):
            self._places.setdefault(run.entry, []).append(place)
        self._known: dict[frozenset[_Made], bool] = {}
        self._by_value = entries_by_value(past)

    def last_place(self, place: int, kept: KeptValue, reader: int) -> int:
        """Return the last place, before a reader, where names hold what is kept of a run."""
        makers = {name: self._past[place].after[name].maker for name in kept.names}
        for later in range(place + 1, reader):
            after = self._past[later].after
            if any(name not in after or after[name].maker != makers[name] for name in makers):
                return later - 1
        return max(place, reader - 1)

    def is_apart(self, place: int, kept: KeptValue, others: Iterable[str]) -> bool:
        """Return whether a kept value surely shares nothing with other names after a run.

        It is what its own names hold then.
        """
        after = self._past[place].after
        made = [each for name in kept.names if (each := self._made(place, name)) is not None]
        return all(
            self._was_around(kept, name, after[name].maker)
            or all(sharing.are_apart(own.name, name, after) for own in made)
            or all(self._are_apart(own, other, _DEEPEST) for own in made)
            for name in others
            if name not in kept.names and (other := self._made(place, name)) is not None
        )

    def not_apart(self, place: int, kept: KeptValue) -> frozenset[str]:
        """Return the names that may share something with a kept value after a run."""
        names = self._past[place].after.keys() - kept.names
        return frozenset(name for name in names if not self.is_apart(place, kept, [name]))

    def are_apart(self, place: int, name: str, other: str) -> bool:
        """Return whether two names surely share nothing after a run."""
        one, two = self._made(place, name), self._made(place, other)
        if one is None or two is None or sharing.are_apart(name, other, self._past[place].after):
            return True
        return self._are_apart(one, two, _DEEPEST)

    def renames(self, run: PastRun) -> bool:
        """Return whether a run, or a function that it called, may rename an axis of tables."""
        event = run.executed.event
        numbers = runs_called(event) if event is not None else ()
        called = (self._past[n - 1].source for n in numbers if n <= self.runs)
        return renames_axis(run.source, *called)

    def _are_apart(self, one: _Made, other: _Made, deepest: int) -> bool:
        """Return whether two names surely share nothing, each as a run has left it."""
        pair = frozenset((one, other))
        if one.place < 0 or other.place < 0:
            return False
        if pair not in self._known:
            self._known[pair] = False  # while it is not known
            self._known[pair] = (
                self._is_told(one, other)
                or self._were_apart(one, other)
                or self._were_apart(other, one)
                or (deepest > 0 and self._came_apart(one, other, deepest - 1))
            )
        return self._known[pair]

    def _is_told(self, one: _Made, other: _Made) -> bool:
        """Return whether the later of the two runs has told that these names share nothing."""
        last = max(one.place, other.place)
        links = self._past[last].links
        return links is not None and any(
            made.place == last and made.name in links and partner.name not in links[made.name]
            for made, partner in ((one, other), (other, one))
        )

    def _were_apart(self, one: _Made, other: _Made) -> bool:
        """Return whether the kernel saw that they share nothing when it kept the first."""
        maker = self._past[other.place].after[other.name].maker
        return any(
            one.name in kept.names and self._was_around(kept, other.name, maker)
            for kept in self._past[one.place].kept
        )

    def _was_around(self, kept: KeptValue, name: str, maker: str) -> bool:
        """Return whether the kernel held in a name what this maker made, when it kept a value.

        Of what a run made that found only equal values it is not known what it shares by now.
        """
        is_same = kept.around.get(name) == maker
        return is_same and not made_by_value(maker, self._by_value)

    def _came_apart(self, one: _Made, other: _Made, deepest: int) -> bool:
        """Return whether the later run read nothing that may share objects with the other name."""
        first, later = sorted((one, other), key=lambda made: made.place)
        run = self._past[later.place]
        if first.place == later.place or first.name in run.reads:
            return False  # so there is a run before the later one
        if is_axis(run.after[later.name].kind):
            return False
        read = {*run.reads, *(() if later.name in run.bound else (later.name,))}
        found = (self._made(later.place - 1, name) for name in sorted(read))
        return all(self._are_apart(made, first, deepest) for made in found if made is not None)

    def _made(self, place: int, name: str) -> _Made | None:
        """Return what a name held after a run, None where it held nothing that may be shared."""
        held = self._past[place].after.get(name)
        if held is None or not is_tied(name, held):
            return None
        places = [each for each in self._places.get(held.run, ()) if each <= place]
        return _Made(name, max(places)) if places else _Made(name, -1)


class Loads:
    """Which kept values are loaded, as a session is gone through from its end.

    A value counts as loaded where it is first read: until then nothing can be torn from it. `torn`
    are, by places, the names that may be all the same: nothing needs them after that. Before a run
    that renames an axis nothing is loaded: tables share those.
    """

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._renamed = -1
        self._readers: dict[str, int] = {}
        self._needed: dict[int, frozenset[str]] = {}
        self._end = lineage.runs
        self.torn: dict[int, frozenset[str]] = {}

    def at(
        self, place: int, run: PastRun, wanted: Collection[str], needed: Iterable[str]
    ) -> tuple[KeptValue, ...]:
        """Return what is loaded of a run, for names that are `wanted`, which it made.

        All that is `needed` after the run has to go on sharing what it shares.
        """
        self._needed[place] = frozenset(needed)
        loads: list[KeptValue] = []
        for kept in run.kept:
            if frozenset(wanted).isdisjoint(kept.names):
                continue
            reader = min(self._readers.get(name, self._end) for name in kept.names)
            if reader <= self._renamed:
                continue
            last = self._lineage.last_place(place, kept, reader)
            if self._lineage.is_apart(last, kept, self._needed[last]):
                loads.append(kept)
                torn = self._lineage.not_apart(last, kept)
                self.torn[last] = self.torn.get(last, frozenset()) | (torn - self._needed[last])
        return tuple(loads)

    def note_run(self, place: int, run: PastRun) -> None:
        """Take note that a run is made again."""
        self._readers.update(dict.fromkeys(run.reads, place))
        if self._lineage.renames(run):
            self._renamed = max(self._renamed, place)
