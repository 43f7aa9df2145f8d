"""Which names may share objects, as far as the runs of a session tell."""

from __future__ import annotations

from pytest_nbsafe.resume.lineage import Lineage
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun
from pytest_nbsafe.resume.state import Held, State
from pytest_nbsafe.runner.executed import Executed


def kept(name: str, **around: str) -> KeptValue:
    covariable = {"names": [name], "left_out": [], "fingerprints": {}, "files": [], "needs": []}
    return KeptValue({**covariable, "cause": ""}, around)  # type: ignore[typeddict-item]


def run(entry: str, before: State, after: State, *values: KeptValue, by_value: str = "") -> PastRun:
    """Return a run that may have read all that was held before it."""
    return PastRun(entry, "", Executed("ok"), before, after, values, by_value)


def test_what_was_apart_of_an_equal_value_may_share_now() -> None:
    """`a = [1]; b = [list(a)]; c = b[0]` became `b = [a]`, an equal value: `c` is reused."""
    a, c = Held("h", "first", "list"), Held("h", "third", "list")
    kept_c = kept("c")
    for by_value in ("", "b was equal"):
        past = [
            run("first", {}, {"a": a}, kept("a", c="third")),
            run("third", {"a": a}, {"a": a, "c": c}, kept_c, by_value=by_value),
        ]
        assert Lineage(past).is_apart(1, kept_c, ["a"]) == (by_value == "")
