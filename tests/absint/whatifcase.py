"""Help for the what-if tests: cells in, compact answers out."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.absint.whatif_answer import WhatIf
from pytest_nbsafe.absint.whatif_search import whatif
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.order.plan import Plan, Run

EXAMPLE_1_1 = (
    "import pandas as pd\nd = pd.read_csv('a.csv')",
    "x = (d - d.mean()) / d.std()",
    "x = pd.read_csv('b.csv')",
    "train, test = x[:9], x[9:]",
    "model = Model()\nmodel.fit(train)\nprint(model.score(test))",
)


def graph(*sources: str) -> Graph:
    """Return the graph of a notebook with these code cells."""
    cells = (Cell(CellId(f"c{n}"), n, "code", text) for n, text in enumerate(sources, 1))
    return build(Notebook("nb.ipynb", tuple(cells)))


def plan(cells: Sequence[int]) -> Plan:
    """Return the plan that runs these cells."""
    runs = (Run(i, cell, None, recorded=True, reason="") for i, cell in enumerate(cells, 1))
    return Plan("recorded", tuple(runs))


def asked(
    ran: str, run: int, *sources: str, change: str | None = None, depth: int | None = 3
) -> WhatIf:
    """Return the answer for cells that ran in this order before: "1 2 4"."""
    return whatif(graph(*sources), plan([int(cell) for cell in ran.split()]), run, change, depth)


def stale(answer: WhatIf) -> list[str]:
    """Return the stale reads as "1 4: x, without 2"."""
    return [
        f"{_cells(found.sequence)}: {found.name}, without {_cells(found.left_out)}"
        for found in answer.stale
    ]


def safe(answer: WhatIf) -> list[str]:
    return [_cells(sequence) for sequence in answer.safe]


def rerun(answer: WhatIf) -> str:
    return _cells([again.cell for again in answer.rerun])


def _cells(cells: Sequence[int]) -> str:
    return " ".join(str(cell) for cell in cells)
