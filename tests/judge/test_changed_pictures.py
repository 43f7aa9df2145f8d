"""Which saved pictures a run does not draw, and whether something else than the page is why."""

from __future__ import annotations

from collections.abc import Mapping

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.changed_outputs import changed
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.values import replace

PICTURES = """\
# %% [1]
import matplotlib.pyplot as plt
# %% [2]
plt.plot([1])
# %% [3]
plt.plot([2])
# %% [4]
print(1)
#> 1
"""


def svg(content: str) -> Output:
    return Output("display_data", data={"image/svg+xml": content})


def why_drawn(
    saved: Mapping[int, str], new: Mapping[int, str], *, text: str = PICTURES, saved_by: str = ""
) -> dict[int, str]:
    """Return why each cell differs where these are the pictures that were saved, and the new."""
    notebook = percent.parse(text)
    page = {n: (svg(content),) for n, content in saved.items()}
    cells = tuple(
        replace(cell, outputs=page.get(cell.number, cell.outputs)) for cell in notebook.cells
    )
    info = {"language_info": {"version": saved_by}} if saved_by else {}
    notebook = replace(notebook, cells=cells, metadata=info)
    results = tuple(
        CellResult(
            step, c.number, "ok", outputs=(svg(new[c.number]),) if c.number in new else c.outputs
        )
        for step, c in enumerate(notebook.code_cells, 1)
    )
    runs = tuple(Run(r.step, r.cell, None, recorded=False, reason="") for r in results)
    run = PlanResult(Plan("top-down", runs), results, python="3.11.4")
    differing = changed(build(notebook), Trial(run, second=run), Expectations())
    return {cell: each.why for cell, each in differing.items()}


LINE, OTHER, THIRD = (f'<svg><line x1="{x}"/></svg>' for x in (1, 2, 3))


def test_a_picture_that_was_removed() -> None:
    assert why_drawn({2: LINE}, {2: LINE, 3: OTHER}) == {3: ""}
    assert why_drawn({2: LINE}, {2: THIRD, 3: OTHER}) == {2: "libraries", 3: ""}
    assert why_drawn({}, {2: LINE}) == {2: "libraries"}, "nothing that was drawn was saved"
    inline = PICTURES.replace("import", "%matplotlib inline\nimport", 1)
    assert why_drawn({}, {2: LINE}, text=inline) == {2: ""}
    text = PICTURES.replace("# %% [2]", "import seaborn as sns\n# %% [2]")
    assert why_drawn({}, {2: LINE}, text=text, saved_by="3.11.2") == {2: ""}


def test_a_picture_that_has_changed() -> None:
    now = {2: LINE, 3: THIRD}
    assert why_drawn({2: LINE, 3: OTHER}, now) == {3: ""}, "another one is drawn as it was"
    assert why_drawn({3: OTHER}, {3: THIRD}) == {3: "libraries"}
    assert why_drawn({3: OTHER}, {3: THIRD}, saved_by="3.8.1") == {3: "libraries"}
    assert why_drawn({3: OTHER}, {3: THIRD}, saved_by="3.11.2") == {3: ""}


@pytest.mark.parametrize(
    "line", ["import seaborn as sns", "plt.style.use('ggplot')", "plt.rc('font', family='serif')"]
)
def test_other_fonts_may_be_why_all_pictures_have_changed(line: str) -> None:
    text = PICTURES.replace("# %% [2]", f"{line}\n# %% [2]")
    assert why_drawn({3: OTHER}, {3: THIRD}, text=text, saved_by="3.11.2") == {3: "libraries"}
    larger = text.replace(line, "plt.rc('font', size=20)")
    assert why_drawn({3: OTHER}, {3: THIRD}, text=larger, saved_by="3.11.2") == {3: ""}
    both = {2: LINE, 3: OTHER}
    assert why_drawn(both, {**both, 3: THIRD}, text=text, saved_by="3.11.2") == {3: ""}
