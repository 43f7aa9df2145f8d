"""What a notebook ran in, and what has changed since it was written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_nbsafe.values import dataclass

LOCK = "nbsafe.lock"
"""The file, one for each folder of notebooks, in which environments are written down."""
GONE = ""
"""Stands for the content of a file that is not there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A package and its version, or a file and a hash of its content."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What a clean run took place in.

    `packages` are those that were really imported, `files` those that were read (modules of the
    repository, too) with their paths from the notebook's folder. `seeds` are the calls that set
    one, and `variables` the names of those variables of the environment that the notebook reads
    and that were set; what they held is not kept. All are sorted.
    """

    python: str
    platform: str
    packages: tuple[Entry, ...] = ()
    files: tuple[Entry, ...] = ()
    seeds: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


def changes(locked: Environment, now: Environment) -> tuple[str, ...]:
    """Return what differs between two environments, each as "pandas 2.2.3 -> 3.0.1".

    What only one of them imported or read is not told: a run that failed came less far.
    """
    packages = _pairs(locked.packages, now.packages)
    files = _pairs(locked.files, now.files)
    return (
        *(f"{name} {old} -> {new}" for name, old, new in packages),
        *(f"{name} {'is gone' if new == GONE else 'changed'}" for name, _, new in files),
        *_changed("Python", locked.python, now.python),
        *_changed("platform", locked.platform, now.platform),
        *_changed("seeds", ", ".join(locked.seeds) or "none", ", ".join(now.seeds) or "none"),
        *(f"{name} is not set" for name in locked.variables if name not in now.variables),
        *(f"{name} is set" for name in now.variables if name not in locked.variables),
    )


def _changed(what: str, old: str, new: str) -> Iterator[str]:
    if old != new:
        yield f"{what} {old} -> {new}"


def _pairs(old: Iterable[Entry], new: Iterable[Entry]) -> Iterator[tuple[str, str, str]]:
    """Yield those of both that differ, with their old and their new value."""
    values = {entry.name: entry.value for entry in new}
    for entry in old:
        value = values.get(entry.name, entry.value)
        if value != entry.value:
            yield entry.name, entry.value, value
