"""How leaks of several orders are told: which weigh, which are suspicions, which are one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import pytest
from rulecase import facts_of, lines

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.rules import Rule, evaluate, filters
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.leak_claims import in_orders, named, pipeline
from pytest_nbsafe.values import replace

TEXT = "# %% [2]\na = 1\nb = 2\n# %% [1]\nc = 3\n"
OWN = """\
# %% [1]
from ourlib import Scaler
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
Z = Scaler().fit_transform(X)
# %% [2]
Z_train, Z_test, y_train, y_test = train_test_split(Z, y, random_state=0)
print(LogisticRegression().fit(Z_train, y_train).score(Z_test, y_test))
"""
LEAK = Leak("NBS301", certain=True, cell=1, span=Span(2, 1, 2, 6), what="PCA", model="SVC")


def _plan(*cells: int) -> Plan:
    runs = (Run(step, n, None, recorded=True, reason="") for step, n in enumerate(cells, 1))
    return Plan("recorded", tuple(runs))


def _told(by_order: Mapping[tuple[int, ...], Sequence[Leak]], plan: Plan) -> list[tuple[str, bool]]:
    """Return the code and the certainty of all leaks, those of other orders with their words."""

    def analyse(order: Sequence[int]) -> tuple[Leak, ...]:
        return tuple(by_order.get(tuple(order), ()))

    return [
        (leak.code + words, leak.certain) for leak, words in in_orders(analyse, plan, _plan(1, 2))
    ]


def _facts(*leaks: Leak) -> Facts:
    return replace(facts_of(TEXT), leaks=lambda: tuple((leak, "") for leak in leaks))


def _claimed(*leaks: Leak) -> list[str]:
    facts = _facts(*leaks)
    rules = (Rule("NBS301"), Rule("NBS305"))
    return lines(filters.resolve(claim for rule in rules for claim in rule.check(facts)))


def test_in_one_order_nothing_is_said_of_it() -> None:
    assert _told({(1, 2): [LEAK]}, _plan(1, 2)) == [("NBS301", True)]


def test_a_leak_of_both_orders_is_told_once() -> None:
    assert _told({(1, 2): [LEAK], (2, 1): [LEAK]}, _plan(2, 1)) == [("NBS301", True)]


def test_the_pages_own_order_is_not_asked_where_nobody_wants_to_know() -> None:
    asked: list[tuple[int, ...]] = []

    def analyse(order: Sequence[int]) -> tuple[Leak, ...]:
        asked.append(tuple(order))
        return ()

    assert in_orders(analyse, _plan(2, 1), _plan(1, 2), notes=False) == ()
    assert asked == [(2, 1)]
    in_orders(analyse, _plan(2, 1), _plan(1, 2), notes=True)
    assert asked[1:] == [(2, 1), (1, 2)]


def test_a_leak_of_the_order_that_was_run_weighs() -> None:
    told = _told({(2, 1): [LEAK]}, _plan(2, 1))
    assert told == [("NBS301, in the order in which the cells ran", True)]


def test_a_leak_of_an_inferred_order_is_a_suspicion() -> None:
    plan = _plan(2, 1)
    inferred = replace(plan, runs=(replace(plan.runs[0], recorded=False), *plan.runs[1:]))
    assert [certain for _, certain in _told({(2, 1): [LEAK]}, inferred)] == [False]


def test_a_leak_of_the_page_alone_is_a_suspicion() -> None:
    told = _told({(1, 2): [LEAK]}, _plan(2, 1))
    assert told == [("NBS301, when the cells run from top to bottom", False)]


def test_what_holds_on_every_path_is_an_error_what_may_hold_warns() -> None:
    assert _claimed(LEAK) == ["NBS301 1:2 proved error"]
    unsure = Leak("NBS301", certain=False, cell=1, span=LEAK.span, what="PCA")
    assert _claimed(unsure) == ["NBS301 1:2 suspected warning"]


def test_what_only_a_run_from_top_to_bottom_has_is_a_note() -> None:
    facts = replace(
        facts_of(TEXT),
        leaks=lambda: in_orders(
            lambda order: (LEAK,) if order[0] == 1 else (), _plan(2, 1), _plan(1)
        ),
    )
    told = lines(filters.resolve(Rule("NBS301").check(facts)))
    assert told == ["NBS301 1:2 suspected note"]


def test_one_line_that_leaks_in_two_ways_is_one_finding() -> None:
    other = Leak("NBS305", certain=True, cell=1, span=LEAK.span, what="PCA")
    elsewhere = Leak("NBS305", certain=True, cell=2, span=Span(1, 1, 1, 6), what="PCA")
    assert _claimed(LEAK, other, elsewhere) == [
        "NBS301 1:2 proved error",
        "NBS305 2:1 proved error",
    ]


def test_preparing_rows_in_one_cell_is_one_fault_with_all_its_lines() -> None:
    other = Leak("NBS302", certain=True, cell=1, span=Span(1, 1, 1, 6), what="mean")
    facts = _facts(LEAK, other)
    rules = (Rule("NBS301"), Rule("NBS302"))
    (told,) = filters.resolve(claim for rule in rules for claim in rule.check(facts))
    assert (told.code, told.location.line) == ("NBS302", 1)
    assert [(step.line, step.cause) for step in told.steps] == [
        (2, "`PCA` is fitted on rows that are later test rows")
    ]


@pytest.mark.parametrize(
    ("leak", "says"),
    [
        (LEAK, "`make_pipeline(PCA(), SVC())`"),
        (replace(LEAK, model=""), "a pipeline"),
        (replace(LEAK, what=""), "a pipeline"),
        (replace(LEAK, what="corrwith"), "a pipeline"),
        (replace(LEAK, what="SVC"), "a pipeline"),
        (replace(LEAK, model="GridSearchCV"), "a pipeline"),
    ],
)
def test_the_remedy_names_both_steps_or_none(leak: Leak, says: str) -> None:
    assert pipeline(leak) == says


def test_names_are_marked_and_words_are_not() -> None:
    assert named("PCA") == "`PCA`"
    assert named("the mean") == "the mean"


def test_a_rule_without_a_leak_of_its_kind_is_not_even_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = "pytest_nbsafe.rules.nbs305_preprocessing_before_cv"
    late = Rule("NBS305")
    monkeypatch.setitem(sys.modules, module, None)
    assert list(late.check(_facts(LEAK))) == []
    with pytest.raises(ModuleNotFoundError):
        list(late.check(_facts(replace(LEAK, code="NBS305"))))


def test_leaks_are_looked_for_only_where_a_library_learns() -> None:
    assert facts_of("# %% [1]\nimport pandas as pd\nscore = 1\n").leaks is tuple
    assert facts_of("# %% [1]\nimport sklearn\nm.score(X, y)\n").leaks is not tuple


def test_a_users_table_makes_a_class_known() -> None:
    table = '{"ourlib": {"transformer": ["Scaler"]}}'
    told = [f.code for f in evaluate(facts_of(OWN, Config(leakage=table)))]
    assert told == ["NBS301"]
    assert evaluate(facts_of(OWN)) == ()


def test_a_users_table_with_a_fault_is_told_of_any_notebook() -> None:
    with pytest.raises(NbsafeError, match="transfomer is not known"):
        facts_of(TEXT, Config(leakage='{"ourlib": {"transfomer": ["Scaler"]}}'))
