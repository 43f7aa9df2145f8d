"""What a session holds after a run that was made, or is recalled: state, links, what is kept."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_nbsafe.kernel.contract import OPEN_FIGURES, CellRun
from pytest_nbsafe.resume import sharing
from pytest_nbsafe.resume.bound_names import imported_names
from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.learned import is_as_then, told, untold
from pytest_nbsafe.resume.past_runs import PastRun, entries_by_value, learned
from pytest_nbsafe.resume.positions import runs_called
from pytest_nbsafe.resume.read_beyond import changed_beyond, read_beyond, texts_of_lambdas
from pytest_nbsafe.resume.setting_texts import maker_of_settings
from pytest_nbsafe.resume.state import (
    BESIDE,
    NOBODY,
    RESULTS,
    State,
    after,
    asks_figures,
    bound_again,
    changed_in_place,
    is_tied,
    made_by_value,
    names_of,
    sources,
    unexpected,
)
from pytest_nbsafe.resume.text_patterns import reads_all
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import replace

_KEEPS_RESULTS = "functools._lru_cache_wrapper"


def made_run(
    source: str,
    executed: Executed,
    entry: str,
    past: Sequence[PastRun],
    state: State,
    keeper: Keeper | None,
    here: Collection[str] | None,
) -> PastRun:
    """Return a run of a session that was made by a kernel which held the names `here`."""
    event, more = executed.event, dict[str, sharing.Shares]()
    if event is not None and here is not None:
        seen = sharing.seen(found_names(event), state, here)
        more = sharing.not_seen(seen, state, by_value=False)
    return _past_run(source, executed, entry, past, state, links_told(executed), keeper, more)


def recalled_run(
    source: str,
    executed: Executed,
    entry: Entry,
    past: Sequence[PastRun],
    state: State,
    keeper: Keeper | None,
) -> PastRun:
    """Return a run of a session that is recalled."""
    equal = by_value(entry, past, state)
    more = sharing.not_seen(entry.content["seen"], state, by_value=bool(equal))
    about = past, state, _links(entry, executed, past, state), keeper, more
    tells = knows_the_same(entry, past, state)
    return _past_run(source, executed, entry.id, *about, by_value=equal, tells=tells)


def made_anew(entry: Entry, past: Sequence[PastRun], state: State) -> list[str]:
    """Return the names of which a run would find other values now than it found, be they equal.

    Of numbers, texts and what libraries have, one that is equal is as good as the other.
    """
    others = entries_by_value(past)
    return [
        name
        for name, (_, maker) in entry.content["names"].items()
        for held in (state.get(name, NOBODY),)
        if held.maker != maker or made_by_value(maker, others)
        if is_tied(name, held) or not held.hash
    ]


def by_value(entry: Entry, past: Sequence[PastRun], state: State) -> str:
    """Return what stands for the values that a run would find now that are only equal.

    That is empty where it would find the very values that it found.
    """
    others, names = entries_by_value(past), made_anew(entry, past, state)
    found = ((name, sharing.stamp(state.get(name, NOBODY).maker, others)) for name in names)
    return hashed(*itertools.chain(*found)) if names else ""


def knows_the_same(entry: Entry, past: Sequence[PastRun], state: State) -> bool:
    """Return whether of all that a run would find now the same is known as was of what it found."""
    anew = made_anew(entry, past, state)
    tied = (name for name in anew if is_tied(name, state.get(name, NOBODY)))
    return is_as_then(entry.content, learned(past), tied)


def after_run(
    texts: Sequence[str],
    executed: Executed,
    entry: str,
    past: Sequence[PastRun],
    state: State,
    links: Mapping[str, Collection[str]] | None,
    by_value: str = "",
    more: Mapping[str, sharing.Shares] = MappingProxyType({}),
) -> State:
    """Return what is held after a run of an entry; `links`, `by_value` as `state.after` has it.

    `texts` are its own and those of the functions that it called; `more` is as `sharing.not_seen`
    returns it.
    """
    event, unseen, settings_by = executed.event, frozenset[str](), ""
    if event is not None:
        unseen = changed_beyond(texts, event, past, state)
        if sources(event):
            settings_by = maker_of_settings(texts[0], event, state)
    imported = imported_names(texts[0])
    now = after(state, event, entry, links, unseen, by_value, settings_by, imported)
    return sharing.followed(now, state, executed, links, unseen, more)


def links_told(executed: Executed) -> Mapping[str, Sequence[str]] | None:
    """Return what a run that was made has told of names that share objects."""
    inputs = executed.inputs
    return inputs["links"] if inputs is not None else None


def found_names(event: CellRun) -> Iterator[str]:
    """Yield the names whose values a run found, and what stands for what no name holds."""
    for name, held in event["before"].items():
        yield name
        if held["kind"] == _KEEPS_RESULTS:
            yield RESULTS.format(name)
    yield BESIDE
    if asks_figures(event):
        yield OPEN_FIGURES
    yield from sources(event)
    yield from sorted(bound_again(event))
    yield from sorted(unexpected(event))


def _past_run(
    source: str,
    executed: Executed,
    entry: str,
    past: Sequence[PastRun],
    state: State,
    links: Mapping[str, Collection[str]] | None,
    keeper: Keeper | None,
    more: Mapping[str, sharing.Shares],
    *,
    by_value: str = "",
    tells: bool = True,
) -> PastRun:
    """Return a run of a session that was made, or recalled, in a state, and what is kept of it.

    It `tells` of learning if what it told then is so now.
    """
    changed = changed_in_place(state, executed.event) if executed.event is not None else ()
    links = sharing.linked(links, changed, more)
    called = _texts_called(executed, past, state)
    now = after_run([source, *called], executed, entry, past, state, links, by_value, more)
    equal = {*entries_by_value(past), *((entry,) if by_value else ())}
    kept = keeper.known(entry, now, equal) if keeper is not None else ()
    read = _beyond(source, called, executed, past, state)
    run = PastRun(entry, source, executed, state, now, kept, by_value, read, links)
    before, note = learned(past), run.log_note
    if tells and note["state"]:
        return replace(run, learned=told(before, note))
    mark = f"{entry} {by_value}" if run.learning else ""
    return replace(run, learned=untold(before, mark, run.changed))


def _links(
    entry: Entry, executed: Executed, past: Sequence[PastRun], state: State
) -> Mapping[str, Collection[str]] | None:
    """Return what a run that is recalled has changed besides the names that it told of.

    What other runs made than then may share objects with what it changed, whatever it told, unless
    it is known by now that it does not. Where that holds for what it changed itself, with whom that
    shares them counts; None where nobody knows.
    """
    told, around = links_told(executed), entry.content["around"]
    if not around or told is None or executed.event is None:
        return told
    others = entries_by_value(past)
    now = sharing.stamps(state, state, others)
    made_anew = {name for name, mark in now.items() if around.get(name) != mark}
    met = made_anew.intersection(found_names(executed.event))
    found: dict[str, set[str]] = {}
    for name in changed_in_place(state, executed.event):
        known = state[name].shares if name in made_anew else frozenset(told.get(name, ()))
        if known is None:
            return None
        apart = {each for each in made_anew - met if sharing.are_apart(name, each, state)}
        found[name] = {*known, *made_anew} - apart - {name}
    return found


def _beyond(
    source: str,
    called: Sequence[str],
    executed: Executed,
    past: Sequence[PastRun],
    state: State,
) -> frozenset[str]:
    """Return the names that a run may have read without a word; `called` are texts of functions."""
    if executed.event is None:
        return frozenset()
    if reads_all(*called):
        return frozenset(names_of(state))
    return read_beyond([source, *called], executed.event, past, state)


def _texts_called(executed: Executed, past: Sequence[PastRun], state: State) -> list[str]:
    """Return the texts of the cells whose functions a run of the session called.

    Nobody tells that a lambda was: those of the lambdas that it found are among them.
    """
    event = executed.event
    if event is None:
        return []
    called = [past[run - 1].source for run in runs_called(event) if run <= len(past)]
    return [*called, *texts_of_lambdas(event, past, state)]
