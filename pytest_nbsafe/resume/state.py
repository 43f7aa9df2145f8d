"""What a kernel would hold now, followed from what its runs told: no kernel is asked.

Of each name it is known which run last made or changed it, and the fingerprint of its value where
there is one. What no name holds (settings of libraries, warnings filters) is followed as one more
name, `BESIDE`, and each source of random numbers as one of its own.

Source: co-variables after Kishu (Fang et al. 2025), 4: names whose values share objects change
together. Departs: a name is followed by the fingerprint of its value first, so that a run that made
an equal value changes nothing for those that read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pytest_nbsafe.kernel.contract import (
    CHANGED,
    CODE,
    OPEN_FIGURES,
    SETS,
    CellRun,
    Fingerprint,
)
from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass

BESIDE = "<beside>"
"""Stands for all that a kernel holds and no name shows."""
PROJECT = "<project>"
"""Stands for what modules of the project hold."""
LOOKUPS = "<lookups>"
"""Stands for what tables have noted when something was first looked up in them."""
_TELL_MEMORY = frozenset({"info", "memory_usage"})
"""Words of texts that may tell how much memory a table takes."""
OF_RESULTS = "<results of "
RESULTS = f"{OF_RESULTS}{{}}>"
"""Stands for the results that a function of the notebook has kept, or a method of a class."""
_THEN = "+"
_UNSHARED = frozenset(
    {"int", "float", "complex", "bool", "str", "bytes", "NoneType", "range", "slice", "ellipsis"}
    | {"module", "datetime.datetime", "datetime.date"}
)
"""Kinds of values that cannot change by what is done to another name."""
_BY_NAME = frozenset({"function", "type", "abc.ABCMeta", "builtin_function_or_method"})
"""Kinds of values that libraries have one of under each name."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a name holds: its fingerprint, empty where unknown, and the entry that made it so.

    Where a run may have changed it that did not tell of it, `maker` stands for that run and for who
    had made it before, see `touched`. `identity` is the number of the object in the session:
    aliases have one in common. `shares` are the names with which it may share objects, None where
    that may be any. What `is_library` is a function or class that was imported: the same for all.
    """

    hash: str
    maker: str
    kind: str = ""
    identity: int = 0
    shares: frozenset[str] | None = None
    is_library: bool = False

    @property
    def run(self) -> str:
        """The entry of the last run that made it, or may have changed it."""
        return runs_of(self.maker)[0]


def touched(entry: str, maker: str, by_value: str = "") -> str:
    """Return the maker of what this one had made, and a run may then have changed unseen.

    A run that is recalled did not compare it: it is the same only where it was the same before, and
    where the run found the very values `by_value` of which it is recalled.
    """
    before = hashed(maker, by_value) if by_value else hashed(maker)
    return _THEN.join([entry, before, runs_of(maker)[-1]])


def runs_of(maker: str) -> tuple[str, ...]:
    """Return the entry of the last run that may have changed a value, and of who made it."""
    parts = maker.split(_THEN)
    return tuple(dict.fromkeys((parts[0], parts[-1])))


def made_by_value(maker: str, by_value: Collection[str]) -> bool:
    """Return whether a run of one of these entries has made a value, or may have changed it."""
    return not set(by_value).isdisjoint(runs_of(maker))


NOBODY = Held("", "")
"""What a name holds that no run has made."""
State = Mapping[str, Held]
START: State = {}
"""What a fresh kernel holds."""


def names_of(state: State) -> set[str]:
    """Return the names of a notebook that hold something, without what stands for the rest."""
    return {name for name in state if not name.startswith("<")}


def results_of(names: Iterable[str], state: State) -> set[str]:
    """Return what stands for the results that functions of these names keep, where some do."""
    return {RESULTS.format(name) for name in names} & state.keys()


def figures_asked(words: Collection[str]) -> set[str]:
    """Return what stands for the open figures, where a text with these words may ask for any."""
    return set() if datafiles.words("plotting", "draws").isdisjoint(words) else {OPEN_FIGURES}


def asks_figures(event: CellRun) -> bool:
    """Return whether a run asked which figures are open."""
    return event["inputs"] is not None and event["inputs"]["open_figures"] != ""


def lookups_told(words: Collection[str]) -> set[str]:
    """Return what stands for lookups in tables, where a text with these words may tell of any."""
    return set() if _TELL_MEMORY.isdisjoint(words) else {LOOKUPS}


def after(
    state: State,
    event: CellRun | None,
    maker: str,
    links: Mapping[str, Collection[str]] | None,
    unseen: Collection[str] = (),
    by_value: str = "",
    settings_by: str = "",
    imported: Collection[str] = (),
) -> State:
    """Return what is held after a run, `maker` being the name of its entry.

    `links` gives for each name that the run changed in place the others that share objects with it;
    None where that is not known; `unseen` are names that it may have changed with nobody looking.
    `by_value` stands for the values that it found where it is reused for those, see `touched`;
    `settings_by` for what it has set, if that hangs on less than its entry, see `setting_texts`.
    The names `imported` hold nothing but what its text has imported.
    Of a run that nothing is known of (`event` None) all may have changed.
    """
    if event is None:
        return {name: Held("", maker, held.kind) for name, held in state.items()} | {
            BESIDE: Held("", maker)
        }
    bindings = event["bindings"]
    now = {name: held for name, held in state.items() if bindings.get(name) != 0}  # 0: removed
    now.update({name: Held("", maker, identity=i) for name, i in bindings.items() if i})
    now.update(_told(state, event, maker, imported))
    by_calls = unexpected(event)
    for name in by_calls.keys() & now.keys():
        value, made = by_calls[name], now[name]
        if not value["hash"] or value["hash"] != made.hash:
            now[name] = Held(value["hash"], maker, value["kind"], made.identity)
    known = event["after"].keys() | by_calls.keys()
    for name in frozenset((*_touched_too(state, event, links), *unseen)):
        if name in now and name not in known and is_tied(name, now[name]):
            made = now[name]
            by = touched(maker, made.maker, by_value)
            now[name] = Held("", by, made.kind, made.identity)
    return {**now, **_beside(state, event, maker, by_value, settings_by or maker)}


def _told(state: State, event: CellRun, maker: str, imported: Collection[str]) -> dict[str, Held]:
    """Return what the names hold of which a run has told; what is the same keeps its maker."""
    told, unchanged = {}, _unchanged(event)
    inputs = event["inputs"]
    has_own = inputs is None or inputs["modules"]  # what modules of the project hold may change
    for name, value in event["after"].items():
        was, old = event["before"].get(name), state.get(name)
        is_same_object = was is not None and was["identity"] == value["identity"]
        is_equal = value["hash"] and was and was["hash"] == value["hash"]
        is_same = is_same_object and (is_equal or name in unchanged)
        is_same = is_same and not (old and was and changed_between(old, was))
        kept_by, is_library = maker, name in imported and not has_own and _is_of_library(value)
        if is_same and old is not None:
            kept_by, is_library = old.maker, old.is_library
        held = value["hash"], kept_by, value["kind"], value["identity"]
        told[name] = Held(*held, is_library=is_library)
    return told


def changed_between(held: Held, found: Fingerprint) -> bool:
    """Return whether a run found another value than the runs before had left, as a reload gives."""
    return bool(held.hash and found["hash"]) and held.hash != found["hash"]


def _is_of_library(value: Fingerprint) -> bool:
    """Return whether a value is a function or class with nothing of the notebook's in it."""
    known = value["hash"] and CODE not in value["hash"] and SETS not in value["hash"]
    return bool(known) and value["kind"] in _BY_NAME


