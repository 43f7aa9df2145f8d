"""Where two runs part, on runs made up by hand."""

from __future__ import annotations

from collections.abc import Mapping

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.partings import OrderParting, Parting, between_orders, parting, source
from pytest_nbsafe.judge.trial import Judgement, Trial
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.results import CellResult, Comparison, PlanResult, Record, Value
from pytest_nbsafe.values import replace


def ran(*cells: Mapping[str, str], shows: str = "", status: str = "ok") -> PlanResult:
    """A run whose cells made these names with these hashes, line by line; the last shows a text."""
    results = []
    for step, made in enumerate(cells, 1):
        records = tuple(
            Record((step, line), step, line, frozenset(), {name: frozenset[str]()}, {})
            for line, name in enumerate(made, 1)
        )
        after = {name: Value(digest) for name, digest in made.items()}
        outputs = (Output("stream", name="stdout", text=shows),) if step == len(cells) else ()
        results.append(
            CellResult(step, step, status, records=records, after=after, outputs=outputs)  # type: ignore[arg-type]
        )
    runs = tuple(Run(i, i, i, recorded=True, reason="") for i in range(1, len(cells) + 1))
    return PlanResult(Plan("top-down", runs), tuple(results))


def test_the_first_name_of_the_first_cell() -> None:
    first, second = ran({"a": "1"}, {"b": "2", "c": "3"}), ran({"a": "1"}, {"b": "2", "c": "9"})
    assert parting(first, second) == Parting(2, 2, "c")
    assert parting(first, first) is None


def test_what_is_imported_has_no_value_of_its_own() -> None:
    first, second = ran({"randrange": "1"}), ran({"randrange": "2"})
    imported = replace(first.results[0].records[0], imports=True)
    first = replace(first, results=(replace(first.results[0], records=(imported,)),))
    assert parting(first, second) is None


def test_what_cannot_be_compared_does_not_part() -> None:
    assert parting(ran({"a": ""}), ran({"a": "1"})) is None
    assert parting(ran({"a": "1"}, status="timed-out"), ran({"a": "2"})) is None


def test_outputs_part_where_no_name_does() -> None:
    assert parting(ran({"a": "1"}, shows="x"), ran({"a": "1"}, shows="y")) == Parting(1, 1)
    assert parting(ran({"a": "1"}, shows="<o at 0x7f0011223344>"), ran({"a": "1"})) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import random\nx = random.random()", "draw"),
        ("import time\nx = time.time()", "clock"),
        ("import os\nx = os.listdir()", "files"),
        ("x = list({'a', 'b'})", "sets"),
        ("x = [n for n in {c for c in 'ab'}]", "sets"),
        ("x = hash('a') % 10", "hash"),
        ("x = model.hash('a')", ""),
        ("import requests\nx = requests.get(address)", "network"),
        ("from multiprocessing import Pool\nx = Pool().map(f, [1])", "threads"),
        ("x = {'a': 1}", ""),
    ],
)
def test_what_brings_chance_in(text: str, expected: str) -> None:
    graph = build(percent.parse(f"# %% [1]\n{text}\n# %% [2]\ny = x\n"))
    assert source(graph, 2) == ((1, expected) if expected else (0, ""))


def test_two_orders_and_the_cells_that_gave_them_a_name() -> None:
    text = "# %% [1]\na = 1\n# %% [3]\na = 2\n# %% [2]\nb = a\n"
    notebook = percent.parse(text)
    made: dict[str, Comparison] = {"b": "differs"}
    read: dict[str, Comparison] = {"a": "differs"}
    runs = tuple(Run(i, c, i, recorded=True, reason="") for i, c in enumerate((1, 3, 2), 1))
    replay = PlanResult(Plan("recorded", runs), ())
    judged = {3: Judgement(3, "nothing-to-compare", values=read, made=made)}
    trial = Trial(PlanResult(Plan("top-down", ()), ()), replay, judgements=judged)
    assert between_orders(build(notebook), trial) == OrderParting(3, "b", "a", 1, 2)
    assert between_orders(build(notebook), Trial(trial.clean, judgements=judged)) is None
