"""Names of columns as a value: whose they are, and which columns of a table they choose."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage.abstract_values import Column, Columns, Data, Deps, Names
from pytest_nbsafe.absint.leakage.tabular import chosen, without
from pytest_nbsafe.values import replace

_REPEAT = patterns.compile(r"[*+{]|(?<!\()\?")
_MOST_REPEATS = 2
_LONG = 100


def names_of(data: Data, deps: Deps = frozenset()) -> Names:
    """Return the names of the columns that a table has now; `deps` is what chose them."""
    if data.base is None or data.columns is None:
        return Names(Columns(but=True), deps)
    made = frozenset(name for name, _ in data.named)
    return Names(data.columns, deps, of=data.base, made=made)


def chosen_by(data: Data, names: Names) -> Data:
    """Return the columns that names choose: all of a table's but some, or nobody knows which."""
    if names.columns is None:
        # which of the columns made on the page are among them is not known, but by the tests
        named = tuple((k, c) for k, c in data.named if passes(k, names))
        if not names.whole:
            named = tuple((k, replace(c, deps=_sure(c.deps))) for k, c in named)
        result = replace(data, columns=None, base=None, named=named)
    elif not names.columns.but:
        result = chosen(data, names.columns.names)
    elif names.of is not None and names.of == data.base:
        named = tuple((k, _then(data, k, c, names)) for k, c in data.named)
        result = without(replace(data, named=named), names.columns.names)
    else:  # of another table, which may have fewer columns
        result = replace(without(data, names.columns.names), base=None, columns=None)
    return replace(result, form="frame", deps=result.deps | names.deps)


def anew(data: Data, base: Hashable) -> Data:
    """Return a table of other columns than those that it was made of: `base` is its own.

    What was made of them is no copy of another column any more, as far as that is known.
    """
    named = tuple((k, replace(c, origins=_own(base, k), uses=_NONE)) for k, c in data.named)
    return replace(data, base=base, columns=Columns(but=True), named=named, form="frame")


def divided(data: Data, names: Sequence[str], base: Hashable, *, renamed: bool) -> Data:
    """Return a table in which some columns became one for each of their values.

    Where the `names` of these are not known, the table is another: `base` is its own. They begin
    as the column did, where they are not `renamed`.
    """
    if renamed:
        return anew(data, base)
    if not names or data.columns is None:
        return replace(data, base=base, columns=Columns(but=True), form="frame")
    held = dict(data.named)
    for name in names:
        if data.columns.has(name) and name not in held:
            held[name] = Column(data.deps, _own(data.base, name))
    return replace(data, named=tuple(held.items()), form="frame")


_NONE: frozenset[Hashable] = frozenset()


def _own(base: Hashable, name: str) -> frozenset[Hashable]:
    return frozenset(((base, name),))


def nameless(data: Data) -> Data:
    """Return values of a table's rows of which nobody can tell what columns they are of."""
    deps = data.mixed_deps()
    return replace(data, base=None, columns=None, former=None, named=(), deps=deps)


def _then(data: Data, name: str, column: Column, names: Names) -> Column:
    """Return a column by a name that its table had before: it need not be this one."""
    if name in names.made or (data.base, name) in column.origins | column.uses:
        return column
    return Column(_sure(column.deps))


def passes(name: str, names: Names) -> bool:
    """Return whether a name passes all tests that names do."""
    return all(_TESTS[kind](name, text) is wanted for kind, text, wanted in names.tests)


def _matches(name: str, pattern: str) -> bool | None:
    """Return whether a name matches a pattern of the notebook's own, None where it may take long.

    The time grows with the length of the name to the power of the number of repeats.
    """
    if max(len(pattern), len(name)) > _LONG or len(_REPEAT.findall(pattern)) > _MOST_REPEATS:
        return None
    try:
        return re.search(pattern, name) is not None
    except re.error:  # it would raise in the notebook too
        return True


_TESTS: Mapping[str, Callable[[str, str], bool | None]] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
    "in": lambda name, text: text in name,
    "is": lambda name, text: text == name,
    "matches": _matches,
}
"""What a name of a column may be asked, and how the answer is found."""


def _sure(deps: Deps) -> Deps:
    return frozenset(replace(d, certain=False) for d in deps if d.kind not in {"ahead", "target"})