def _beside(
    state: State, event: CellRun, maker: str, by_value: str, settings_by: str
) -> dict[str, Held]:
    """Return what a run changed of what no name holds."""
    changed = {name: Held("", settings_by) for name in sources(event)}
    if looks_up(event):
        earlier = state.get(LOOKUPS)
        by = touched(maker, earlier.maker, by_value) if earlier is not None else maker
        changed[LOOKUPS] = Held("", by)
    return changed


def looks_up(event: CellRun) -> bool:
    """Return whether a run was the first to look something up in a table."""
    inputs = event["inputs"]
    return inputs is not None and inputs["looked_up"]


def bound_again(event: CellRun) -> frozenset[str]:
    """Return the names that a run bound to the objects that they held already, or removed."""
    bound = frozenset[str]().union(*(each["bound"] for each in event["statements"]))
    return bound - event["bindings"].keys()


def unexpected(event: CellRun) -> Mapping[str, Fingerprint]:
    """Return what names held after a run that it accessed by functions which values led it to."""
    inputs = event["inputs"]
    told = inputs["unexpected"] if inputs is not None else {}
    return {name: told[name] for name in told.keys() - event["after"].keys()}


def changed_in_place(state: State, event: CellRun) -> list[str]:
    """Return the names whose objects a run changed, or may have, open figures among them."""
    before, now, unchanged = event["before"], event["after"], _unchanged(event)
    by_calls = [
        name
        for name, value in unexpected(event).items()
        if value["kind"] not in _UNSHARED
        and not (name in state and value["hash"] and state[name].hash == value["hash"])
    ]
    mentioned = [
        name
        for name, value in now.items()
        if value["kind"] not in _UNSHARED
        and name in before
        and name not in unchanged
        and before[name]["identity"] == value["identity"]
        and not (value["hash"] and before[name]["hash"] == value["hash"])
    ]
    return [*_figures_changed(event), *by_calls, *mentioned]


