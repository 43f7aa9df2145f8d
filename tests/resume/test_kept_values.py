"""Values of costly cells are kept, and loaded where a later cell is edited."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, cast

import makenb
import percent
import pytest
import tiers

from pytest_nbsafe.app import resuming, session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report
from pytest_nbsafe.judge import observed_leaks
from pytest_nbsafe.kernel.checkpoint_contract import (
    CollectQuestion,
    Keeping,
    KeepQuestion,
    Kept,
    KeptFile,
    Restored,
    RestoreItem,
    RestoreQuestion,
)
from pytest_nbsafe.kernel.learning import watched_calls
from pytest_nbsafe.resume import keeping_budget, kept_entries, kept_values, questions
from pytest_nbsafe.resume.memory import Memory, note_varying, why_unfit
from pytest_nbsafe.runner.kernel import Launch
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store import database
from pytest_nbsafe.values import replace

SLOW = "rows = [sum(i * i for i in range(6_000_000)) % 7, 1, 2, 3]"
MODEL = "model = LinearRegression().fit([[1], [2], [3], [4]], rows)"
IMPORTS = "from sklearn.linear_model import LinearRegression"

NOW = kept_values.Begun(kept_entries.Moment((), {}))


class Pages:
    """A notebook, run again and again, and what its kernels really had to run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "nb.ipynb"
        self.ran: list[str] = []
        execute = LiveKernel.execute

        def noted(kernel: LiveKernel, source: str, *rest: Any) -> Any:
            self.ran.append(source)
            return execute(kernel, source, *rest)

        monkeypatch.setattr(LiveKernel, "execute", noted)

    def run(self, *cells: str) -> Report:
        """Run a page of these cells."""
        self.ran.clear()
        makenb.write(self.path, percent.page_of(*cells))
        return session.examine(self.path, configuration(self.path, {"resume": "on"}))


