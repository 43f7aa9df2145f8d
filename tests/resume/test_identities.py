"""Numbers of objects: one that is gone gives its place to another, but not its number."""

from __future__ import annotations

from typing import Any, cast

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.resume.identities import Identities


def run(before: dict[str, int] | None = None, **bound: int) -> CellRun:
    """Return a run that found objects at addresses, and bound names to others."""

    def values(held: dict[str, int]) -> dict[str, Any]:
        return {name: {"identity": identity} for name, identity in held.items() if identity}

    event = {"before": values(before or {}), "after": values(bound), "bindings": bound}
    return cast("CellRun", {**event, "inputs": None, "statements": []})


def test_a_run_that_was_made_again_has_the_numbers_of_the_first() -> None:
    identities = Identities()
    identities.learn(run(x=0x10), run(x=7))
    told = identities.told(run({"x": 0x10}, y=0x10, z=0x20))
    assert told["before"]["x"]["identity"] == told["bindings"]["y"] == 7
    assert told["bindings"]["z"] not in {7, 0x20}


def test_what_lies_where_something_was_that_was_let_go_has_another_number() -> None:
    for let_go in ("removed", "bound anew", "deleted"):
        identities = Identities()
        identities.learn(run(x=0x10), run(x=7))
        if let_go == "removed":
            identities.unbound(["x"])
        else:
            identities.follow(run(x=0x30 if let_go == "bound anew" else 0))
        assert identities.told(run(y=0x10))["bindings"]["y"] != 7


def test_what_was_loaded_in_place_of_a_value_leaves_its_place_to_others() -> None:
    identities = Identities()
    number = identities.told(run(x=0x10))["bindings"]["x"]
    identities.follow(run(x=0x10))
    identities.note("x", 0x20, number)
    told = identities.told(run({"x": 0x20}, y=0x10))
    assert told["before"]["x"]["identity"] == number
    assert told["bindings"]["y"] != number


def test_what_another_name_still_holds_keeps_its_number() -> None:
    identities = Identities()
    identities.note("x", 0x10, 7)
    identities.follow(run({"x": 0x10}, y=0x10))
    identities.unbound(["x"])
    assert identities.told(run({"y": 0x10}))["before"]["y"]["identity"] == 7


def test_what_ran_on_the_side_holds_nothing_in_the_kernel() -> None:
    identities = Identities()
    identities.note("x", 0x10, 7)
    identities.told(run(x=0x20))
    assert identities.told(run({"x": 0x10}))["before"]["x"]["identity"] == 7
