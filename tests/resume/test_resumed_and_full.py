"""What a resumed run says and holds is what a full one does: where that went wrong once."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import makenb
import pytest
import tiers

from pytest_nbsafe.app import session, states
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.resume import keeping_budget
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.trace.results import CellResult
from resume.shown_pages import shown_page

LEARNS = """
# %% [1]
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler
rng = np.random.default_rng(0)
raw = rng.normal(size=(200, 4))
y = (raw[:, 0] + raw[:, 1] > 0).astype(int)
# %% [2]
{scaled}
# %% [3]
train, test = X[:150], X[150:]
# %% [4]
model = LogisticRegression().fit(train, y[:150])
# %% [5]
model.score(test, y[150:])
"""
BY_HAND = "X = raw / np.abs(raw).max(axis=0)"
SCALED = "X = MaxAbsScaler().fit_transform(raw)"
BESIDE = f"other = MaxAbsScaler().fit(raw)\n{BY_HAND}"


def run(path: Path, page: str, *, resumed: bool) -> Report:
    makenb.write(path, page)
    return session.examine(path, configuration(path, {"resume": "on" if resumed else "off"}))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param(BY_HAND, SCALED, marks=pytest.mark.corpus),
        pytest.param(SCALED, BY_HAND, marks=pytest.mark.long),
        pytest.param(BY_HAND, BESIDE, marks=pytest.mark.long),
    ],
)
def test_equal_values_of_which_another_has_learned(own_store: Path, first: str, then: str) -> None:
    pytest.importorskip("sklearn")
    path = own_store / "nb.ipynb"
    run(path, LEARNS.replace("{scaled}", first), resumed=True)
    resumed = run(path, LEARNS.replace("{scaled}", then), resumed=True)
    full = run(path, LEARNS.replace("{scaled}", then), resumed=False)
    assert [f.code for f in full.findings if f.code.startswith("NBS30")], "it leaks"
    assert resumed.findings == full.findings


READS = """
# %% [1]
import sys
# %% [2]
def late():
    import helper
    return helper.value
with open("data.csv") as file:
    rows = file.read()