def _unchanged(event: CellRun) -> Collection[str]:
    """Return the names that a run has left as they were, though nobody can compare them."""
    return event["inputs"]["unchanged"] if event["inputs"] is not None else ()


def is_tied(name: str, held: Held) -> bool:
    """Return whether what a name holds may change by what is done to another name."""
    if held.is_library or held.kind in _UNSHARED:
        return False
    return name == OPEN_FIGURES or not name.startswith("<")


def is_axis(kind: str) -> bool:
    """Return whether values of a kind may be an axis of tables, which can be renamed for all.

    Two tables count as apart that have it in common; no kernel tells of those it does not hold.
    """
    return kind in datafiles.words("kinds", "axes")


def _touched_too(
    state: State, event: CellRun, links: Mapping[str, Collection[str]] | None
) -> Iterator[str]:
    """Yield the names that may have changed because of what was done to others in place."""
    changed = changed_in_place(state, event)
    if not changed:
        return
    for name in changed if links is not None else ():
        yield from links.get(name, ()) if links is not None else ()
    if links is None:
        yield from (name for name, held in state.items() if is_tied(name, held))


def sources(event: CellRun) -> tuple[str, ...]:
    """Return what a run changed, or drew from, of what no name holds, as names of their own.

    Nobody looks into the modules of the project: whoever uses them may have changed what they hold.
    """
    inputs = event["inputs"]
    if inputs is None:
        return (BESIDE,)
    beside = (BESIDE,) if inputs["settings"] else ()
    own_modules = (PROJECT,) if inputs["modules"] else ()
    results = map(RESULTS.format, inputs["kept_results"])
    drew = (f"<{source}>" for source in inputs["drew"])
    return (*beside, *own_modules, *results, *_figures_changed(event), *drew)


def _figures_changed(event: CellRun) -> tuple[str, ...]:
    """Return what stands for the open figures, where a run may have changed any."""
    inputs = event["inputs"]
    return (OPEN_FIGURES,) if inputs is not None and inputs["open_figures"] == CHANGED else ()
