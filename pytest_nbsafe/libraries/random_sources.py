"""Which functions of libraries draw at random, from which source, and which seed it.

Sections of the data files: `random_source` names the sources; `random` says what the functions of
a module do (its title may hold `*`); `row_sample` what methods of tables draw rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from pytest_nbsafe.libraries.datafiles import section
from pytest_nbsafe.libraries.wildcards import fits
from pytest_nbsafe.libraries.word_tables import Table
from pytest_nbsafe.values import dataclass

GENERATOR = "generator"
"""The source of what is drawn from a generator that is made without a seed."""


@dataclass(frozen=True, slots=True)
class Source:
    """How a message names a source and its state, and the call that seeds it, with its import.

    `module` is where the kernel finds the state, "" for a source that it does not watch.
    """

    name: str
    module: str = ""
    state: str = ""
    seed: str = ""
    imports: str = ""


@dataclass(frozen=True, slots=True)
class RandomModule:
    """What the functions of one module do; its name, and words of `draws`, may hold `*`.

    `draws` draw from `source`, `generators` make a generator of their own, random when they are
    given nothing. `seeds` seed the source; `other_seeds` seed something that nothing here draws
    from. A draw that is given one of `seeded_by` needs no seed, nor does one that breaks its
    condition in `only_if`: a parameter, "=" or "!=", and a value. `enough`: another source whose
    seed will do.
    """

    name: str
    source: str
    draws: frozenset[str]
    generators: frozenset[str]
    seeds: frozenset[str]
    other_seeds: frozenset[str]
    seeded_by: frozenset[str]
    enough: frozenset[str]
    only_if: Mapping[str, tuple[str, str, str]]

    def drawing(self, name: str) -> bool:
        """Return whether a function of the module draws, or makes a generator."""
        if name in self.draws or name in self.generators:
            return True
        return any("*" in word and fits(name, word) for word in self.draws)


@dataclass(frozen=True, slots=True)
class RowSample:
    """Methods of a library's tables that draw rows.

    Keywords of `by_name` show that it is one, or the keyword `count` with at most one other.
    """

    library: str
    source: str
    methods: frozenset[str]
    by_name: frozenset[str]
    count: str
    seeded_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class RandomSources:
    """All tables together; `modules` by the library that they are in.

    `generator_kinds` is what the class of a generator begins with, `kernel_states` the modules
    whose state the kernel watches. `not_tables` are libraries whose objects have methods named
    like those that draw rows.
    """

    sources: Mapping[str, Source]
    modules: Mapping[str, tuple[RandomModule, ...]]
    row_samples: tuple[RowSample, ...]
    not_tables: frozenset[str]
    generator_kinds: tuple[str, ...]
    kernel_states: tuple[str, ...]

    def of_module(self, name: str) -> Iterator[RandomModule]:
        """Yield what is known of the functions of a module."""
        of_library = self.modules.get(name.partition(".")[0], ())
        return (module for module in of_library if fits(name, module.name))


@cache
def load(extra: str = "") -> RandomSources:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    samples = section("row_sample", extra)
    sources = {title: _source(table) for title, table in section("random_source", extra)}
    modules: dict[str, tuple[RandomModule, ...]] = {}
    for title, table in section("random", extra):
        for name in (title, *table.get("also", ())):
            library = name.partition(".")[0].rstrip("*")
            modules[library] = (*modules.get(library, ()), _module(name, table))
    return RandomSources(
        sources,
        modules,
        tuple(_row_sample(title, table) for title, table in samples if "methods" in table),
        frozenset(title for title, table in samples if "other_methods" in table),
        tuple(f"{title}." for title, table in section("random", extra) if "generators" in table),
        tuple(source.module for source in sources.values() if source.module),
    )


def _source(table: Table) -> Source:
    return Source(**{key: " ".join(words) for key, words in table.items()})


def _module(name: str, table: Table) -> RandomModule:
    keys = ("draws", "generators", "seeds", "other_seeds", "seeded_by", "enough")
    words = {key: frozenset(table.get(key, ())) for key in keys}
    conditions = (word.partition(":") for word in table.get("only_if", ()))
    only_if = {function: _condition(says) for function, _, says in conditions}
    return RandomModule(name, "".join(table.get("source", ())), only_if=only_if, **words)


def _condition(text: str) -> tuple[str, str, str]:
    sign = "!=" if "!=" in text else "="
    parameter, _, value = text.partition(sign)
    return parameter, sign, value


def _row_sample(title: str, table: Table) -> RowSample:
    methods, by_name, seeded_by = (
        frozenset(table.get(key, ())) for key in ("methods", "by_name", "seeded_by")
    )
    source, count = ("".join(table.get(key, ())) for key in ("source", "count"))
    return RowSample(title, source, methods, by_name, count, seeded_by)
