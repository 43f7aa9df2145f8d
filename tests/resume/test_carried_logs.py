"""What was learned by cells that are not run again is known in the kernel of those that are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import makenb
import pytest
import tiers

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.kernel.checkpoint_contract import CarriedLog, CarryQuestion
from pytest_nbsafe.resume import carried_logs, keeping_budget
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.runner.live_kernel import LiveKernel
from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

PAGE = """
# %% [1]
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.metrics import accuracy_score
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
def late(value):
    sum(number * number for number in range(4_000_000))
    return value
# %% [2]
scaler = StandardScaler()
S = late(scaler.fit_transform(X))
# %% [3]
train, test, ytrain, ytest = late(train_test_split(S, y, random_state=0))
# %% [4]
models = late({"one": [LogisticRegression().fit(train, ytrain)]})
# %% [5]
guess = models["one"][0].predict(test)
# %% [6]
count = len(test)
# %% [7]
print(round(accuracy_score(ytest, guess), 3))
# %% [8]
print(round(models["one"][0].score(test, ytest), 3))
"""
BOTH = "rows = np.vstack([train, test]); models['one'][0].fit(rows, np.r_[ytrain, ytest])"


FIRST, LAST, COUNT = "print(round(acc", "print(round(models", "count = len(test)"


class Pages:
    """A page in a folder of its own, its leaks, and which logs were brought to a kernel."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.restored = path, list[str]()
        self.environment: Environment | None = None
        self.kernels: list[RememberingKernel] = []
        carry, begin = LiveKernel.carry, RememberingKernel.__init__

        def seen(kernel: LiveKernel, asked: CarryQuestion) -> CarriedLog:
            told = carry(kernel, asked)
            if asked["do"] == "restore":
                self.restored.append(told["cause"])
            return told

        def noted(kernel: RememberingKernel, *args: Any) -> None:
            begin(kernel, *args)
            self.kernels.append(kernel)

        monkeypatch.setattr(LiveKernel, "carry", seen)
        monkeypatch.setattr(RememberingKernel, "__init__", noted)

    def leaks(self, page: str, resume: str = "on") -> list[Finding]:
        self.restored.clear()
        self.kernels.clear()
        makenb.write(self.path, page)
        report = session.examine(self.path, configuration(self.path, {"resume": resume}))
        self.environment = report.notebooks[0].environment
        return [found for found in report.findings if found.code.startswith("NBS3")]

    def made(self) -> list[int]:
        """Return which cells had to run, in the first kernel of the last report."""
        return sorted(self.kernels[0].reasons)


