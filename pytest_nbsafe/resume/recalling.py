"""When what came of a run stands for what would come of it now, and what is kept to tell that."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_nbsafe.kernel.contract import SETS, CellRun
from pytest_nbsafe.resume import questions, sharing, submodules, world
from pytest_nbsafe.resume.following import found_names, knows_the_same, made_anew
from pytest_nbsafe.resume.memory import Memory, why_unfit
from pytest_nbsafe.resume.names_in_texts import names_read
from pytest_nbsafe.resume.past_runs import PastRun, entries_by_value, learned, unnamed
from pytest_nbsafe.resume.positions import (
    Moves,
    Place,
    PlaceUnknown,
    moved,
    moves,
    moves_of_definitions,
    places_called,
    runs_called,
    runs_told,
)
from pytest_nbsafe.resume.read_beyond import read_beyond
from pytest_nbsafe.resume.shown_lines import moved_outputs
from pytest_nbsafe.resume.shown_numbers import renumbered, shown_so_far
from pytest_nbsafe.resume.state import (
    NOBODY,
    Held,
    State,
    changed_between,
    changed_in_place,
    lookups_told,
    results_of,
)
from pytest_nbsafe.resume.text_patterns import lists_names, reads_all, tells_lines
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.runner import executed as forms
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import replace

_FUTURE = re.compile(r"^from[ \t]+__future__[ \t]+import\b(.+)$", re.MULTILINE)
"""What it binds is no statement to the kernel."""
_SHOW_TEXTS = frozenset(
    {"getsource", "getsourcelines", "getcomments", "getblock", "findsource", "help", "psource"}
    | {"dis", "co_firstlineno", "co_lines", "co_positions"}
)
"""Words of texts that may show how a function of another cell is written, comments and all."""
_DEFINES = re.compile(r"\b(?:def|class|lambda)\b")
_NO_RUN = "?"
"""Stands for who made a value that was changed while no cell ran."""
NEW = "it is new"
"""What is said of a text of which nothing is kept."""


class NotAsThen(Exception):  # noqa: N818  # it is an answer
    """Something is not as it was when an entry was made; the message says what."""


def kept(
    memory: Memory,
    source: str,
    executed: Executed,
    past: Sequence[PastRun],
    state: State,
    here: Collection[str] | None,
) -> str:
    """Keep what came of a run, if it may be recalled, and return the name of its entry.

    Its kernel held the names `here`, None for all.
    """
    event = executed.event
    is_fit = (
        event is not None
        and executed.status in {"ok", "raised"}
        and not why_unfit(memory, source)
        and not is_hindered(event)
        and event["run"] == len(past) + 1
    )
    if not is_fit:
        return secrets.token_hex(8)
    about = memory.context, questions.of_cell(source), memory.notebook
    held = content(executed, source, past, state, here)
    return memory.store.add(*about, held, executed.duration_s)


def content(
    executed: Executed,
    source: str,
    past: Sequence[PastRun],
    state: State,
    here: Collection[str] | None = None,
) -> Mapping[str, Any]:
    """Return what is kept of a run that was made in a state, `past` being the runs before it.

    `names` are what it may have read, or bound to what they held already, each with its fingerprint
    and the entry that made it; `unread` those that it mentions without reading them; `runs` those
    whose functions it called; `around`, where it changed objects in place, who made what may share
    them; `shared` who made those that may share objects with one another; `seen` with whom each
    may share them of the names `here`; `learned` what stands for all that was learned before it,
    at `places` if it tells of any, `known` for what was known of the objects in its `names`;
    `shown` the texts of functions that it may show, `submodules` what it may have reached.
    """
    event, known = executed.event, learned(past)
    assert event is not None, "only runs with an event are kept"
    told = runs_told(event) if known.places is None else runs_called(event)
    runs = {run: (past[run - 1].entry, past[run - 1].source) for run in sorted(told)}
    texts = [source, *(text for _, text in runs.values())]
    is_open, beyond = reads_all(*texts), sorted(read_beyond(texts, event, past, state))
    mentioned = words_of(*texts)
    found = [*found_names(event), *_futures(source), *beyond, *(state if is_open else ())]
    found += [*lookups_told(mentioned), *sorted(results_of(found, state))]
    names = {
        name: _found(event, name, held)
        for name in dict.fromkeys(found)
        for held in (state.get(name, NOBODY),)
    }
    others, changes = entries_by_value(past), bool(changed_in_place(state, event))
    return {
        "executed": forms.pack(executed),
        "source": source,
        "names": names,
        "unread": sorted((state.keys() & mentioned) - names.keys()),
        "runs": runs,
        "around": sharing.stamps(state, state, others) if changes else {},
        "shared": sharing.shared(names, state, others, changes=changes),
        "seen": sharing.seen(names, state, here),
        "learned": known.state,
        "places": known.places if runs_told(event) > told else (),
        "known": {name: known.of(name) for name in names},
        "shown": _texts_shown(mentioned, past),
        "submodules": sorted(submodules.reached(texts, past)),
    }


def recalled(
    entry: Entry,
    source: str,
    past: Sequence[PastRun],
    state: State,
    memory: Memory,
    limit_s: float | None,
) -> Executed:
    """Return what an entry holds of a run, as it would be now.

    Raises:
        NotAsThen: something differs from how it was then.

    """
    content = entry.content
    executed = forms.unpack(content["executed"])
    event = executed.event
    assert event is not None, "only runs with an event are kept"
    if limit_s is not None and executed.duration_s > limit_s:
        raise NotAsThen("it took longer than it may now")
    texts = _texts(content, source)
    _compare_values(content, names_read(texts, event), texts, past, state)
    if memory.learners.took_part(event):
        _compare_learning(entry, past, state)
    hinders = world.changed(event["inputs"], memory.environ) if event["inputs"] else ""
    if hinders:
        raise NotAsThen(hinders)
    as_now = _moved_here(content, executed, source, texts, past)
    try:
        return renumbered(as_now, shown_so_far(past), texts)
    except PlaceUnknown:
        raise NotAsThen("something else is shown above it") from None


def _compare_values(
    content: Mapping[str, Any],
    names: Collection[str],
    texts: Sequence[str],
    past: Sequence[PastRun],
    state: State,
) -> None:
    """Refuse other values than those that a run found, shared otherwise, or shown by their text.

    It may have read these `names`, if they had been there.
    """
    _compare_names(content, texts, names, past, state)
    for name in _otherwise_shared(content, past, state):
        raise NotAsThen(f"what `{name}` shares with other names may have changed")
    if content["shown"] != _texts_shown(words_of(*texts), past):
        raise NotAsThen("the text of a function that it may show changed")
    if content["submodules"] != sorted(submodules.reached(texts, past)):
        raise NotAsThen("other modules of a package have been imported")


def _compare_learning(entry: Entry, past: Sequence[PastRun], state: State) -> None:
    """Refuse another past of what learns than a run found, or rows of which less is known."""
    if learned(past).state != tuple(entry.content["learned"]):
        raise NotAsThen("another cell has learned before it")
    if not knows_the_same(entry, past, state):
        raise NotAsThen("what it learns from was made anew")


def _moved_here(
    content: Mapping[str, Any],
    executed: Executed,
    source: str,
    texts: Sequence[str],
    past: Sequence[PastRun],
) -> Executed:
    """Return what came of a run with the numbers of runs, and the lines of texts, of now.

    Raises:
        NotAsThen: a place cannot be told, or it shows where it stood.

    """
    event, number = executed.event, len(past) + 1
    assert event is not None, "only runs with an event are kept"
    shows = event["raised"] or lists_names(*texts) or _has_traceback(executed)
    if number != event["run"] and shows:
        raise NotAsThen("it stands elsewhere")  # a traceback shows the number, as names do
    try:
        runs = {
            int(run): _place(past, told, () if shows else places_called(event, int(run)))
            for run, told in content["runs"].items()
        }
        if shows and any(run != place for run, (place, _) in runs.items()):
            raise NotAsThen("what it calls stands elsewhere")  # a traceback shows that, too
        own = moves(content["source"], source)
        places = _same_places(content["places"], learned(past).places or ())
        told = moved(event, number, runs, own, places)
    except PlaceUnknown:
        raise NotAsThen("a function that it calls changed") from None
    both, others = (content["source"], source), [each for _, each in runs.values() if each]
    tells = (own or others) and tells_lines(*texts, *(run.source for run in past))
    try:
        shown = moved_outputs(executed.outputs, both, own, others, calls=bool(runs))
    except PlaceUnknown:
        tells = True
    if tells:
        raise NotAsThen("a line that has moved may be shown")
    return replace(executed, event=told, outputs=shown, reused=True)


def _has_traceback(executed: Executed) -> bool:
    """Return whether a run shows an exception, of what a magic ran for it too."""
    return any(output.traceback or "In[" in output.text for output in executed.outputs)


def known_run(
    memory: Memory, source: str, past: Sequence[PastRun], state: State, limit_s: float | None
) -> tuple[Entry, Executed] | str:
    """Return the entry that stands for a run now and what it gave, or why there is none.

    One that found the very values comes before those that found equal ones: what is kept of it, and
    of those that follow, can be loaded. That a cell above has the same text is no reason.
    """
    reason = why_unfit(memory, source)
    if reason:
        return reason
    entries, own = _entries(memory, source), {run.entry for run in past}
    for entry in sorted(entries, key=lambda entry: bool(made_anew(entry, past, state))):
        try:
            return entry, recalled(entry, source, past, state, memory, limit_s)
        except NotAsThen as other:
            reason = reason or (str(other) if entry.id not in own else "")
    return reason or NEW


def reason_of_none(memory: Memory, source: str) -> str:
    """Return why no entry can stand for a run, whatever ran before it; empty if one might."""
    return why_unfit(memory, source) or ("" if _entries(memory, source) else NEW)


def _entries(memory: Memory, source: str) -> Sequence[Entry]:
    return memory.store.entries(memory.context, questions.of_cell(source))


def _compare_names(
    content: Mapping[str, Any],
    texts: Sequence[str],
    names: Collection[str],
    past: Sequence[PastRun],
    state: State,
) -> None:
    for name, (digest, maker) in content["names"].items():
        held = state.get(name, NOBODY)
        is_equal = digest and held.hash == digest and SETS not in digest
        if held.maker != maker and not is_equal:
            words = _in_words(name, past)
            unseen = f"what changed {words} was not seen"
            raise NotAsThen(unseen if maker == _NO_RUN else f"{words} changed")
    seen = state.keys() if reads_all(*texts) else state.keys() & names
    for name in seen - {*content["unread"]}:
        if name not in content["names"]:
            raise NotAsThen(f"`{name}` is there now")


def _in_words(name: str, past: Sequence[PastRun]) -> str:
    """Return a name, or what stands in its place, as the last run left it that changed that."""
    if not name.startswith("<"):
        return f"`{name}`"
    return unnamed(name, [run for run in past if run.after.get(name) != run.before.get(name)][-1:])


def _otherwise_shared(
    content: Mapping[str, Any], past: Sequence[PastRun], state: State
) -> list[str]:
    """Return the names that may share objects otherwise than when a run found them, in order."""
    then, changes = content["shared"], bool(content["around"])
    now = sharing.shared(content["names"], state, entries_by_value(past), changes=changes)
    return sorted(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))


def _same_places(then: Iterable[Place], now: Iterable[Place]) -> dict[Place, Place]:
    """Return for each place of then the one of now, where there is one alone."""
    places: dict[Place, Place] = {}
    several = set[Place]()
    for (what, run, line), place in zip(then, now, strict=False):
        if places.setdefault((what, run, line), place) != place:
            several.add((what, run, line))
    return {was: place for was, place in places.items() if was not in several}


def _texts(content: Mapping[str, Any], source: str) -> list[str]:
    """Return the text of a run, and those whose functions it called."""
    return [source, *(text for _, text in content["runs"].values())]


def _texts_shown(words: Collection[str], past: Sequence[PastRun]) -> str:
    """Return what stands for the texts above that define something, if a text may show one."""
    if _SHOW_TEXTS.isdisjoint(words):
        return ""
    return hashed(*(run.source for run in past if _DEFINES.search(run.source)))


def written(executed: Executed) -> Sequence[str]:
    """Return the files that a run that was made has told that it has written."""
    inputs = executed.inputs
    return inputs["written"] if inputs is not None else ()


def is_hindered(event: CellRun) -> bool:
    """Return whether a run asked, or did, what keeps it from being reused."""
    inputs = event["inputs"]
    return inputs is None or bool(inputs["hindrances"] or inputs["written"])


def _futures(source: str) -> Iterator[str]:
    """Yield what a text imports of the future."""
    for names in _FUTURE.findall(source):
        yield from sorted(words_of(names))


def _found(event: CellRun, name: str, held: Held) -> tuple[str, str]:
    """Return the fingerprint of what a run found in a name, and who had made that."""
    found = event["before"].get(name)
    if found is None:
        return held.hash, held.maker
    return found["hash"], _NO_RUN if changed_between(held, found) else held.maker


def _place(
    past: Sequence[PastRun], told: tuple[str, str], called: Collection[tuple[int, int]]
) -> tuple[int, Moves | None]:
    """Return the number that a run has now, of which entry and text are told, and how that moved.

    Where it was not made again as it was, another stands for it that alone has all definitions, as
    they were, in which the functions begin that were `called`: what these are the names have told.

    Raises:
        PlaceUnknown: none does.

    """
    entry, source = told
    for number, run in enumerate(past, 1):
        if run.entry == entry:
            return number, moves(source, run.source)
    found = [
        (number, moved)
        for number, run in enumerate(past, 1)
        if called
        for moved in _moves_of_all(source, run.source, called)
    ]
    if len(found) != 1:
        raise PlaceUnknown
    return found[0]


def _moves_of_all(
    old: str, new: str, called: Collection[tuple[int, int]]
) -> Iterator[Moves | None]:
    """Yield how the definitions of a text have moved, if those have that hold all these places."""
    with suppress(PlaceUnknown):
        found = moves_of_definitions(old, new)
        if found is None or found.starts.keys() >= {*called}:
            yield found
