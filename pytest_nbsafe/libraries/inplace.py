"""Which methods and functions change an object in place, and what a second call of them does.

The tables are the sections `classes`, `functions` and `rebinding` of the data files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from pytest_nbsafe.libraries.datafiles import section
from pytest_nbsafe.libraries.word_tables import Table
from pytest_nbsafe.values import dataclass

_CONTAINERS = ("list", "dict", "set", "collections.deque")
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of one class.

    `changes` change their object in place, `changes_and_returns` too and return something,
    `inplace` only when told `inplace=True`; `idempotent` are those of them that a second call
    leaves without effect. `draws` only add to a picture. `pure` leave their object as it was;
    `returns` says the class of what they return, where it is known. `accessors` are attributes
    whose own methods leave the object as it was: `s.dt.floor("D")`.
    """

    changes: frozenset[str] = _NONE
    changes_and_returns: frozenset[str] = _NONE
    inplace: frozenset[str] = _NONE
    idempotent: frozenset[str] = _NONE
    draws: frozenset[str] = _NONE
    pure: frozenset[str] = _NONE
    returns: Mapping[str, str] | None = None
    accessors: frozenset[str] = _NONE


@dataclass(frozen=True, slots=True)
class Functions:
    """What functions do: `changes` names the position of the argument that is changed in place.

    A name with a leading dot stands for any module. `idempotent`: a second call has no effect;
    `returns`: the class of what a function returns.
    """

    changes: Mapping[str, int]
    idempotent: frozenset[str]
    returns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rebinding:
    """What becomes of `x = x.method()` and `x = function(x)` when it is done again.

    `repeats`: the same as after the first time; `converts`: likewise, and whatever `x` has become
    in between, it is of one kind again; `shifts`: something else each time; `grows`: it is joined
    to the others again. `other_kind` are methods that the result has no more. `modules` are
    those whose functions do as the methods of these names; `loses_columns` are functions that take
    columns out, `merges` those that merge tables.
    """

    repeats: frozenset[str]
    converts: frozenset[str]
    shifts: frozenset[str]
    grows: frozenset[str]
    other_kind: frozenset[str]
    modules: frozenset[str]
    loses_columns: frozenset[str]
    merges: frozenset[str]


@dataclass(frozen=True, slots=True)
class InPlace:
    """All tables together; `any_class` is what the name of a method says when no class is known.

    `only_change` are the methods that change a list, dict or set and return None, `lasting` those
    whose second call changes something in any class. `second_calls` say of `Class.method` what a
    second call does, as the end of a sentence.
    """

    classes: Mapping[str, Methods]
    functions: Functions
    rebinding: Rebinding
    any_class: Methods
    only_change: frozenset[str]
    lasting: frozenset[str]
    second_calls: Mapping[str, str]


@cache
def load(extra: str = "") -> InPlace:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    tables: dict[str, list[Table]] = {}
    for title, table in section("classes", extra):
        tables.setdefault(title, []).append(table)
    classes = {title: _methods(title, of_class) for title, of_class in tables.items()}
    rebinding = [table for _, table in section("rebinding")]
    return InPlace(
        classes,
        _functions([table for _, table in section("functions", extra)]),
        Rebinding(**{key: frozenset(_words(rebinding, key)) for key in Rebinding.__match_args__}),
        _any_class(classes),
        _all({name: classes[name] for name in _CONTAINERS}, "changes"),
        frozenset().union(*map(lasting, classes.values())),
        {title: " ".join(table["does"]) for title, table in section("second_call")},
    )


def lasting(methods: Methods) -> frozenset[str]:
    """Return the methods of a class that change it, and change it again when called again."""
    return (methods.changes | methods.changes_and_returns) - methods.idempotent


def _methods(title: str, tables: list[Table]) -> Methods:
    returns = _pairs(_words(tables, "returns"))
    returns.update(dict.fromkeys(_words(tables, "same"), title))
    keys = ("changes", "changes_and_returns", "inplace", "idempotent", "draws", "accessors")
    sets = {key: frozenset(_words(tables, key)) for key in keys}
    pure = frozenset((*_words(tables, "pure"), *returns))
    pure -= sets["changes"] | sets["changes_and_returns"]
    return Methods(**sets, pure=pure, returns=returns)


def _any_class(classes: Mapping[str, Methods]) -> Methods:
    """Return what holds for a method by its name alone.

    A method whose value nobody keeps is called for what it changes, so that goes before `pure`;
    one whose value is kept changes something only if no class has a pure method of that name.
    """
    keys = ("changes", "changes_and_returns", "inplace", "idempotent", "draws", "pure")
    changes, returning, inplace, idempotent, draws, pure = (_all(classes, key) for key in keys)
    return Methods(
        changes=changes | returning,
        changes_and_returns=returning - pure,
        inplace=inplace,
        idempotent=idempotent,
        draws=draws - pure,
        pure=pure - changes - returning,
        accessors=_all(classes, "accessors"),
    )


def _all(classes: Mapping[str, Methods], key: str) -> frozenset[str]:
    return frozenset(word for entry in classes.values() for word in getattr(entry, key))


def _functions(tables: list[Table]) -> Functions:
    changes = {n: int(position) for n, position in _pairs(_words(tables, "changes")).items()}
    returns = _pairs(_words(tables, "returns"))
    return Functions(changes, frozenset(_words(tables, "idempotent")), returns)


def _words(tables: list[Table], key: str) -> list[str]:
    return [word for table in tables for word in table.get(key, ())]


def _pairs(words: Iterable[str]) -> dict[str, str]:
    return dict(word.rsplit(":", 1) for word in words)