# %% [3]
late()
# %% [4]
print(len(rows))
"""


@pytest.mark.corpus
@pytest.mark.kernel
def test_files_that_reused_runs_have_read_are_of_the_environment(own_store: Path) -> None:
    (own_store / "helper.py").write_text("value = 1\n", encoding="utf-8")
    (own_store / "data.csv").write_text("1,2\n", encoding="utf-8")
    path = own_store / "nb.ipynb"
    run(path, READS, resumed=True)
    edited = READS.replace("print(len(rows))", "print(len(rows) + 1)")
    reports = [run(path, edited, resumed=resumed) for resumed in (True, False)]
    environments = [report.notebooks[0].environment for report in reports]
    assert environments[0] == environments[1]
    assert environments[0] is not None
    assert [entry.name for entry in environments[0].files] == ["data.csv", "helper.py"]


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("defines", "calls"),
    tiers.every_row(
        4,
        [
            ("lazy = (n * limit for n in range(4))", "sum(lazy)"),
            ("def f():\n    return limit", "f()"),
            ("f = lambda: limit", "total = f()"),
            ("class Of:\n    def m(self):\n        return limit\nof = Of()", "of.m()"),
        ],
    ),
)
def test_a_traceback_tells_the_numbers_of_all_cells_that_it_went_through(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, defines: str, calls: str
) -> None:
    path, told = own_store / "nb.ipynb", list[str]()
    run_of = KernelSession.run

    def noted(kernel: KernelSession, cell: Cell, step: int) -> CellResult:
        result = run_of(kernel, cell, step)
        told.extend([result.failure.traceback] if result.failure is not None else [])
        return result

    monkeypatch.setattr(KernelSession, "run", noted)
    for above in (["x = 1", defines], [defines, "x = 1"]):
        page = [f"# %% [{n}]\n{text}" for n, text in enumerate([*above, calls], 1)]
        told.clear()
        run(path, "\n".join(page), resumed=True)
    assert told
    assert all("Cell In[3]" in each and "Cell In[1]" in each for each in told)


TOUCHES = """
# %% [1]
rows = [1]
# %% [2]
rows.append(2)
# %% [3]
print(rows)
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_may_have_been_changed_is_not_held_for_that(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    run(path, TOUCHES, resumed=True)
    page = TOUCHES.replace("# %% [2]", "# %% [4]\nother = [5]\n# %% [2]")
    run(path, page, resumed=True)
    makenb.write(path, page.replace("print(rows)", "print(rows[0])"))
    assert held_at_the_end(path) >= {"rows", "other"}


@pytest.mark.kernel
def test_a_name_that_is_bound_to_what_it_held(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    again = "from __future__ import division\nimport math as m\n"
    page = f"# %% [1]\n{again}\n# %% [2]\n{again}half = 1 / 2\n# %% [3]\nhalf\n"
    run(path, page, resumed=True)
    _, _, without_first = page.partition("\n\n")
    makenb.write(path, without_first)
    assert held_at_the_end(path) >= {"m", "division", "half"}


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_future_that_was_there_is_bound_where_it_is_not(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    first, second = "from __future__ import division", "from __future__ import division\nhalf = 1"
    both = f"# %% [1]\n{first}\n# %% [2]\n{second}\n# %% [3]\nhalf\n"
    run(path, both, resumed=True)
    alone = f"# %% [2]\n{second}\n# %% [3]\nhalf\n"
    makenb.write(path, alone)
    graph, config = python_graph(path, {})
    facts, _ = facts_of(graph, None, config)
    with ExitStack() as stack:
        told = []
        for make in states.session_makers(stack, facts, graph, path, Reuse(), copies=False):
            with states.running(make, "clean", path) as each:
                results = states.run_all(each, graph.notebook.code_cells)
                told.append([sorted(result.after) for result in results])
    assert told[0] == told[1]


WITHOUT_A_WORD = """
# %% [1]
limit = 3
# %% [2]
class Table:
    def query(self, text):
        return eval(text.replace("@", ""), globals())
table = Table()
# %% [3]
held = {"by": lambda: limit}
lazy = map(lambda n: n + limit, [1, 2])
later = (limit * n for n in [1, 2])
# %% [4]
held["by"]()
# %% [5]
list(lazy)
# %% [6]
also = held
# %% [7]
list(later), also["by"]()
# %% [8]
table.query("@limit + 1")
# %% [9]
exec("hidden = limit * 2")
# %% [10]
hidden
# %% [11]
sorted(name for name in globals() if name.startswith("li"))
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_a_text_reads_without_a_word(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    run(path, WITHOUT_A_WORD, resumed=True)
    for old, new in (("limit = 3", "limit = 4"), ("limit = 3", "limit = 3\nlist_of = 1")):
        page = WITHOUT_A_WORD.replace(old, new)
        assert shown_page(path, page, resumed=True) == shown_page(path, page, resumed=False)


SEEDED = """
# %% [1]
import random
from decimal import Decimal
random.seed(1)
values = {"all": {8, 0}}
# %% [2]
random.random()
# %% [3]
print(values)
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_seed_and_the_order_of_a_set(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    run(path, SEEDED, resumed=True)
    for old, new in (("seed(1)", "seed(2)"), ("{8, 0}", "{0, 8}")):
        page = SEEDED.replace(old, new)
        assert shown_page(path, page, resumed=True) == shown_page(path, page, resumed=False)


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_seed_in_the_cell_that_imports(own_store: Path) -> None:
    pytest.importorskip("numpy")
    path = own_store / "nb.ipynb"
    page = "# %% [1]\nimport numpy as np\nnp.random.seed(1)\n# %% [2]\nnp.random.rand()\n"
    run(path, page, resumed=True)
    assert run(path, page, resumed=True).notebooks[0].remarks[0].startswith("2 of 2 runs reused")
    page = page.replace("seed(1)", "seed(2)")
    assert shown_page(path, page, resumed=True) == shown_page(path, page, resumed=False)


BESIDE_A_CHANGE = """
# %% [1]
rows = [1]
# %% [2]
other = [{number}]
# %% [3]
rows.append(2)
# %% [4]
print({asked}other)
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_stands_beside_a_change_that_is_reused(own_store: Path) -> None:
    """The third cell may change `other`, as it was made anew, and does not look at it."""
    path = own_store / "nb.ipynb"
    for number in (10, 11, 12):
        page = BESIDE_A_CHANGE.format(number=number, asked="")
        assert shown_page(path, page, resumed=True)[-1].split() == [f"[{number}]"]
    for number in (11, 10, 12):
        page = BESIDE_A_CHANGE.format(number=number, asked="'also', ")
        assert shown_page(path, page, resumed=True)[-1].split() == ["also", f"[{number}]"]


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_kept_value_that_stood_beside_a_change(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEAST_S", "_WORTH_S", "_LONG_S", "_LEAST_SPENT_S"):
        monkeypatch.setattr(keeping_budget, name, 0.0)
    for name in ("MOST_SHARE", "_WAIT_SHARE"):
        monkeypatch.setattr(keeping_budget, name, 1e6)
    path = own_store / "nb.ipynb"
    for number in (10, 11, 12):
        for asked in ("", "'also', "):
            page = BESIDE_A_CHANGE.format(number=number, asked=asked)
            assert shown_page(path, page, resumed=True)[-1].split()[-1] == f"[{number}]"


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_kernel_that_dies_while_it_catches_up(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = own_store / "nb.ipynb"
    run(path, TOUCHES, resumed=True)
    execute, left = LiveKernel.execute, [1]

    def dying(kernel: LiveKernel, *about: Any) -> Executed:
        executed = execute(kernel, *about)
        if left and kernel.process is not None:
            left.pop()
            kernel.process.kill()
        return executed

    monkeypatch.setattr(LiveKernel, "execute", dying)
    page = TOUCHES.replace("print(rows)", "print(rows[0])")
    assert shown_page(path, page, resumed=True)[-1] == "1\n"
    assert not left, "it was killed"


BY_WAY_OF_VALUES = """
# %% [1]
import random
source = random.Random(1)
log = []
also = log
# %% [2]
class Store:
    def draw(self, n):
        log.append(n)
        return [source.random() for _ in range(n)]
stores = [Store()]
by = {"draw": lambda n: [source.random() for _ in range(n)]}
# %% [3]
drawn = {0: [store.draw(3) for store in stores]}
# %% [4]
more = [call(2) for call in by.values()]
# %% [5]
print(source.random())
# %% [6]
print(also)
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_is_changed_by_way_of_values(own_store: Path) -> None:
    """A list of objects is all that the third cell mentions; their method changes globals."""
    path = own_store / "nb.ipynb"
    run(path, BY_WAY_OF_VALUES, resumed=True)
    for edits in (
        [("draw(3)", "draw(4)")],
        [("print(source", "print(1, source")],
        [("call(2)", "call(3)")],
        [("print(source", "print(2, source"), ("draw(3)", "draw(5)")],
        [("print(also", "print(3, also")],
        [("print(also", "print(also, 4"), ("draw(3)", "draw(6)")],
    ):
        page = BY_WAY_OF_VALUES
        for old, new in edits:
            page = page.replace(old, new)
        assert shown_page(path, page, resumed=True) == shown_page(path, page, resumed=False)


ESTIMATORS = """
# %% [1]
from sklearn.linear_model import LinearRegression, LogisticRegression
# %% [2]
unread = 1
# %% [3]
LogisticRegression()
# %% [4]
model = LinearRegression()
# %% [5]
model
# %% [6]
page = model._repr_html_()
# %% [7]
print(page[-400:])
"""


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("# %% [5]\n", "# %% [5]\nother = 1\n", marks=pytest.mark.corpus),
        pytest.param("unread = 1", "LinearRegression()", marks=pytest.mark.long),
        pytest.param(
            "[3]\nLogisticRegression()", "[3]\nLogisticRegression();", marks=pytest.mark.long
        ),
    ],
)
def test_estimators_that_are_shown_are_numbered(own_store: Path, old: str, new: str) -> None:
    pytest.importorskip("sklearn")
    path = own_store / "nb.ipynb"
    run(path, ESTIMATORS, resumed=True)
    page = ESTIMATORS.replace(old, new)
    forms = [_pages_shown(path, page, resumed=resumed) for resumed in (True, False)]
    assert forms[0] == forms[1]
    assert "sk-container-id-" in "".join(forms[1])


def _pages_shown(path: Path, page: str, *, resumed: bool) -> list[str]:
    """Return what the cells of a page show as HTML."""
    makenb.write(path, page)
    config = configuration(path, {"resume": "on" if resumed else "off"})
    each = session.NotebookSession(path, config)
    try:
        each.outcome(0)
        trial = each.trial
        assert trial is not None, "it has been run"
        outputs = [output for result in trial.clean.results for output in result.outputs]
        return [str(output.data.get("text/html", output.text)) for output in outputs]
    finally:
        each.close()


def held_at_the_end(path: Path) -> set[str]:
    """Return the names that a kernel holds that reuses what it can, after all cells."""
    graph, config = python_graph(path, {})
    facts, _ = facts_of(graph, None, config)
    with ExitStack() as stack:
        makers = states.session_makers(stack, facts, graph, path, Reuse(), copies=False)
        with states.running(next(makers), "clean", path) as remembering:
            states.run_all(remembering, graph.notebook.code_cells)
            holding = remembering.sweep()
            assert holding is not None, "it answers"
            return set(holding.names)


WARNS = """
# %% [1]
import warnings
kept = []
# %% [2]
{comment}warnings.warn("few rows")
count = 3
# %% [3]
kept.append(count)
# %% [4]
print(kept)
"""


@pytest.mark.kernel
@pytest.mark.parametrize("comment", ["# why\n\n", "other = 1\n"])
def test_a_comment_in_a_cell_that_warns(own_store: Path, comment: str) -> None:
    path = own_store / "nb.ipynb"
    run(path, WARNS.replace("{comment}", ""), resumed=True)
    page = WARNS.replace("{comment}", comment)
    reports = [run(path, page, resumed=resumed) for resumed in (True, False)]
    assert reports[0].findings == reports[1].findings


WRITES = """
# %% [1]
import os
# %% [5]
no_longer_read = 1
# %% [2]
os.mkdir("made")
with open("made/out.txt", "w") as file:
    written = file.write("x")
with open("log.txt", "a") as file:
    written = file.write("x")
# %% [3]
lines = open("log.txt").read()
# %% [4]
print(lines)
"""


@pytest.mark.kernel
@pytest.mark.parametrize("is_there", tiers.by_hand(2, [True, False]))
def test_what_a_second_kernel_finds_in_the_folder(own_store: Path, *, is_there: bool) -> None:
    """The first did not run all, and then a text asks for what IPython keeps of each."""
    path = own_store / "nb.ipynb"
    page = WRITES.replace("print(lines", "print(bool(In), lines")
    ends = []
    for resumed, each in ((True, WRITES), (True, page), (False, page)):
        remove(own_store)
        if is_there:
            (own_store / "log.txt").write_text("before ", encoding="utf-8")
        outputs = shown_page(path, each, resumed=resumed)
        files = {file.name: file.read_text(encoding="utf-8") for file in own_store.rglob("*.txt")}
        ends.append((outputs, files))
    assert ends[2][1] == {"out.txt": "x", "log.txt": "before x" if is_there else "x"}
    assert ends[1] == ends[2]


def remove(folder: Path) -> None:
    """Remove what a page has made."""
    (folder / "log.txt").unlink(missing_ok=True)
    shutil.rmtree(folder / "made", ignore_errors=True)
