"""Which names may share objects: what is done to one in place then shows in another.

The kernel counts who else holds a part of what a run has made or changed. That is followed from run
to run, so that of a value that was made again, and is equal, it is known whether it shares what the
one before shared: `b = a` and `b = list(a)` give equal values.

Source: co-variables after Kishu (Fang et al. 2025), 4. Departs: of some it is not known, and those
may share with all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pytest_nbsafe.resume.state import NOBODY, State, changed_in_place, is_axis, is_tied, runs_of
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import replace

Shares = frozenset[str] | None
"""The names with which one may share objects, None where that may be any.

A name is among its own where its value may lead to an object in two ways.
"""


def stamp(maker: str, by_value: Mapping[str, str]) -> str:
    """Return what stands for who made a value, and from whose values.

    `by_value` are the entries of runs that are reused though they found other values that were only
    equal, each with what stands for those.
    """
    tokens = [by_value[run] for run in runs_of(maker) if run in by_value]
    return hashed(maker, *tokens) if tokens else maker


def stamps(names: Iterable[str], state: State, by_value: Mapping[str, str]) -> dict[str, str]:
    """Return the stamps of those of the names whose values others may lead to."""
    return {
        name: stamp(state[name].maker, by_value)
        for name in names
        if name in state and is_tied(name, state[name])
    }


def shared(
    found: Collection[str], state: State, by_value: Mapping[str, str], *, changes: bool
) -> dict[str, str]:
    """Return the stamps of the names that may share objects with others that were found too.

    Of one alone it counts whether it leads to an object in two ways; where that is not known, only
    if the run `changes` something in place.
    """
    tied = stamps(found, state, by_value)
    if len(tied) == 1 and not changes and all(state[name].shares is None for name in tied):
        return {}
    return {
        name: mark
        for name, mark in tied.items()
        if (shares := state[name].shares) is None or not shares.isdisjoint(tied)
    }


def are_apart(name: str, other: str, state: State) -> bool:
    """Return whether two names are known to share nothing."""
    one, two = state.get(name, NOBODY).shares, state.get(other, NOBODY).shares
    return one is not None and two is not None and other not in one


def seen(
    found: Iterable[str], state: State, here: Collection[str] | None
) -> dict[str, list[str] | None]:
    """Return with whom each name that a run found may share objects, of the names `here`.

    Those are what its kernel held, None for all: of others it cannot tell whether they share what
    it has made or changed.
    """
    shares = {n: state[n].shares for n in found if n in state and is_tied(n, state[n])}
    return {
        name: sorted(others if here is None else others.intersection(here))
        if others is not None
        else None
        for name, others in shares.items()
    }


def not_seen(
    seen: Mapping[str, Sequence[str] | None], state: State, *, by_value: bool
) -> dict[str, Shares]:
    """Return for names that a run found those with which they may share objects now, if more.

    None where that may be any: where it is not known, and the run is reused `by_value`.
    """
    more: dict[str, Shares] = {}
    for name, others in seen.items():
        now = state[name].shares if name in state else frozenset()
        known = now - frozenset(others or ()) if now is not None else None
        if known or (known is None and (others is not None or by_value)):
            more[name] = known
    return more


def linked(
    links: Mapping[str, Collection[str]] | None,
    changed: Iterable[str],
    more: Mapping[str, Shares],
) -> Mapping[str, Collection[str]] | None:
    """Return the links of a run, those added that it did not see of what it has changed in place.

    Both are as `state.after` takes them; None where they are not known.
    """
    unseen = {name: more[name] for name in changed if name in more}
    if links is None or None in unseen.values():
        return None
    return {**links, **{n: {*links.get(n, ()), *(unseen[n] or ())} for n in unseen}}


def followed(
    now: State,
    before: State,
    executed: Executed,
    links: Mapping[str, Collection[str]] | None,
    unseen: Collection[str],
    more: Mapping[str, Shares],
) -> State:
    """Return what is held `now`, after a run, with whom each name may share objects by then.

    `links` and `unseen` are as `state.after` takes them. With the names that share `more` by now
    with what it found, what it made may share objects as well.
    """
    event = executed.event
    if event is None:
        return now
    made = _made(executed)
    met, added = {**made, **_changed(executed, before, links, made)}, _joined(more.values())
    met = {name: _joined([others, added and added - {name}]) for name, others in met.items()}
    met.update(dict.fromkeys(unseen, None))
    gone = made.keys() | (before.keys() - now.keys())
    shares: dict[str, set[str] | None] = {}
    for name in now:
        is_new = name in made or (name not in before and name in met)
        was = frozenset() if is_new else before[name].shares if name in before else None
        shares[name] = {*was} - gone if was is not None else None
    for name in met.keys() & now.keys():
        _meet(name, met[name], shares)
    return {
        name: held if held.shares == mine else replace(held, shares=_frozen(mine))
        for (name, held), mine in zip(now.items(), shares.values(), strict=True)
    }


def _meet(name: str, others: Shares, shares: dict[str, set[str] | None]) -> None:
    """Take note that one name may share objects with others, and so each of them with the rest."""
    if others is None:
        shares[name] = None
    group = {name, *(others or ())} & shares.keys()
    for other in shares if others is None else group:
        mine = shares[other]
        if mine is not None:
            mine |= group - {other}
            if other == name and others is not None and name in others:
                mine.add(name)


def _joined(shares: Iterable[Shares]) -> Shares:
    """Return all with which one of several may share objects."""
    joined = frozenset[str]()
    for each in shares:
        if each is None:
            return None
        joined |= each
    return joined


def _frozen(names: set[str] | None) -> Shares:
    return frozenset(names) if names is not None else None


def _changed(
    executed: Executed,
    before: State,
    links: Mapping[str, Collection[str]] | None,
    made: Collection[str],
) -> dict[str, Shares]:
    """Return with whom what a run has changed in place may share objects."""
    assert executed.event is not None, "nothing is known of such a run"
    told, changed = _told(executed), changed_in_place(before, executed.event)
    return {
        name: frozenset(told[name]).union(links.get(name, ()))
        if links is not None and name in told
        else None
        for name in changed
        if name not in made
    }


def _made(executed: Executed) -> dict[str, Shares]:
    """Return with whom all that a run has bound may share objects, as it told."""
    assert executed.event is not None, "nothing is known of such a run"
    told, bindings, after = _told(executed), executed.event["bindings"], executed.event["after"]
    axes = {name for name, made in after.items() if is_axis(made["kind"])}
    return {
        name: frozenset(told[name]) if name in told and name not in axes else None
        for name, identity in bindings.items()
        if identity
    }


def _told(executed: Executed) -> Mapping[str, Collection[str]]:
    inputs = executed.inputs
    return inputs["shared"] if inputs is not None else {}
