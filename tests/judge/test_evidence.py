"""What is asked for next, and what is settled, by the runs that are there."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.evidence import second_run, settled, verdict
from pytest_nbsafe.judge.trial import PICTURE, Trial
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.results import CellResult, PlanResult, Value
from pytest_nbsafe.trace.suspicions import OutdatedResult, ReadFromBelow, Suspicions
from pytest_nbsafe.values import replace

PAGE = """\
# %% [{one}]
a = 1
print(a)
#> 1
# %% [2]
b = a
print(b)
#> 2
# %% [3]
print(b)
#> 3
# %% [4]
print(4)
#> 4
"""


def ran(*printed: str, reads: dict[int, Value] | None = None) -> PlanResult:
    runs = tuple(Run(n, n, n, recorded=True, reason="") for n in range(1, len(printed) + 1))
    results = tuple(
        CellResult(
            n,
            n,
            "ok",
            outputs=(Output("stream", name="stdout", text=text),),
            reads={"a": (reads or {}).get(n, Value("same"))},
        )
        for n, text in enumerate(printed, 1)
    )
    return PlanResult(Plan("top-down", runs), results)


def case(clean: PlanResult, one: str = "1", *outdated: int, below: int = 0) -> tuple[Graph, Trial]:
    suspicions = Suspicions(
        outdated=tuple(OutdatedResult(1, cell, 1, "a", 1, 1, (9, 1)) for cell in outdated),
        from_below=(ReadFromBelow(1, below, 1, "a", 9, 1),) if below else (),
    )
    graph = build(percent.parse(PAGE.replace("{one}", one)))
    return graph, Trial(clean, suspicions=suspicions)


@pytest.mark.parametrize(("suspected", "until"), [((2, 3), 3), ((2,), 2), ((1,), None), ((), None)])
def test_a_second_run_goes_as_far_as_a_suspected_cell_differs(
    suspected: tuple[int, ...], until: int | None
) -> None:
    assert second_run(*case(ran("1", "x", "y", "z"), "1", *suspected)) == until


def test_so_it_does_for_what_is_made_from_a_cell_without_a_count_or_that_read_from_below() -> None:
    clean = ran("1", "x", "y", "z")
    assert second_run(*case(clean, " ")) == 3
    assert second_run(*case(clean, below=2)) == 3


def test_what_the_clean_run_gives_alike_is_settled() -> None:
    plan, clean = ran("1", "x", "3"), ran("1", "2", "3", reads={3: Value("another")})
    graph, trial = case(clean)
    assert settled(graph, trial) == {1, 2, 3}
    assert settled(graph, replace(trial, replay=plan)) == {1, 2}


def test_a_picture_proves_what_the_text_beside_it_does_not() -> None:
    graph, trial = case(ran("1", "2", "3", "4"), "5", 2)
    drawings = [
        Output("display_data", data={"image/svg+xml": f'<svg><line x1="{x}"/></svg>'})
        for x in (1, 9)
    ]
    saved, new = ((*graph.notebook.cell(2).outputs, drawing) for drawing in drawings)
    cells = [
        replace(cell, outputs=saved) if cell.number == 2 else cell for cell in graph.notebook.cells
    ]
    metadata = {"language_info": {"name": "python", "version": "3.11.4"}}
    graph = build(replace(graph.notebook, cells=tuple(cells), metadata=metadata))
    results = [
        replace(each, outputs=new if each.cell == 2 else each.outputs)
        for each in trial.clean.results
    ]
    run = replace(trial.clean, results=tuple(results), python="3.11.9")
    tried = verdict(graph, replace(trial, clean=run, second=run), Expectations())
    judged = tried.judgements
    assert (judged[2].output, judged[2].saved, judged[2].clean) == ("differs", PICTURE, PICTURE)
    assert {cell: judged[cell].output for cell in (1, 3, 4)} == dict.fromkeys((1, 3, 4), "same")
