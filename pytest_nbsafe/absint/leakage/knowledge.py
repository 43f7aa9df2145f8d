"""What is known of the learning libraries: what a class learns, what a function makes of rows.

The tables are data, in `knowledge/*.toml`; a user's `[tool.nbsafe.leakage]` extends them in the
same form. A table is called like a module or a class, its keys are the words of `ROLES` and
`EFFECTS`, their values the names in that module that play this part:

    ["sklearn.preprocessing"]
    transformer = '''StandardScaler Normalizer'''
    learns_nothing = '''Normalizer'''
    fitted = '''scale'''
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pytest_nbsafe.analysis.knowledge import parse
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.values import dataclass

Learns = Literal["nothing", "categories", "statistics", "target"]
"""What fitting takes from the rows: nothing; only which values there are; more; the target too."""

ROLES = {
    "transformer": "changes features",
    "vectorizer": "makes features of texts",
    "encoder": "makes numbers of categories",
    "imputer": "fills what is missing",
    "selector": "chooses features",
    "sampler": "makes other rows of the rows: over-sampling, under-sampling",
    "classifier": "predicts classes",
    "regressor": "predicts numbers",
    "model": "predicts something: a network, or a model with an interface of its own",
    "clusterer": "finds groups of rows",
    "outlier": "finds unusual rows",
    "density": "models how rows are distributed",
    "embedding": "places rows in a plane; most cannot transform other rows",
    "splitter": "makes folds or parts of rows",
    "search": "fits candidates by cross-validation and keeps the best",
    "pipeline": "runs steps one after another",
    "columns": "runs steps on columns, or side by side",
    "meta": "fits other estimators",
    "data": "holds rows: a frame, an array, a tensor",
}
"""What a class is for."""

EFFECTS = {
    "load": "rows from somewhere else",
    "random": "random numbers, made from no rows",
    "dates": "dates and times",
    "identity": "the same rows, in another form or order of columns",
    "rowwise": "each row from that row alone",
    "filter": "some of the rows",
    "drop": "some of the rows or columns, by their labels",
    "sample": "some of the rows, drawn at random",
    "shuffle": "the same rows in another, random order",
    "sort": "the same rows, sorted",
    "size": "how many rows or columns there are, or which values: nothing that is learned",
    "statistic": "something learned from all rows; with axis=1, from each row alone",
    "selection": "scores of the features against the target, from all rows",
    "fitted": "rows changed by what is learned from all of them",
    "fill": "rows with gaps filled by the argument",
    "shift": "rows from earlier or later rows",
    "rolling": "a window over neighbouring rows",
    "backfill": "gaps filled from later rows",
    "group": "rows in groups",
    "window": "a window over all rows up to this one",
    "each": "a given function over columns, rows or groups",
    "map": "each value by a given function or table",
    "learn": "the network that a loss comes from learns from its rows",
    "item": "a number out of a tensor",
    "column": "a column by its name, of a table that is named later",
    "columns": "a table with columns that expressions make",
    "rename": "a column under another name",
    "over": "a statistic of groups, given to each of their rows",
    "concat": "rows of several, joined",
    "merge": "columns of several, joined",
    "resample": "rows drawn with duplicates",
    "split": "parts of rows",
    "folds": "positions of the rows of each part, fold by fold",
    "cv": "scores of an estimator by cross-validation",
    "cv_predict": "predictions of an estimator by cross-validation",
    "cv_curve": "scores of many parameters by cross-validation",
    "metric": "a score of predictions against the truth",
    "cluster_metric": "a score of groups that were found, or of distances: judges no prediction",
    "score": "a score of an estimator on rows",
    "scorer": "something that scores an estimator",
    "predict": "predictions of an estimator on rows",
    "fit": "an estimator that has learned from rows",
    "transform": "rows changed by what an estimator has learned",
    "fit_transform": "the two together",
    "fit_predict": "an estimator that learns from rows and predicts them",
    "fit_resample": "other rows made of the rows",
    "make_pipeline": "a pipeline of the arguments",
    "make_columns": "steps on columns, or side by side",
    "clone": "the same estimator, not fitted",
    "settings": "the same estimator, with other settings",
    "draw": "nothing that is learned: it prints, draws or writes",
}
"""What a function or method returns, in terms of the rows that it is given."""

_LEARNS: Mapping[str, Learns] = {
    "learns_nothing": "nothing",
    "learns_categories": "categories",
    "learns_target": "target",
}
TRAITS = {
    **{key: f"of a class: fitting takes {what} from the rows" for key, what in _LEARNS.items()},
    "fixed_by": "`Class:parameter` or `Class:parameter=value`, with which it learns nothing",
    "time": "of a splitter: it keeps the order of rows",
    "grouped": "of a splitter: it keeps groups of rows together",
    "shuffles": "of a splitter: it shuffles by itself",
}
"""What more can be said of the classes of a table."""

_KEYS = (*ROLES, *EFFECTS, *TRAITS)
_FOLDER = Path(__file__).parent / "knowledge"


@dataclass(frozen=True, slots=True)
class Class:
    """One class of a library; `name` is dotted and says where it is imported from.

    `learns` is what `fit` takes from the rows. `fixed_by` are pairs of a parameter and a value
    (empty for any) with which it learns nothing. `time`, `grouped`, `shuffles` are of splitters.
    """

    name: str
    role: str
    learns: Learns = "statistics"
    fixed_by: tuple[tuple[str, str], ...] = ()
    time: bool = False
    grouped: bool = False
    shuffles: bool = False


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All tables together; `effects` holds functions and methods by their dotted names.

    `moved` says what a prefix stands for; `roots` are the first words of these prefixes.
    """

    classes: Mapping[str, Class]
    effects: Mapping[str, str]
    moved: Mapping[str, str]
    roots: frozenset[str]

    def canonical(self, name: str) -> str:
        """Return the name under which the tables know a dotted name: `tensorflow.keras` moved."""
        if name.partition(".")[0] not in self.roots:
            return name
        end = len(name)
        while end > 0:  # the longest prefix first
            if name[:end] in self.moved:
                return self.moved[name[:end]] + name[end:]
            end = name.rfind(".", 0, end)
        return name

    def class_of(self, name: str) -> Class | None:
        """Return what is known of a class by its dotted name, None for nothing."""
        found = self.classes.get(name)
        return found if found is not None else self.classes.get(self.canonical(name))

    def effect_of(self, name: str) -> str | None:
        """Return the effect of a function or method by its dotted name, None if not known.

        A method's name is that of its class and its own: `pandas.DataFrame.mean`.
        """
        return self.effects.get(name) or self.effects.get(self.canonical(name))

    def method_of(self, kind: str, method: str) -> str | None:
        """Return the effect of a method of a class, or of a role such as `estimator`."""
        return self.effect_of(f"{kind}.{method}")


