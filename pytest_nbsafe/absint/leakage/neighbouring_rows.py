"""What looks at neighbouring rows: shifts, differences, windows."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe.absint.leakage import tabular
from pytest_nbsafe.absint.leakage.abstract_values import Const, Data, Deps, Form, Value
from pytest_nbsafe.absint.leakage.arguments import TableCall
from pytest_nbsafe.absint.leakage.row_effects import learned_by
from pytest_nbsafe.values import replace


def ahead(call: TableCall, what: str) -> Data:
    """Return what is made of later rows."""
    dep = replace(learned_by(call, "ahead"), what=what)
    return tabular.with_deps(replace(tabular.without_origins(call.data), mask=None), (dep,))


def timed(call: TableCall, *, own: bool = False) -> Data:
    """Return a series made of neighbouring rows; `own`: each row's own value is in it."""
    of = call.data.origins if own else frozenset[Hashable]()
    dep = replace(learned_by(call, "time"), of=of)
    data = tabular.together(replace(tabular.without_origins(call.data), mask=None))
    return tabular.with_deps(data, (dep,))


def shifted(call: TableCall) -> Value:
    """Return rows moved: those from later ones look ahead, the others show a series."""
    count = call.find(0, "periods", "shift")
    later = _from_later(call, count)
    if later is not None:
        return later
    back = count.value if isinstance(count, Const) else 1 if count is None else 0
    steps = back if isinstance(back, int) else 0
    undone = {f"{call.what}({-step})" for step in range(1, min(steps, _FAR) + 1)}
    deps = frozenset(d for d in call.data.deps if d.kind != "ahead" or d.what not in undone)
    named = tuple((name, replace(c, deps=_of_before(c.deps))) for name, c in call.data.named)
    return timed(replace(call, data=replace(call.data, deps=_of_before(deps), named=named)))


def _of_before(deps: Deps) -> Deps:
    """Return what rows moved down depend on: no row's own value is in it any more."""
    return frozenset(replace(d, of=frozenset()) if d.kind == "time" else d for d in deps)


def changed(call: TableCall) -> Value:
    """Return what changed since an earlier row, or since a later one, which looks ahead."""
    later = _from_later(call, call.find(0, "periods", "shift"))
    return later if later is not None else timed(call, own=True)


def _from_later(call: TableCall, count: Value | None) -> Data | None:
    """Return rows that are made of later ones, None where the count of rows does not say so."""
    if not isinstance(count, Const) or not isinstance(count.value, int | float) or count.value >= 0:
        return None
    return tabular.together(ahead(call, f"{call.what}({count.value})"))


_FAR = 400
"""More rows than anybody shifts by."""


def rolling(call: TableCall) -> Value:
    """Return a window over neighbouring rows; a centred one looks ahead."""
    if call.owner is None:  # what smooths is centred; of a table, it may smooth each row
        smooth = replace(ahead(call, call.what), form="any")
        return smooth if call.data.form == "series" else call.data
    if call.arguments.constant("center") is True:
        return replace(ahead(call, "a centred window"), form="window")
    own = "closed" not in call.arguments.keywords
    return replace(timed(call, own=own), form="window")


def window(call: TableCall, form: Form = "any") -> Value:
    """Return a value of all rows so far, or a window over them."""
    data = tabular.together(tabular.without_origins(call.data))
    return replace(data, form=form, mask=None)


def time_window(call: TableCall) -> Value:
    """Return a window over the rows of an hour, a day and so on."""
    return replace(timed(call), form="window")
