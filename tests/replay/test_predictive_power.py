"""How well cell sets foretell the next run (nbsafety, Def. 12)."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_nbsafe.replay.predictive_power import Power, power, powers, together
from pytest_nbsafe.replay.session_runs import StepAnswer


def answer(step: int, cell: str, **sets: str) -> StepAnswer:
    told: Any = {f"{name}_cells": tuple(cells.split()) for name, cells in sets.items()}
    return StepAnswer(step, cell, "ok", **told)


def test_the_power_of_a_set_is_the_odds_against_chance() -> None:
    assert power("c", {"c"}, 8) == 8
    assert power("c", {"a", "c"}, 8) == 4
    assert power("c", {"a", "b"}, 8) == 0


def test_only_runs_of_known_cells_are_measured() -> None:
    found = powers(["a", "b"], [answer(1, "a", fresh="a"), answer(2, "b", fresh="a b")])
    assert found["fresh"].mean is None
    assert found["fresh"].measured == 0


def test_a_deleted_cell_foretells_nothing() -> None:
    steps = [answer(1, "a"), answer(2, "gone"), answer(3, "a", fresh="a"), answer(4, "a")]
    found = powers(["a"], steps)
    assert (found["fresh"].mean, found["fresh"].measured) == (1, 1)
    assert found["next"].measured == 0


def test_new_cells_are_those_of_the_last_step() -> None:
    steps = [
        answer(1, "a"),
        answer(2, "b", fresh="a"),
        answer(3, "a", fresh="a b", refresher="b", stale="a"),
        answer(4, "b"),
    ]
    found = powers(["a", "b"], steps)
    assert (found["fresh"].mean, found["fresh"].measured) == (1.5, 2)
    assert (found["new_fresh"].mean, found["new_fresh"].measured) == (2, 2)
    assert (found["new_refresher"].mean, found["new_refresher"].measured) == (2, 1)
    assert (found["stale"].mean, found["stale"].measured) == (0, 1)


def test_the_next_cell_is_the_one_below_on_the_page() -> None:
    found = powers(["a", "b", "c"], [answer(n, c) for n, c in enumerate("abcabca", 1)])
    assert found["next"].mean == 3
    assert found["next"].measured == 2  # below c there is none


def test_a_random_cell_has_the_power_of_chance() -> None:
    steps = [answer(n, "abcde"[n % 5]) for n in range(2_000)]
    assert powers(list("abcde"), steps)["random"].mean == pytest.approx(1, abs=0.15)


def test_several_sessions_weigh_by_their_steps() -> None:
    one = {"fresh": Power(2.0, 3), "stale": Power(None, 0)}
    other = {"fresh": Power(6.0, 1), "stale": Power(None, 0)}
    both = together([one, other])
    assert (both["fresh"].mean, both["fresh"].measured) == (3.0, 4)
    assert (both["stale"].mean, both["stale"].measured) == (None, 0)
    assert both["next"].mean is None