@cache
def load(extra: str = "") -> Knowledge:
    """Return everything known; `extra` is the user's `[tool.nbsafe.leakage]` as JSON text.

    Raises:
        NbsafeError: "bad-leakage-table", naming the table and the key that is not understood.

    """
    builder = _Builder()
    for file in sorted(_FOLDER.glob("*.toml")):
        for title, table in parse(file.read_text(encoding="utf-8")).items():
            builder.add(title, table)
    for title, entries in json.loads(extra).items() if extra else ():
        for module, words in _flat(title, entries):
            builder.add(module, words)
    roots = frozenset(prefix.partition(".")[0] for prefix in builder.moved)
    return Knowledge(builder.classes, builder.effects, builder.moved, roots)


class _Builder:
    """The tables as they are added one by one; a later one goes before an earlier one."""

    def __init__(self) -> None:
        self.classes: dict[str, Class] = {}
        self.effects: dict[str, str] = {}
        self.moved: dict[str, str] = {}

    def add(self, title: str, table: Mapping[str, Iterable[str]]) -> None:
        """Add one table, the traits of classes after the classes."""
        if title == "moved":
            pairs = (word.partition("=") for word in table["prefixes"])
            self.moved.update((old, new) for old, _, new in pairs)
            return
        traits = _traits(table)
        for key, words in table.items():
            for word in words if key in ROLES else ():
                name = f"{title}.{word}"
                self.classes[name] = Class(name, key, **traits.pop(word, {}))
            if key in EFFECTS:
                self.effects.update((f"{title}.{word}", key) for word in words)
        if traits:
            word = min(traits)
            raise _bad(title, word, "has a trait but no role", f"one of {', '.join(ROLES)}")


def _traits(table: Mapping[str, Iterable[str]]) -> dict[str, dict[str, Any]]:
    """Return what is said of each class of a table beside its role, as fields of `Class`."""
    traits: dict[str, dict[str, Any]] = {}
    for key in TRAITS:
        for word in table.get(key, ()):
            name, _, rest = word.partition(":")
            fields = traits.setdefault(name, {})
            if key == "fixed_by":
                parameter, _, value = rest.partition("=")
                fields["fixed_by"] = (*fields.get("fixed_by", ()), (parameter, value))
            elif key in _LEARNS:
                fields["learns"] = _LEARNS[key]
            else:
                fields[key] = True
    return traits


# -- a table of the user's own -------------------------------------------------------------------


def _flat(title: str, entries: Any) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield a table and those within it: `[leakage.lib.prep]` means the same as `"lib.prep"`."""
    if not isinstance(entries, dict):
        raise _bad(title, "", f"cannot be {entries!r}", "a table, named like a module")
    inner = {key for key, value in entries.items() if isinstance(value, dict)}
    yield title, {k: _words(title, k, value) for k, value in entries.items() if k not in inner}
    for key in sorted(inner):
        yield from _flat(f"{title}.{key}", entries[key])


def _words(title: str, key: str, value: Any) -> list[str]:
    if key not in _KEYS:
        import difflib

        near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(_KEYS)}"
        raise _bad(title, key, "is not known", hint)
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _bad(title, key, f"cannot be {value!r}", "a list of names")
    return words


def _bad(title: str, key: str, says: str, hint: str) -> NbsafeError:
    where = f'"{title}": {key}' if key else f'"{title}"'
    return NbsafeError("bad-leakage-table", f"leakage: {where} {says}", hint)
