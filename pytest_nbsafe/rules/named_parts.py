"""What a finding calls a name: by the parts that were seen to be read and to differ, if known."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.analysis.parts import Parts, apart, reader_of
from pytest_nbsafe.rules.base import Facts

_MOST = 3


def of_read(facts: Facts, name: str, cell: int) -> tuple[str, ...]:
    """Return the parts of a name that a cell read and that differ: `df['a']`, else the name."""
    parts_read = facts.trial.seen.differing(name, cell)
    return parts_read if 0 < len(parts_read) <= _MOST else (name,)


def of_change(facts: Facts, name: str, reader: int, definer: int) -> tuple[str, ...]:
    """Return the parts of a name that one cell read and the other changed, else the name."""
    if facts.trial.seen.read(name, reader) is None:
        return (name,)
    changed = _changed(facts, name, definer)
    parts_read = facts.trial.seen.within(name, reader, changed) if () not in changed else ()
    return parts_read if 0 < len(parts_read) <= _MOST else (name,)


def of_changes(facts: Facts, changes: Iterable[tuple[str, int, int]]) -> tuple[str, ...]:
    """Return the parts of several changes (name, reader, definer), each once."""
    return tuple(dict.fromkeys(part for change in changes for part in of_change(facts, *change)))


def are_apart(facts: Facts, name: str, reader: int, definer: int) -> bool:
    """Return whether one cell reads other parts of a name than the other changes.

    What was seen of the reader in a run counts, else what its text mentions.
    """
    changed = _changed(facts, name, definer)
    if () in changed:
        return False
    read = facts.trial.seen.read(name, reader)
    if read is None:
        read = reader_of(facts.graph).read(name, reader)
    return apart(read, changed)


def _changed(facts: Facts, name: str, definer: int) -> Parts:
    return facts.trial.seen.changed(name, definer) or _by_text(facts, name, definer)


def _by_text(facts: Facts, name: str, definer: int) -> Parts:
    """Return the parts of a name that the text of a cell changes, `()` where it makes the name."""
    reader = reader_of(facts.graph)
    lines = {d.span.line for d in facts.graph.cells[definer].definitions if d.name == name}
    changed_parts = {part for line in lines for part in reader.changed(name, definer, line)}
    return frozenset(changed_parts or {()})


def parts(name: str, symbols: Iterable[str]) -> tuple[str, ...]:
    """Return those of the symbols that are parts of a name, and not the whole of it."""
    return tuple(symbol for symbol in symbols if symbol != name)
