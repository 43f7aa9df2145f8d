"""How leaks of several orders are told: which weigh, which are suspicions, which are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.notebook.plan import Plan, Run
from pytest_nbsafe.rules.leaks import found, named, pipeline

LEAK = Leak("NBS301", certain=True, cell=1, span=Span(2, 1, 2, 6), what="PCA", model="clf")


def _plan(*cells: int) -> Plan:
    runs = (Run(step, n, None, recorded=False, reason="") for step, n in enumerate(cells, 1))
    return Plan("recorded", tuple(runs))


def _told(by_order: Mapping[tuple[int, ...], Sequence[Leak]], plan: Plan) -> list[tuple[str, bool]]:
    """Return the code and the certainty of all leaks, those of other orders with their words."""

    def analyse(order: Sequence[int]) -> tuple[Leak, ...]:
        return tuple(by_order.get(tuple(order), ()))

    return [(leak.code + words, leak.certain) for leak, words in found(analyse, plan, _plan(1, 2))]


def test_in_one_order_nothing_is_said_of_it() -> None:
    assert _told({(1, 2): [LEAK]}, _plan(1, 2)) == [("NBS301", True)]


def test_a_leak_of_both_orders_is_told_once() -> None:
    assert _told({(1, 2): [LEAK], (2, 1): [LEAK]}, _plan(2, 1)) == [("NBS301", True)]


def test_a_leak_of_the_order_that_was_run_weighs() -> None:
    told = _told({(2, 1): [LEAK]}, _plan(2, 1))
    assert told == [("NBS301, in the order in which the cells ran", True)]


def test_a_leak_of_the_page_alone_is_a_suspicion() -> None:
    told = _told({(1, 2): [LEAK]}, _plan(2, 1))
    assert told == [("NBS301, when the cells run from top to bottom", False)]


@pytest.mark.parametrize(
    ("leak", "says"),
    [
        (LEAK, "`make_pipeline(PCA(), clf)`"),
        (Leak("NBS301", certain=True, cell=1, span=LEAK.span, what="PCA"), "a pipeline"),
        (Leak("NBS301", certain=True, cell=1, span=LEAK.span, model="clf"), "a pipeline"),
    ],
)
def test_the_remedy_names_both_steps_or_none(leak: Leak, says: str) -> None:
    assert pipeline(leak) == says


def test_names_are_marked_and_words_are_not() -> None:
    assert named("PCA") == "`PCA`"
    assert named("the mean") == "the mean"
