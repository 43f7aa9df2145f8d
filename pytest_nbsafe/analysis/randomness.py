"""Which calls draw from a random source that a notebook can seed, and which calls seed it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.imports import STAR, Import
from pytest_nbsafe.analysis.invocations import Invocation
from pytest_nbsafe.libraries import random_sources
from pytest_nbsafe.libraries.random_sources import GENERATOR, RandomModule
from pytest_nbsafe.libraries.wildcards import fits
from pytest_nbsafe.values import dataclass

_SEEDING = patterns.compile(r"seed", re.IGNORECASE)
_ANYWHERE = ("seed", "Seed", "SEED", "%run")


@dataclass(frozen=True, slots=True)
class Draw:
    """A call that draws from `source`; a seed of one of `enough` will do.

    `takes_seed`: the call can be given one, as `random_state`.
    """

    source: str
    enough: frozenset[str]
    takes_seed: bool


def everything(libraries: str) -> frozenset[str]:
    """Return all sources that a call can seed."""
    return frozenset(random_sources.load(libraries).sources) - {GENERATOR}


def draws(call: Invocation, target: str, libraries: str) -> Draw | None:
    """Return what a call draws from, None if it draws from no source that can be seeded.

    Left out is what takes its own seed, what has a fixed one by default, and where chance only
    breaks ties (decision trees).
    """
    room, _, name = target.rpartition(".")
    for module in random_sources.load(libraries).of_module(room):
        if name in module.generators:
            return None if _given(call) else _draw(GENERATOR, frozenset())
        if module.drawing(name):
            if _seeded(call, module.seeded_by) or not _meets(call, module.only_if.get(name)):
                return None
            return _draw(module.source, module.seeded_by, module.enough)
    return None


def samples_rows(call: Invocation, imported: frozenset[str], libraries: str) -> Draw | None:
    """Return what `df.sample(...)` of a table draws from, None for a call that is none or seeded.

    `imported` are the libraries of the notebook. Where nothing else in it is known to have such a
    method, a bare number of rows is enough to tell.
    """
    owner, _, method = call.callee.rpartition(".")
    known = random_sources.load(libraries)
    samples = [s for s in known.row_samples if owner and method in s.methods]
    for sample in sorted(samples, key=lambda s: s.library not in imported):
        if call.target and f"{sample.library}." not in call.target:
            continue
        keywords = {argument.keyword for argument in call.arguments}
        by_name = keywords & sample.by_name or (sample.count in keywords and len(keywords) < 3)
        numbers = [a.keyword for a in call.arguments if a.text.isdigit() or a.text.isidentifier()]
        is_table = sample.library in imported and imported.isdisjoint(known.not_tables)
        if by_name or (is_table and numbers == [""]):
            seeded = _seeded(call, sample.seeded_by)
            return None if seeded else _draw(sample.source, sample.seeded_by)
    return None


def is_seed(target: str, libraries: str) -> bool:
    """Tell whether this is a library's function that seeds."""
    return _seeding(target, libraries) is not None


def seeds(call: Invocation, target: str, libraries: str) -> frozenset[str]:
    """Return the sources that a call seeds: all of them for a function that is only named so.

    `np.random.seed()` and `seed(None)` take the seed from the system, and so seed nothing.
    """
    sources = _seeding(target, libraries)
    if sources is not None:
        empty = target.endswith("seed") and not _given(call)
        return frozenset() if empty else sources
    last = call.callee.rpartition(".")[2]
    named_so = _SEEDING.search(last) and not last.startswith(("get", "print"))
    return everything(libraries) if named_so else frozenset()


def _seeding(target: str, libraries: str) -> frozenset[str] | None:
    """Return the sources that a library's function seeds, None if it does not seed."""
    room, _, name = target.rpartition(".")
    for module in random_sources.load(libraries).of_module(room):
        if name in module.seeds:
            return frozenset({module.source})
        if name in module.other_seeds:
            return frozenset()
    return None


def _draw(source: str, seeded_by: frozenset[str], enough: frozenset[str] = frozenset()) -> Draw:
    return Draw(source, enough | {source}, "random_state" in seeded_by)


def _seeded(call: Invocation, seeded_by: frozenset[str]) -> bool:
    """Tell whether a call is given a seed, or options that may hold one."""
    return any(
        argument.keyword in seeded_by and (argument.text != "None" or "*" in argument.keyword)
        for argument in call.arguments
    )


def _meets(call: Invocation, condition: tuple[str, str, str] | None) -> bool:
    """Tell whether the arguments are such that the call draws at all."""
    if condition is None:
        return True
    parameter, sign, value = condition
    given = [a.text for a in call.arguments if a.keyword == parameter]
    return (value in given) is (sign == "=")


def _given(call: Invocation) -> bool:
    """Tell whether a call has an argument that says something."""
    return any(argument.text != "None" for argument in call.arguments)


# -- where to look ---------------------------------------------------------------------------------


def mentioned(imports: Iterable[Import], libraries: str) -> tuple[str, ...]:
    """Return what a cell holds (one of these) if it draws or seeds, with these imports."""
    known = random_sources.load(libraries)
    methods = [f".{method}(" for sample in known.row_samples for method in sample.methods]
    words = dict.fromkeys((*_ANYWHERE, *methods))
    for imported in imports:
        library = (imported.target or imported.module).partition(".")[0]
        for module in known.modules.get(library, ()):
            words.update(dict.fromkeys(_mentioned(imported, module)))
    return tuple(words)


def _mentioned(imported: Import, module: RandomModule) -> Iterable[str]:
    """Return what stands in a cell that uses an import to draw from a module, empty for none."""
    name, path = imported.name, imported.target or imported.module
    names = (*module.draws, *module.generators)
    if imported.attribute == STAR:
        return [word.rstrip("*") for word in names]
    room, _, last = path.rpartition(".")
    if path == module.name:
        return [f"{name}.{word.rstrip('*')}" for word in names]
    if fits(room, module.name) and module.drawing(last):
        return (name,)
    if fits(path, module.name):
        return (f"{name}.",)
    return _leading(name, f"{path}.", module.name)


def _leading(name: str, path: str, module: str) -> Iterable[str]:
    """Return what stands in a cell that goes from an imported package to a module in it."""
    head, *rest = module.split("*")
    if head.startswith(path) and head != path:
        return (f"{name}.{head.removeprefix(path).partition('.')[0]}",)
    if rest and path.startswith(head):
        return tuple(filter(None, rest)) or (f"{name}.",)
    return ()
