"""Objects of many classes: a change is told, none is told without one, what is kept is equal.

Those of `classes.txt` are Python's own, those of the other text of libraries that may be missing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import tiers
from class_verdicts import Case, judge, read_cases, standing_for_main

from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

HERE = Path(__file__).parent
CASES = [
    case for name in ("classes.txt", "classes_of_libraries.txt") for case in read_cases(HERE / name)
]


def test_no_case_comes_twice() -> None:
    assert len(CASES) == len({case.name for case in CASES}) > 200


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", tiers.spread(8, 2, CASES), ids=lambda case: case.name)
def test_a_class(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = standing_for_main()
    monkeypatch.setattr(module, "skip", pytest.skip, raising=False)
    monkeypatch.setitem(sys.modules, "__main__", module)
    try:
        verdict = judge(case, tmp_path, module)
    except ImportError as error:
        pytest.skip(str(error))
    allowed = case.want.split(" or ")
    assert verdict.outcome() in allowed, verdict
    if verdict.outcome() != "unknown":
        assert (verdict.change, verdict.no_change) == ("told", "quiet"), verdict


def test_false_negative_of_two_lists_of_which_one_is_put_in_place_of_the_other() -> None:
    inner = [1]
    value = [inner, inner]
    before = Snapshot(Texts(), {}).fingerprint(value)["hash"]
    value[1] = [1]
    assert Snapshot(Texts(), {}).fingerprint(value)["hash"] == before  # though it is no longer one


def test_what_a_search_found_counts_and_not_how_long_it_took() -> None:
    construct = next(case.make for case in CASES if case.name == "search")
    hashes = set()
    for seconds in (0.1, 0.2):
        home: dict[str, Any] = {}
        exec(construct, home)
        home["x"].refit_time_ = seconds
        home["x"].cv_results_["mean_fit_time"] += seconds
        hashes.add(Snapshot(Texts(), home).fingerprint(home["x"])["hash"])
    assert len(hashes) == 1


def test_the_address_of_a_setting_is_none_of_a_vectorizer() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    hashes = set()
    for address in (1, 2):
        vectorizer = text.CountVectorizer().fit(["one two", "two"])
        vectorizer._stop_words_id = address
        hashes.add(Snapshot(Texts(), {}).fingerprint(vectorizer)["hash"])
    assert len(hashes) == 1
    assert "" not in hashes
