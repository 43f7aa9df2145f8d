"""What it pays to keep of the values of a session, and how long that may take.

A value is worth what it took to make it: that of all runs which would be made again for it. Keeping
costs the kernel time as well, for all memory that it writes to while a child is at it is copied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf

from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.runner.executed import Executed

LEAST_S = 0.05
"""What was made more quickly is made again."""
MOST_SHARE = 0.1
"""How much the children that keep values may compute, of what the notebook itself takes."""
_WAIT_SHARE = 0.03
"""How much of it the last may, for which one waits."""
_LEAST_SPENT_S = 0.15
"""What the last of them may compute in any case; what was made sooner is not worth a child."""
_WORTH_S, _LAST_SHARE = 1.0, 0.5
"""How long it took to make what is kept before a cell changes it, and the share of it that is
enough before the last one: that is edited most often."""
_LIKELY_SHARE = 0.3
"""How much more the last child may compute, of what it took to make what the last cell reads."""
_LONG_S = 10.0
"""How long it took to make what is kept before the notebook has come to its end, should it never
come there. Measured, a child in its midst costs .1 to .3 s: what either writes to is copied."""
_MORE = 1.5
"""So many times longer than it would have been may be computed before it is asked for again."""
REST_S = 60.0
"""How long a child may compute that nobody waits for."""
_NO_VALUES = frozenset(
    {"module", "function", "type", "builtin_function_or_method", "abc.ABCMeta"}
    | {"generator", "coroutine", "async_generator"}
)


class Budget:
    """What values are not kept yet, what they took to make, and what was spent on keeping others.

    All in seconds. `owed` are the values, by names, with what the runs took that made each.
    """

    def __init__(self) -> None:
        self.owed: dict[str, float] = {}
        self._makers: dict[str, frozenset[int]] = {}
        self._took_s: list[float] = []
        self._too_short_s: dict[str, float] = {}
        self._ran_s = 0.0
        self._spent_s = 0.0

    def note(self, past: Sequence[PastRun]) -> None:
        """Take note of what the last run has made, and how long that took.

        What was changed took what it took to make it before, too. A run that is made again in any
        case makes its values again.
        """
        run = past[-1]
        took_s = run.executed.duration_s
        self._ran_s += took_s
        self._took_s.append(took_s)
        makers = frozenset({len(self._took_s) - 1}).union(
            *(self._makers.get(name, ()) for name in run.reads)
        )
        for name in run.changed:
            before_s = self.owed.get(name, 0.0) if name in run.reads else 0.0
            self.settle([name])
            if name in run.bound:
                self._too_short_s.pop(name, None)
            if name in run.after and _has_value(name, run) and not run.has_effects:
                self.owed[name] = before_s + took_s
                self._makers[name] = makers

    def settle(self, names: Iterable[str]) -> None:
        """Take note that these values are kept, or are no more."""
        for name in names:
            self.owed.pop(name, None)
            self._makers.pop(name, None)

    def leave(self, names: Iterable[str]) -> None:
        """Take note that these values need not be kept, though others may be made of them."""
        for name in names:
            self.owed.pop(name, None)

    def note_too_short(self, names: Iterable[str], limit_s: float) -> None:
        """Take note that none of these values could be kept in so many seconds."""
        self._too_short_s.update(dict.fromkeys(names, limit_s))

    def spend(self, cost_s: float) -> None:
        """Take note of how long a child has computed."""
        self._spent_s += cost_s

    def forget(self) -> None:
        """Forget the values of a kernel that is no more; what was spent on them stays spent."""
        self.owed, self._makers, self._took_s, self._too_short_s = {}, {}, [], {}

    def at_stake(self, changes: Collection[str], *, is_last: bool) -> Mapping[str, float]:
        """Return what is to be kept before some names are changed, if that is urgent."""
        return self._at_stake(self.owed, changes, 0.0, is_last=is_last)

    def would_be_at_stake(self, last: Executed, changes: Collection[str]) -> bool:
        """Tell whether anything would be `at_stake` once the last run is noted."""
        took_s, bound = last.duration_s, last.event["after"] if last.event is not None else ()
        owed = {**self.owed, **{name: self.owed.get(name, 0.0) + took_s for name in bound}}
        return bool(self._at_stake(owed, changes, took_s, is_last=True))

    def _at_stake(
        self, owed: Mapping[str, float], changes: Collection[str], more_s: float, *, is_last: bool
    ) -> Mapping[str, float]:
        """Return it; a run that took `more_s` is not noted yet: all may have been needed for it."""
        worth_s = _WORTH_S * (_LAST_SHARE if is_last else 1.0)
        left_s = self.left_s() + MOST_SHARE * more_s
        at_stake = {
            name: owed_s
            for name, owed_s in owed.items()
            if (name in changes or owed_s >= worth_s)
            and left_s > _MORE * self._too_short_s.get(name, 0.0)
        }
        changed = {name: owed_s for name, owed_s in at_stake.items() if name in changes}
        is_urgent = any(
            min(sum(lost.values()), inf if more_s else self._took_by(lost)) >= least_s
            for lost, least_s in ((changed, worth_s), (at_stake, _LONG_S))
        )
        return at_stake if is_urgent and left_s >= MOST_SHARE * worth_s else {}

    def whole(self, limit_s: float = inf) -> dict[str, float]:
        """Return, by names, what all runs took that each value would take again.

        Those are left out that are known to take longer to keep than the limit.
        """
        return {
            name: self._took_by([name])
            for name in self.owed
            if limit_s > self._too_short_s.get(name, 0.0)
        }

    def likely_s(self, names: Iterable[str]) -> float:
        """Return how long it may take to keep values that are likely to be asked for."""
        return _LIKELY_SHARE * self._took_by(names)

    def left_s(self) -> float:
        """Return how long a child may compute."""
        return MOST_SHARE * self._ran_s - self._spent_s

    def last_s(self) -> float:
        """Return how long the last child may compute, for which one waits."""
        return max(min(self.left_s(), _WAIT_SHARE * self._ran_s), _LEAST_SPENT_S)

    def _took_by(self, names: Iterable[str]) -> float:
        """Return what all runs took that would be made again for some values, each once."""
        runs = frozenset[int]().union(*(self._makers.get(name, ()) for name in names))
        return sum(map(self._took_s.__getitem__, runs))


def worth_keeping(owed: Mapping[str, float]) -> list[str]:
    """Return the names of values that took their time to make, none if that pays no child."""
    names = sorted(name for name, owed_s in owed.items() if owed_s >= LEAST_S)
    return names if sum(map(owed.__getitem__, names)) >= _LEAST_SPENT_S else []


def _has_value(name: str, run: PastRun) -> bool:
    return run.after[name].kind not in _NO_VALUES and not name.startswith("<")
