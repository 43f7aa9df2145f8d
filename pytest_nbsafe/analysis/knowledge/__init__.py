"""What is known of the methods and functions of Python and its libraries, read from TOML data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.values import dataclass

FILES = tuple(f"{n}.toml" for n in ("builtins", "numpy", "pandas", "sklearn", "plotting", "others"))
_LINE = patterns.compile(r"^\[\"?([\w.]+)\"?\]$|^(\w+) = '''([^']*)'''", re.MULTILINE)
_CONTAINERS = ("list", "dict", "set", "collections.deque")
_NONE: frozenset[str] = frozenset()

Table = Mapping[str, tuple[str, ...]]
"""The words of each key of one table."""


@dataclass(frozen=True, slots=True)
class Class:
    """The methods of one class.

    `changes` change their object in place, `takes` too and return something, `inplace` only when
    told `inplace=True`; `again` are those of them that a second call leaves without effect.
    `draws` only add to a picture. `pure` leave their object as it was; `returns` says the class
    of what they return, where it is known.
    """

    changes: frozenset[str] = _NONE
    takes: frozenset[str] = _NONE
    inplace: frozenset[str] = _NONE
    again: frozenset[str] = _NONE
    draws: frozenset[str] = _NONE
    pure: frozenset[str] = _NONE
    returns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Functions:
    """What functions do: `changes` names the position of the argument that is changed in place.

    A name with a leading dot stands for any module. `again`: a second call has no effect;
    `returns`: the class of what a function returns.
    """

    changes: Mapping[str, int]
    again: frozenset[str]
    returns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rebinding:
    """What becomes of `x = x.method()` and `x = function(x)` when it is done once more.

    `repeats`: the same as after the first time; `converts`: likewise, and whatever `x` has become
    in between, it is of one kind again; `shifts`: something else each time.
    """

    repeats: frozenset[str]
    converts: frozenset[str]
    shifts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All tables together; `any_class` is what the name of a method says when no class is known.

    `only_change` are the methods that change a list, dict or set and return None.
    """

    classes: Mapping[str, Class]
    functions: Functions
    rebinding: Rebinding
    any_class: Class
    only_change: frozenset[str]


def parse(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the tables of one file.

    They use so little of TOML that a regular expression reads them, at a tenth of the cost of
    importing a parser; a test holds this against the parser.
    """
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    table: dict[str, tuple[str, ...]] = {}
    for header, key, value in _LINE.findall(text):
        if header:
            table = tables.setdefault(header, {})
        else:
            table[key] = tuple(value.split())
    return tables


@cache
def load() -> Knowledge:
    """Return everything known; the files are read once, when something first asks."""
    folder = Path(__file__).parent
    classes: dict[str, Class] = {}
    shared: list[tuple[str, Table]] = []
    for name in FILES:
        for title, table in parse((folder / name).read_text(encoding="utf-8")).items():
            if title in {"functions", "rebinding"}:
                shared.append((title, table))
            else:
                classes[title] = _class(title, table)
    return Knowledge(
        classes,
        _functions([table for title, table in shared if title == "functions"]),
        Rebinding(*(_words(shared, "rebinding", key) for key in ("repeats", "converts", "shifts"))),
        _any_class(classes),
        _all({name: classes[name] for name in _CONTAINERS}, "changes"),
    )


def _class(title: str, table: Table) -> Class:
    returns = _pairs(table.get("returns", ()))
    returns.update(dict.fromkeys(table.get("same", ()), title))
    keys = ("changes", "takes", "inplace", "again", "draws")
    changes, takes, inplace, again, draws = (frozenset(table.get(key, ())) for key in keys)
    pure = frozenset((*table.get("pure", ()), *returns)) - changes - takes
    return Class(changes, takes, inplace, again, draws, pure, returns)


def _any_class(classes: Mapping[str, Class]) -> Class:
    """Return what holds for a method by its name alone.

    A method whose value nobody keeps is called for what it changes, so that goes before `pure`;
    one whose value is kept changes something only if no class has a pure method of that name.
    """
    keys = ("changes", "takes", "inplace", "again", "draws", "pure")
    changes, takes, inplace, again, draws, pure = (_all(classes, key) for key in keys)
    return Class(
        changes | takes, takes - pure, inplace, again, draws - pure, pure - changes - takes
    )


def _all(classes: Mapping[str, Class], key: str) -> frozenset[str]:
    return frozenset(word for entry in classes.values() for word in getattr(entry, key))


def _functions(tables: list[Table]) -> Functions:
    def words(key: str) -> list[str]:
        return [word for table in tables for word in table.get(key, ())]

    changes = {name: int(position) for name, position in _pairs(words("changes")).items()}
    return Functions(changes, frozenset(words("again")), _pairs(words("returns")))


def _words(tables: list[tuple[str, Table]], title: str, key: str) -> frozenset[str]:
    return frozenset(word for name, table in tables if name == title for word in table.get(key, ()))


def _pairs(words: list[str] | tuple[str, ...]) -> dict[str, str]:
    return dict(word.rsplit(":", 1) for word in words)
