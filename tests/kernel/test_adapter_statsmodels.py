"""What the kernel knows of statsmodels: what results worked out is no change, unless changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from adapted import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore")
sm = pytest.importorskip("statsmodels.api")


def least_squares() -> Any:
    return sm.OLS(np.arange(9.0), sm.add_constant(np.arange(9.0) ** 2)).fit()


def generalized(family: Any = None) -> Any:
    made = family or sm.families.Binomial()
    return sm.GLM(np.array([0, 1, 0, 1, 1.0]), sm.add_constant(np.arange(5.0)), family=made).fit()


def series() -> Any:
    return sm.tsa.SARIMAX(np.random.default_rng(0).random(30), order=(1, 0, 0)).fit(disp=0)


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (least_squares, lambda held: held.summary()),
        (least_squares, lambda held: (held.aic, held.resid, held.fittedvalues, held.pvalues)),
        (least_squares, lambda held: (held.model.exog_names, held.get_prediction())),
        (generalized, lambda held: (held.summary(), held.predict(), held.get_influence())),
        (series, lambda held: (held.summary(), held.resid, held.aic)),
    ],
)
def test_results_that_were_read_are_the_same(
    make: Callable[[], Any], read: Callable[[Any], object]
) -> None:
    held = make()
    before = fingerprint(held)
    read(held)
    assert fingerprint(held) == before


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (least_squares, lambda held: held.resid.__setitem__(0, 9.0)),
        (least_squares, lambda held: held.fittedvalues.__setitem__(0, 9.0)),
        (least_squares, lambda held: held.params.__setitem__(0, 9.0)),
        (least_squares, lambda held: held.model.exog_names.__setitem__(1, "other")),
        (least_squares, lambda held: (held.summary(), held.diagn.update(jb=3.0))),
        (least_squares, lambda held: (held.summary(), held.remove_data())),
        (generalized, lambda held: held.resid_deviance.__setitem__(0, 9.0)),
        (series, lambda held: held.resid.__setitem__(0, 9.0)),
    ],
)
def test_results_that_were_changed_are_others(
    make: Callable[[], Any], change: Callable[[Any], object]
) -> None:
    held = make()
    before = fingerprint(held)
    change(held)
    assert fingerprint(held) != before


def test_what_was_removed_makes_the_summary_count() -> None:
    held, other = least_squares(), least_squares()
    held.summary()
    held.remove_data()
    other.remove_data()
    assert fingerprint(held) != fingerprint(other)  # of the other nothing can be shown any more


def test_to_look_calls_nothing_of_the_notebook_and_warns_of_nothing() -> None:
    said = []

    class Own(type(sm.families.links.Logit())):  # type: ignore[misc]  # found in a run
        def inverse(self, z: Any) -> Any:
            said.append(z)
            return super().inverse(z)

    Own.__module__ = "__main__"
    held = generalized(sm.families.Binomial(link=Own()))
    assert held.resid_deviance.size
    said.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fingerprint(held)
        fingerprint(least_squares())
    assert said == []
