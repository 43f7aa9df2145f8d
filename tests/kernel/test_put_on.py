"""Objects of one's own classes that stand on those of libraries, and what is put on objects."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import tiers
from class_verdicts import Case, judge, read_cases, standing_for_main

from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

CASES = read_cases(Path(__file__).parent / "classes_of_cells.txt")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", tiers.every(3, CASES), ids=lambda case: case.name)
def test_what_is_put_on_an_object_counts(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = standing_for_main()
    monkeypatch.setitem(sys.modules, "__main__", module)
    try:
        verdict = judge(case, tmp_path, module)
    except ImportError as error:
        pytest.skip(str(error))
    assert (verdict.change, verdict.no_change) == ("told", "quiet"), verdict
    assert verdict.outcome() == case.want, verdict


@pytest.mark.parametrize("name", ["arange", "version", "target", "info"])
def test_an_attribute_named_as_something_in_the_code_of_the_library(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    for value in (pandas.Index([1, 2]), pandas.DataFrame({"a": [1]})):
        snapshot = Snapshot(Texts(), {})
        vars(value)[name] = 1
        before = snapshot.fingerprint(value)["hash"]
        vars(value)[name] = 2
        assert snapshot.fingerprint(value)["hash"] != before


def test_false_negative_of_an_attribute_that_the_library_sets_on_others() -> None:
    pandas = pytest.importorskip("pandas", minversion="3", reason="an older one sets it elsewhere")
    value, snapshot = pandas.Index([1, 2]), Snapshot(Texts(), {})
    value.columns = 1
    before = snapshot.fingerprint(value)["hash"]
    value.columns = 2
    assert snapshot.fingerprint(value)["hash"] == before
