"""Which cell most likely made a name: against the same asked of every cell, one by one."""

import random

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order import orderings as order
from pytest_nbsafe.order.definers import Definers
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.order.readings import needed

NAMES = [f"n{i}" for i in range(5)]


def page(draw: random.Random, cells: int, names: int = len(NAMES)) -> Graph:
    """Return cells that bind a name from two others, some of them perhaps, some never run."""
    blocks = []
    for _ in range(cells):
        made, *read = (f"n{i}" for i in draw.sample(range(names), 3))
        head = draw.choice(["# %%", f"# %% [{draw.randint(1, 30)}]", f"# %% [{cells}]"])
        indent = draw.choice(["", "if len(NAMES):\n    "])
        blocks.append(f"{head}\n{indent}{made} = {' + '.join(read)}")
    return build(percent.parse("\n".join(blocks) + "\n"))


def asked_one_by_one(
    graph: Graph, name: str, reader: int, barred: set[int], bound: set[str]
) -> int | None:
    def rank(cell: int) -> tuple[bool, bool, bool, bool, int, int]:
        again = {n for n in needed(graph, cell) if cell in graph.binders.get(n, ())}
        return (
            graph.notebook.cell(cell).count is None,
            cell > reader,
            not again.isdisjoint(bound),
            name not in graph.cells[cell].sure,
            abs(cell - reader),
            cell,
        )

    page = {cell.number for cell in runnable(graph)}
    others = page.intersection(graph.binders.get(name, ())) - barred - {reader}
    return min(others, key=rank, default=None)


@pytest.mark.parametrize("seed", range(6))
def test_the_likeliest_definer_is_that_of_all_cells(seed: int) -> None:
    draw = random.Random(seed)
    graph = page(draw, 24)
    definers = Definers(graph)
    for _ in range(300):
        reader, name = draw.randint(1, 24), draw.choice(NAMES)
        barred = set(draw.sample(range(1, 25), draw.choice([0, 3, 20])))
        bound = set(draw.sample(NAMES, draw.randint(0, 5)))
        expected = asked_one_by_one(graph, name, reader, barred, bound)
        assert expected == definers.likeliest(name, reader, barred.__contains__, bound)


def test_a_page_of_many_sessions_takes_steps_by_its_runs_alone() -> None:
    """Not by its runs times the cells that bind a name: all of these have the same count."""
    cells, names = 400, 3
    draw = random.Random(3)
    lines = (f"n{draw.randrange(names)} = n{draw.randrange(names)}" for _ in range(cells))
    graph = build(percent.parse("".join(f"# %% [1]\n{line}\n" for line in lines)))
    before = graph.budget.spent
    plan = order.plan(graph, "inferred")
    assert graph.budget.spent - before < 6 * len(plan.runs)
