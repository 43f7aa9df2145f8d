"""The registry of objects: by which symbols they are known, and for how long."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from pytest_nbsafe.kernel.functions.reach import fields
from pytest_nbsafe.kernel.parts import aliases
from pytest_nbsafe.kernel.parts.aliases import Aliases, Lost, is_atom


class Thing:
    """An object with attributes."""

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)


Thing.__module__ = "__main__"


class Trap:
    """An object that no one may ask anything."""

    def __init__(self) -> None:
        object.__setattr__(self, "held", [1])

    def trap(self, *_: object) -> Any:
        raise AssertionError("code of the user was called")

    __getattribute__ = __getattr__ = __setattr__ = __eq__ = __hash__ = __len__ = trap
    __iter__ = __bool__ = __getitem__ = __contains__ = __repr__ = __reduce__ = trap


Trap.__module__ = "__main__"


def known(home: dict[str, Any], most: int = 5_000) -> Aliases:
    found = Aliases(home, most=most)
    found.renew()
    return found


def said(registry: Aliases, value: object) -> str:
    return " ".join(sorted(map(registry.spelled, registry.symbols(value))))


def test_symbols_go_through_containers_and_attributes() -> None:
    inner: dict[str, Any] = {"deep": []}
    home = {"d": {"a": [0, inner]}, "t": (1, Thing(x=inner)), "same": inner}
    registry = known(home)
    assert said(registry, inner) == "d['a'][1] same t[1].x"
    assert said(registry, inner["deep"]) == "d['a'][1]['deep'] same['deep'] t[1].x['deep']"


def test_what_leads_nowhere_any_more_counts_no_longer() -> None:
    inner: list[int] = []
    home = {"d": {"a": inner}, "x": inner}
    registry = known(home)
    home["d"].pop("a")  # type: ignore[attr-defined]
    assert said(registry, inner) == "x"
    del home["x"]
    assert said(registry, inner) == ""


def test_what_was_put_somewhere_is_known_there_once_that_is_told() -> None:
    inner: list[int] = []
    home: dict[str, Any] = {"d": {}, "x": inner}
    registry = known(home)
    home["d"]["new"] = inner
    registry.changed(("d", "new"))
    assert said(registry, inner) == "d['new'] x"


def test_no_object_is_kept_alive() -> None:
    home: dict[str, Any] = {"d": {"a": Thing(x=[1])}}
    registry = known(home)
    watched = weakref.ref(home["d"]["a"])
    count = len(registry)
    home["d"].clear()
    gc.collect()
    assert watched() is None
    registry._purge()
    assert len(registry) < count


def test_the_number_of_objects_is_bounded() -> None:
    home = {f"n{i}": [[i] for _ in range(10)] for i in range(20)}
    registry = known(home, most=50)
    assert len(registry) <= 50
    full = [name for name in home if registry.is_seen_through(home[name])]
    assert 0 < len(full) < 20
    assert all(said(registry, home[name][3]) == f"{name}[3]" for name in full)


def test_what_holds_much_is_known_but_not_what_it_holds() -> None:
    home = {"wide": [[i] for i in range(1_000)], "odd": {(1, 2): []}, "narrow": [[1]]}
    registry = known(home)
    assert [said(registry, home[name]) for name in home] == ["wide", "odd", "narrow"]
    assert [registry.is_seen_through(home[name]) for name in home] == [False, False, True]


def test_objects_in_a_circle_have_symbols() -> None:
    circle: list[Any] = [1]
    circle.append(circle)
    assert said(known({"c": circle}), circle) == "c"


def test_an_object_with_too_many_symbols_is_none_to_follow() -> None:
    inner: list[int] = []
    with pytest.raises(Lost):
        known({f"n{i}": inner for i in range(100)}).symbols(inner)


def test_no_code_of_the_user_is_called() -> None:
    trap = Trap()
    home = {"trap": trap, "list": [trap], "dict": {"k": trap}}
    registry = known(home)
    assert said(registry, trap) == "dict['k'] list[0] trap"
    assert said(registry, aliases.below(trap, "held")) == ("dict['k'].held list[0].held trap.held")


def test_a_class_that_says_what_its_attributes_are_is_not_looked_into() -> None:
    class Liar:
        __slots__ = ("__weakref__",)

        @property
        def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
            raise AssertionError("code of the user was called")

    assert fields(Liar()) is None


@pytest.mark.parametrize("value", [1, "a", None, True, 2.5, len, Thing, gc, (), frozenset(), b""])
def test_what_cannot_change_has_no_symbols(value: object) -> None:
    assert is_atom(value)
    assert known({"x": value, "y": value}).symbols(value) == []


def test_numbers_of_numpy_cannot_change_arrays_can() -> None:
    numpy = pytest.importorskip("numpy")
    assert is_atom(numpy.float64(1))
    assert not is_atom(numpy.zeros(1))


def test_hidden_names_lead_nowhere() -> None:
    value: list[int] = []
    registry = Aliases({"In": value}, {"In"})
    registry.renew()
    assert registry.symbols(value) == []