@pytest.fixture
def pages(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    little = {"_WORTH_S": 0.05, "_LONG_S": 0.05, "_LEAST_SPENT_S": 0.06}
    little |= {"MOST_SHARE": 20.0, "_WAIT_SHARE": 20.0}
    for name, value in little.items():
        monkeypatch.setattr(keeping_budget, name, value)  # so that little is worth it
    return Pages(own_store, monkeypatch)


@pytest.mark.kernel
@pytest.mark.corpus
def test_before_a_cell_that_judges_what_learned_runs_or_is_known(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    for name in ("LEAST_S", "_LEAST_SPENT_S"):
        monkeypatch.setattr(keeping_budget, name, 0.005)  # however soon the model has learned
    above = IMPORTS, SLOW, MODEL, "held = {'rows': rows}"
    pages.run(*above, "rows")
    pages.run(*above, "rows[0]")
    assert pages.ran == ["pass", "rows[0]"]
    judged = "model.score([[1], [2]], rows[:2])"
    pages.run(*above, judged)
    assert pages.ran == ["pass", judged]  # the model is loaded, and what it learned from is known


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_took_long_is_kept_while_the_next_cell_runs(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_WAIT_SHARE", "_LEAST_SPENT_S"):
        monkeypatch.setattr(keeping_budget, name, 0.0)  # at the end there is no time for it
    waits = "sum(n * n for n in range(10_000_000))"
    pages.run(SLOW, waits, "rows")
    pages.run(SLOW, waits, "rows[0]")
    assert pages.ran == ["rows[0]"]


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_library_that_a_value_brings_knows_that_it_is_in_a_notebook(pages: Pages) -> None:
    """As pandas does, which shows all columns of a wide table there."""
    pytest.importorskip("pandas")
    made = "rows = pd.DataFrame({f'column_{n:02}': [n] for n in range(15)})"
    above = "import pandas as pd", f"sum(n * n for n in range(6_000_000))\n{made}"
    looks = "assert 'column_07' in repr(rows)"
    pages.run(*above, "len(rows)")
    again = pages.run(*above, looks)
    assert pages.ran == ["pass", looks]
    assert not again.findings


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_took_long_is_loaded_beside_a_figure_that_stays_open(pages: Pages) -> None:
    """Both come of what was there before, and the kernel saw that they share nothing of it."""
    pytest.importorskip("matplotlib.font_manager")  # whose first user on a machine starts a thread
    starts = "import matplotlib.pyplot as plt\nplt.switch_backend('agg')\nmost = [6_000_000]"
    draws, writes = "fig, ax = plt.subplots()\nax.plot(most);", "ax.set_title('a');"
    above = starts, draws, writes, SLOW.replace("6_000_000", "most[0]"), "n = 1"
    pages.run(*above, "plt.title(rows[0]);")
    pages.run(*above, "plt.title(rows[1]);")
    assert pages.ran == [starts, draws, writes, "plt.title(rows[1]);"]


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_the_last_cell_reads_has_time_of_its_own(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_WAIT_SHARE", "MOST_SHARE"):
        monkeypatch.setattr(keeping_budget, name, 0.0)  # there is no more than `_LEAST_SPENT_S`
    monkeypatch.setattr(keeping_budget, "_LIKELY_SHARE", 20.0)
    many = f"{SLOW}\nmany = [[n] for n in range(100_000)]"
    pages.run(many, "few = [[n] for n in many]", "len(many)")
    pages.run(many, "few = [[n] for n in many]", "len(many) + 1")
    assert pages.ran == ["len(many) + 1"]
    monkeypatch.setattr(keeping_budget, "_LIKELY_SHARE", 0.0)
    others = many.replace("100_000", "100_001")
    pages.run(others, "len(many)")
    pages.run(others, "len(many) + 1")
    assert pages.ran == [others, "len(many) + 1"]


@pytest.mark.kernel
@pytest.mark.parametrize("least_s", tiers.every(2, [0.05, 1e9]))
def test_what_is_made_again_for_its_values_is_counted(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, least_s: float
) -> None:
    monkeypatch.setattr(keeping_budget, "LEAST_S", least_s)
    is_made_again = least_s > 1
    pages.run(SLOW, "n = rows[0]")
    resumed = pages.run(SLOW, "n = rows[1]").notebooks[0].resumed
    assert (SLOW in pages.ran) is is_made_again
    assert resumed is not None
    assert resumed.reused == 1
    assert (resumed.again_s > 0) is is_made_again
    assert is_made_again or resumed.saved_s > 0


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_there_is_no_time_for_is_not_asked_for_again_and_again(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping_budget, "MOST_SHARE", 0.01)  # a million numbers take longer
    monkeypatch.setattr(keeping_budget, "_WAIT_SHARE", 0.0)
    monkeypatch.setattr(keeping_budget, "_MORE", 1e9)  # however long the other cells take
    asked: list[list[str]] = []
    keep = LiveKernel.keep

    def noted(kernel: LiveKernel, question: KeepQuestion) -> Keeping:
        asked.append(question["names"])
        return keep(kernel, question)

    monkeypatch.setattr(LiveKernel, "keep", noted)
    pages.run("many = [n % 7 for n in range(3_000_000)]", *(f"x{n} = {n}" for n in range(6)))
    assert sum("many" in names for names in asked) == 2  # and once at the end


@pytest.mark.kernel
def test_what_is_about_to_be_changed_is_kept_before(pages: Pages) -> None:
    pages.run(SLOW, "first = rows[0]", "rows.append(9)", "rows")
    pages.run(SLOW, "first = rows[1]", "rows.append(9)", "rows")
    assert pages.ran == ["first = rows[1]"]
    pages.run(SLOW, "first = rows[1]", "rows.append(9)", "rows[0]")
    assert SLOW not in pages.ran


TORN = ["a = [1]", f"n = {SLOW.partition('[')[2].partition(',')[0]}\nc = [a]", "a = 5", "print(c)"]


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("after", "added", "shown"),
    tiers.every_row(
        5,
        [
            (2, "a.append(9)", "[[1, 9]]"),
            (2, "d = [a]\na.append(9)", "[[1, 9]]"),
            (2, "c[0].append(9)\nassert a == [1, 9], a", "[[1, 9]]"),
            (2, "e = c\ne[0].append(9)\nassert a == [1, 9], a", "[[1, 9]]"),
            (3, "c.append(a)", "[[1], 5]"),
        ],
    ),
)
def test_what_shared_objects_before_it_was_kept_still_does(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, after: int, added: str, shown: str
) -> None:
    monkeypatch.setattr(keeping_budget, "_WORTH_S", 99.0)  # it is kept at the end, without `a`
    assert not pages.run(*TORN, "assert c == [[1]], c").findings
    page = [*TORN[:after], added, *TORN[after:], f"assert c == {shown}, c"]
    assert not pages.run(*page).findings
    kept = [*TORN[:after], *TORN[after:], "assert c == [[1]], len(c)"]
    assert not pages.run(*kept).findings
    assert TORN[1] not in pages.ran, "what tears nothing is loaded"


LOCKED = "import threading", f"{SLOW}\nheld = [rows, threading.Lock()]"


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_shares_with_what_cannot_be_kept_is_kept_alone(pages: Pages) -> None:
    pages.run(*LOCKED, "print(rows[1])")
    assert not pages.run(*LOCKED, "assert rows[1] == 1").findings
    assert pages.ran == [LOCKED[0], "assert rows[1] == 1"]
    appended = "held[0].append(9)\nassert rows[-1] == 9"
    assert not pages.run(*LOCKED, appended).findings
    assert pages.ran == [*LOCKED, appended], "both come of one run, and share what they shared"


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_small_table_is_kept_without_the_large_one_whose_columns_it_has(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_WAIT_SHARE", "MOST_SHARE"):
        monkeypatch.setattr(keeping_budget, name, 0.03)  # 240 MB take longer
    monkeypatch.setattr(keeping_budget, "_LEAST_SPENT_S", 0.15)
    imports = "import numpy as np, pandas as pd"
    makes = "df = pd.DataFrame(np.random.default_rng(1).normal(size=(3_000_000, 10)))"
    sums = "few = df.head(2) * 2\nfew.columns = df.columns"
    pages.run(imports, makes, sums, "few.shape")
    assert not pages.run(imports, makes, sums, "assert len(few) == 2").findings
    assert pages.ran == ["pass", "assert len(few) == 2"]
    named = "df.columns.name = 'all'\nassert few.columns.name == 'all'"
    assert not pages.run(imports, makes, sums, named).findings
    assert pages.ran == [imports, makes, sums, named]


def test_what_a_child_took_is_counted_once(tmp_path: Path) -> None:
    with closing(database.opened(tmp_path / "store")) as store:
        keeper = kept_values.Keeper(store, "context", "nb.ipynb")
        keeper._begun = {1: NOW}
        kept: Kept = {"done": True, "covariables": [], "cause": "", "cost_s": 0.25}
        for _ in range(3):
            keeper.note_kept(1, kept)
        assert keeper._budget._spent_s == 0.25


class Busy:
    """A kernel whose children take their time, and begins to keep nothing more."""

    alive = True

    def __init__(self, now_s: list[float]) -> None:
        self.asked: list[CollectQuestion] = []
        self._now_s = now_s

    def keep(self, _: KeepQuestion) -> Keeping:
        return {"ticket": 0, "cause": "there is no time for it"}

    def collect(self, question: CollectQuestion) -> Kept:
        self.asked.append(question)
        self._now_s[0] += min(question["wait_s"], 0.15)
        return {"done": True, "covariables": [], "cause": "", "cost_s": 0.2}


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Busy:
    now_s = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now_s[0])
    return Busy(now_s)


def test_children_at_the_same_time_are_waited_for_once(busy: Busy, tmp_path: Path) -> None:
    with closing(database.opened(tmp_path / "store")) as store:
        keeper = kept_values.Keeper(store, "context", "nb.ipynb")
        keeper._begun = {1: NOW, 2: NOW, 3: NOW}
        keeper._collect(cast("Any", busy), 0.2)
        assert [round(question["wait_s"], 9) for question in busy.asked] == [0.2, 0.05, 0.0]
        assert [question["stop"] for question in busy.asked] == [True, True, True]
        assert keeper._begun == {}


@pytest.mark.parametrize("likely_s", [0.0, 2.0])
def test_only_for_what_was_begun_one_waits(busy: Busy, tmp_path: Path, likely_s: float) -> None:
    with closing(database.opened(tmp_path / "store")) as store:
        keeper = kept_values.Keeper(store, "context", "nb.ipynb")
        keeper._begun = {1: NOW, 2: replace(NOW, likely_s=likely_s)}
        budget = keeper._budget
        budget.owed, budget._makers, budget._took_s = {"x": 9.0}, {"x": frozenset({0})}, [9.0]
        keeper._begin(cast("Any", busy), NOW.then, {"x": 9.0}, 0.1, waits=True, read=["x"])
        keeper.finish(cast("Any", busy))
        assert round(busy.asked[0]["wait_s"], 9) == keeping_budget._LEAST_SPENT_S + likely_s


def test_what_is_large_has_more_time_to_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits_s: list[float] = []

    class Loading:
        def restore(self, asked: RestoreQuestion, limit_s: float) -> list[Restored]:
            limits_s.append(limit_s)
            items = asked["covariables"]
            return [{"names": item["names"], "fingerprints": {}, "cause": ""} for item in items]

    with closing(database.opened(tmp_path / "store")) as store:
        keeper = kept_values.Keeper(store, "context", "nb.ipynb")
        for whole in (100, 2_000_000_000):
            files: list[KeptFile] = [{"name": "a" * 32, "size": 100, "whole": whole}]
            items: list[RestoreItem] = [{"names": ["x"], "files": files}]
            monkeypatch.setattr(keeper, "to_load", lambda _, items=items: items)
            keeper.load(cast("Any", Loading()), ())
    assert [round(limit_s) for limit_s in limits_s] == [60, 2460]


def test_what_varies_is_run_from_then_on(tmp_path: Path) -> None:
    with closing(database.opened(tmp_path / "store")) as store:
        memory = Memory(store, "context", "nb.ipynb", {"now()": "it asks"}, {}, {})
        entry = store.add("context", questions.of_cell("x = f()"), "nb.ipynb", {}, 1.0)
        assert [why_unfit(memory, text) for text in ("x = f()", "now()")] == ["", "it asks"]
        note_varying(memory, "x = f()", entry)
        assert "something else" in why_unfit(memory, "x = f()  # why")
        assert why_unfit(memory, "x = g()") == ""
        assert store.entries("context", questions.of_cell("x = f()")) == ()


def test_what_learning_is_watched_for_is_known(tmp_path: Path) -> None:
    launch = Launch("python3", cwd=tmp_path, learning=observed_leaks.watched())
    learners = resuming.learners(launch)
    assert {"sklearn", "torch"} <= learners.libraries
    assert {"pandas", "numpy"} <= learners.data
    assert {"fit", "train_test_split", "accuracy_score"} <= learners.words
    assert {"sum", "mean", "print"}.isdisjoint(learners.words)
    assert watched_calls.METHODS.keys() == resuming.LEARNING_METHODS
    assert watched_calls.FUNCTIONS.keys() == resuming.LEARNING_EFFECTS