@pytest.fixture
def pages(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    pytest.importorskip("sklearn")
    for name in ("MOST_SHARE", "_WAIT_SHARE"):
        monkeypatch.setattr(keeping_budget, name, 2.0)
    return Pages(own_store / "nb.ipynb", monkeypatch)


@pytest.mark.parametrize(
    "edits",
    tiers.by_hand(
        4,
        [
            {LAST: "print('score', round(models"},
            {FIRST: "print('of', count, round(acc"},
            {"guess = models": "# two lines\n\nguess = models", FIRST: "print('', round(acc"},
            {"S = late": "# why\nS = late", LAST: "print(1, round(models"},
            {LAST: f"{BOTH}\n{LAST}"},
            {COUNT: "other = test\ndel test", "score(test": "score(other"},
            {COUNT: "moved = models.pop('one')", 'models["one"][0].score': "moved[0].score"},
            {COUNT: "test = test[:50]", FIRST: "ytest = ytest[:50]\nprint(round(acc"},
        ],
    ),
)
def test_leaks_after_an_edit_are_those_of_a_full_run(pages: Pages, edits: dict[str, str]) -> None:
    pages.leaks(PAGE)
    page = PAGE
    for old, new in edits.items():
        assert old in page
        page = page.replace(old, new)
    resumed, restored, environment = pages.leaks(page), [*pages.restored], pages.environment
    assert resumed == pages.leaks(page, "off")
    assert environment == pages.environment
    assert set(restored) <= {""}


MODELS = (
    PAGE[: PAGE.index("# %% [4]")]
    + """
# %% [4]
from sklearn.tree import DecisionTreeClassifier
tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(train, ytrain)
print(round(tree.score(test, ytest), 3))
# %% [5]
line = LogisticRegression().fit(train, ytrain)
print(round(line.score(test, ytest), 3))
# %% [6]
print(accuracy_score(ytest, tree.predict(test)) > 0.1)
# %% [7]
guess = line.predict(test)
print(round(accuracy_score(ytest, guess), 3))
# %% [8]
print([round(model.score(test, ytest), 3) for model in (tree, line)])
"""
)


@pytest.mark.long
def test_only_cells_that_read_a_model_run_again_after_it(pages: Pages) -> None:
    """What another cell learned from the same rows, be it otherwise, is nothing to the others."""
    before = pages.leaks(MODELS)
    assert [found.code for found in before] == ["NBS301"]
    other = MODELS.replace(
        "DecisionTreeClassifier(max_depth=2, random_state=0)", "late(LogisticRegression(C=3))"
    )
    resumed = pages.leaks(other)
    assert pages.made() == [4, 6, 8]
    assert pages.restored
    assert set(pages.restored) == {""}
    assert resumed == pages.leaks(other, "off")
    last = other.replace("print([", "print('all', [")
    resumed = pages.leaks(last)
    assert pages.made() == [8]
    assert pages.restored == [""], "what cells 4 to 7 learned, each in a kernel of its own"
    assert resumed == pages.leaks(last, "off")


MADE = {1: [1], 2: [2], 3: [3]}
"""Which cells run when one is edited and makes what it made: 2 and 3 call a function of 1, which
says what it said."""


@pytest.mark.parametrize("cell", tiers.by_hand(1, MADE))
def test_what_learns_from_equal_rows_made_anew_is_reused(pages: Pages, cell: int) -> None:
    """What is known of the rows is what was known."""
    pages.leaks(MODELS)
    edited = MODELS.replace(f"# %% [{cell}]\n", f"# %% [{cell}]\nthis_is = {cell}\n")
    resumed = pages.leaks(edited)
    assert pages.made() == MADE[cell]
    assert resumed == pages.leaks(edited, "off")
    again = edited.replace("print([", "print('all', [")
    resumed = pages.leaks(again)
    assert pages.made() == [8]
    assert len(pages.kernels) == 1
    assert resumed == pages.leaks(again, "off")


@pytest.mark.long
def test_what_was_made_between_of_equal_rows_is_known(pages: Pages) -> None:
    """Cell 4 learns from nothing, and is reused with what it found; cell 6 needs what it made."""
    page = (
        MODELS[: MODELS.index("# %% [4]")]
        + """
# %% [4]
part, ypart = late(train[:150]), ytrain[:150]
# %% [5]
line = late(LogisticRegression().fit(part, ypart))
# %% [6]
print(round(line.score(part, ypart), 3), round(line.score(test, ytest), 3))
"""
    )
    pages.leaks(page)
    edited = page.replace("S = late", "this_is = 2\nS = late")
    resumed = pages.leaks(edited)
    assert pages.made() == [2]
    assert resumed == pages.leaks(edited, "off")
    last = edited.replace("print(", "print('all', ")
    resumed = pages.leaks(last)
    assert pages.made() == [6]
    assert (len(pages.kernels), pages.restored) == (1, [""])
    assert resumed == pages.leaks(last, "off")


@pytest.mark.corpus
def test_what_nobody_could_tell_is_learned_again(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cell 5 would be reused, but the kernel has to know what it learned for cells 6 and 8."""
    monkeypatch.setattr(carried_logs.CarriedLogs, "keep", lambda *_: None)
    pages.leaks(MODELS)
    deeper = MODELS.replace("max_depth=2", "max_depth=3")
    resumed = pages.leaks(deeper)
    assert pages.made()[:3] == [4, 5, 6]
    assert len(pages.kernels) == 1
    assert resumed == pages.leaks(deeper, "off")


@pytest.mark.corpus
def test_what_learns_from_other_rows_is_told_apart(pages: Pages) -> None:
    """The same rows, by hash, but in another order: cell 5 may judge others."""
    pages.leaks(MODELS)
    fewer = MODELS.replace(
        "fit(train, ytrain)\nprint(round(tree", "fit(train[:99], ytrain[:99])\nprint(round(tree"
    )
    assert fewer != MODELS
    resumed = pages.leaks(fewer)
    assert pages.made() == [4, 5, 6, 7, 8]
    assert resumed == pages.leaks(fewer, "off")


@pytest.mark.corpus
def test_a_state_is_carried_beside_a_figure_that_stays_open(pages: Pages) -> None:
    """What a figure leads to is not followed, and what is not needed comes to no kernel."""
    pytest.importorskip("matplotlib")
    draws = "import matplotlib.pyplot as plt\nplt.switch_backend('agg')\nfig, ax = plt.subplots()"
    page = PAGE.replace("# %% [2]", f"other = StandardScaler().fit(X)\n{draws}\n# %% [2]")
    page = page.replace(COUNT, f"{COUNT}; ax.set_title('a');")
    pages.leaks(page)
    page = page.replace(LAST, f"ax.get_title()\n{LAST}")
    resumed, restored = pages.leaks(page), [*pages.restored]
    assert resumed == pages.leaks(page, "off")
    assert restored == [""]


@pytest.mark.corpus
def test_a_state_is_carried_from_kernel_to_kernel(pages: Pages) -> None:
    """The second kernel has the log of the first, and the third that of the second."""
    page = PAGE
    pages.leaks(page)
    for number in range(2):
        page = page.replace(LAST, f"again = {number}\nprint(round(models")
        page = page.replace("guess = models", f"first = {number}\nguess = models")
        resumed, restored = pages.leaks(page), [*pages.restored]
        assert resumed == pages.leaks(page, "off")
        assert restored[:1] == [""]


@pytest.mark.long
def test_a_kernel_with_other_hashes_runs_all(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    pages.leaks(PAGE)
    carry = LiveKernel.carry

    def other(kernel: LiveKernel, asked: CarryQuestion) -> CarriedLog:
        return carry(kernel, {**asked, "probe": "another"} if "probe" in asked else asked)

    monkeypatch.setattr(LiveKernel, "carry", other)
    page = PAGE.replace("print(round(models", "print('score', round(models")
    resumed, restored = pages.leaks(page), [*pages.restored]
    assert restored
    assert all(restored)
    assert resumed == pages.leaks(page, "off")


@pytest.mark.corpus
def test_nothing_is_kept_of_a_run_that_is_done_anew(own_store: Path) -> None:
    """It read a name that nobody thought it would, which it did not find."""
    path = own_store / "nb.ipynb"
    cells = (
        "import pandas as pd\nfrom sklearn.linear_model import LinearRegression",
        "x, y = pd.DataFrame({'a': [1, 2, 3]}), [1, 2, 4]\nmodel = LinearRegression().fit(x, y)",
        "limit = 1",
        "print(model.predict(x))",
        "few = 1",
    )
    shown(path, *cells, resumed=True)
    edited = (*cells[:4], "model.fit(x, y)\nfew = x.query('a > @li' + 'mit')")
    assert shown(path, *edited, resumed=True) == shown(path, *edited, resumed=False)
