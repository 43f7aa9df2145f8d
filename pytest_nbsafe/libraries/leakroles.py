"""What is known of the learning libraries: what a class learns, what a function makes of rows.

The tables are the section `leakage` of the data files; a user's `[tool.nbsafe.leakage]` extends
them in the same form. A table is called like a module or a class, its keys are the words of
`ROLES` and `EFFECTS`, their values the names in that module that play this part:

    [leakage."sklearn.preprocessing"]
    transformer = '''StandardScaler Normalizer'''
    learns_nothing = '''Normalizer'''
    fitted = '''scale'''
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pytest_nbsafe.libraries import own_tables, spellings
from pytest_nbsafe.libraries.datafiles import section
from pytest_nbsafe.libraries.keys import GENERAL, ROLES
from pytest_nbsafe.values import dataclass

Learns = Literal["nothing", "categories", "statistics", "target"]
"""What fitting takes from the rows: nothing; only which values there are; more; the target too."""
Form = Literal["any", "frame", "series"]

_FIELDS: Mapping[str, tuple[str, object]] = {
    "learns_nothing": ("learns", "nothing"),
    "learns_categories": ("learns", "categories"),
    "learns_target": ("learns", "target"),
    "as_frame": ("form", "frame"),
    "as_series": ("form", "series"),
    **{key: (key, True) for key in ("time", "grouped", "shuffles", "stops")},
}
"""The field of `LibraryClass` that each trait of a class sets, and what to."""


@dataclass(frozen=True, slots=True)
class LibraryClass:
    """One class of a library; `name` is dotted and says where it is imported from.

    `learns` is what `fit` takes from the rows. `fixed_by` are pairs of a parameter and a value
    (empty for any) with which it learns nothing. `time`, `grouped`, `shuffles` are of splitters,
    `form` is of what holds rows; a model that `stops` does so by the rows that it watches.
    """

    name: str
    role: str
    learns: Learns = "statistics"
    fixed_by: tuple[tuple[str, str], ...] = ()
    time: bool = False
    grouped: bool = False
    shuffles: bool = False
    stops: bool = False
    form: Form = "any"


@dataclass(frozen=True, slots=True)
class LeakRoles:
    """All tables together; `effects` holds functions and methods by their dotted names.

    `returns` has functions and the name by which what they return is known, `forms` the classes
    whose methods a value of each form has.
    """

    classes: Mapping[str, LibraryClass]
    effects: Mapping[str, str]
    returns: Mapping[str, str]
    forms: Mapping[str, Sequence[str]]

    def class_of(self, name: str) -> LibraryClass | None:
        """Return what is known of a class by its dotted name, None for nothing."""
        return self.classes.get(name) or self.classes.get(spellings.load().canonical(name))

    def effect_of(self, name: str) -> str | None:
        """Return the effect of a function or method by its dotted name, None if not known.

        A method's name is that of its class and its own: `pandas.DataFrame.mean`.
        """
        return self.effects.get(name) or self.effects.get(spellings.load().canonical(name))

    def method_of(self, kind: str, method: str) -> str | None:
        """Return the effect of a method of a class, or of a role such as `estimator`."""
        return self.effect_of(f"{kind}.{method}")

    def effect_on(self, form: str, method: str) -> str | None:
        """Return the effect of a method of values of this form, None if they have none."""
        effects = (self.effects.get(f"{kind}.{method}") for kind in self.forms.get(form, ()))
        return next(filter(None, effects), None)

    def returned_by(self, name: str) -> str | None:
        """Return the name by which is known what a function returns, None for nothing."""
        return self.returns.get(name) or self.returns.get(spellings.load().canonical(name))


@cache
def load(extra: str = "") -> LeakRoles:
    """Return everything known; `extra` is the user's `[tool.nbsafe.leakage]` as JSON text.

    Raises:
        NbsafeError: "bad-leakage-table", naming the table and the key that is not understood.

    """
    builder = _Builder()
    for title, table in section("leakage"):
        builder.add(title, table)
    for title, entries in json.loads(extra).items() if extra else ():
        for module, table in own_tables.flat("leakage", title, entries):
            builder.add(module, table)
    return LeakRoles(builder.classes, builder.effects, builder.returns, builder.forms)


class _Builder:
    """The tables as they are added one by one; a later one goes before an earlier one."""

    def __init__(self) -> None:
        self.classes: dict[str, LibraryClass] = {}
        self.effects: dict[str, str] = {}
        self.returns: dict[str, str] = {}
        self.forms: dict[str, list[str]] = {}

    def add(self, title: str, table: Mapping[str, Iterable[str]]) -> None:
        """Add one table, the traits of classes after the classes."""
        traits = _traits(table)
        for key, words in table.items():
            for word in words if key in ROLES else ():
                name = f"{title}.{word}"
                self.classes[name] = LibraryClass(name, key, **traits.pop(word, {}))
            if key in GENERAL:
                self.effects.update((f"{title}.{word}", key) for word in words)
        for word in table.get("forms", ()):
            self.forms.setdefault(word, []).append(title)
        for word in table.get("returns", ()):
            name, _, returned = word.partition(":")
            self.returns[f"{title}.{name}"] = returned
        if traits:
            word = min(traits)
            says = "has a trait but no role"
            raise own_tables.bad("leakage", title, word, says, f"one of {', '.join(ROLES)}")


def _traits(table: Mapping[str, Iterable[str]]) -> dict[str, dict[str, Any]]:
    """Return what is said of each class of a table beside its role, as fields of `LibraryClass`."""
    traits: dict[str, dict[str, Any]] = {}
    for key in ("fixed_by", *_FIELDS):
        for word in table.get(key, ()):
            name, _, rest = word.partition(":")
            fields = traits.setdefault(name, {})
            if key == "fixed_by":
                parameter, _, value = rest.partition("=")
                fields["fixed_by"] = (*fields.get("fixed_by", ()), (parameter, value))
            else:
                field, set_to = _FIELDS[key]
                fields[field] = set_to
    return traits
