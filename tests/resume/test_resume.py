"""Notebooks that are run again: only what changed runs, and nothing else is found than in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import makenb
import pytest
import tiers

from pytest_nbsafe.app import run_store, session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report
from pytest_nbsafe.resume import recalling
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store import place

NB = """
# %% [1]
import helper
limit = 3
# %% [2]
with open("data.txt") as file:
    numbers = [int(line) for line in file]
# %% [3]
def small(values):
    return [value for value in values if value < limit]
few = small(numbers)
# %% [4]
doubled = helper.twice(len(numbers))
# %% [5]
print(few)
# %% [6]
print(doubled)
"""


class Runs:
    """A notebook in a folder of its own, and which of its cells each run has to make."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.path = folder / "nb.ipynb"
        self.kernels: list[RememberingKernel] = []
        before = RememberingKernel.__init__

        def noted(kernel: RememberingKernel, *args: Any) -> None:
            before(kernel, *args)
            self.kernels.append(kernel)

        monkeypatch.setattr(RememberingKernel, "__init__", noted)
        self.started = 0
        start = LiveKernel.start

        def counted(kernel: LiveKernel) -> None:
            self.started += 1
            start(kernel)

        monkeypatch.setattr(LiveKernel, "start", counted)

    def write(self, text: str) -> None:
        makenb.write(self.path, text)

    def run(self, **settings: Any) -> Report:
        self.kernels.clear()
        self.started = 0
        chosen = {"resume": "on", **settings}
        return session.examine(self.path, configuration(self.path, chosen))

    def made(self, **settings: Any) -> list[int]:
        """Run it, and return which of the page's cells had to run, in its first kernel."""
        self.run(**settings)
        return sorted(self.kernels[0].reasons)

    @property
    def are_asleep(self) -> bool:
        """Whether the last run has started no kernel."""
        return self.started == 0


@pytest.fixture
def runs(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    (own_store / "data.txt").write_text("1\n2\n5\n", encoding="utf-8")
    (own_store / "helper.py").write_text("def twice(n):\n    return 2 * n\n", encoding="utf-8")
    return Runs(own_store, monkeypatch)


def test_what_changes_runs_and_what_hangs_on_it(runs: Runs) -> None:
    runs.write(NB)
    assert runs.made() == [1, 2, 3, 4, 5, 6]
    assert runs.made() == []
    assert runs.are_asleep

    runs.write(
        NB.replace("limit = 3", "limit = 3  # as agreed").replace("# %% [5]\n", "# %% [5]\n\n")
    )
    assert runs.made() == []
    assert runs.are_asleep

    runs.write(NB.replace("limit = 3", "limit = 4"))
    made = runs.made()
    assert made == [1, 3, 4], "4 uses a module that 1 has used; what they make is equal"

    (runs.folder / "data.txt").write_text("1\n2\n6\n", encoding="utf-8")
    runs.write(NB)
    made = runs.made()
    assert made[0] == 2
    assert not {1, 5, 6} & {*made}, "the values that they read are equal"

    runs.write(NB.replace("print(few)", "print(few, few)"))
    assert runs.made() == [5]
    runs.write(NB)
    assert runs.made() == []


@pytest.mark.corpus
def test_a_new_run_is_noted_while_the_next_is_made(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So nobody waits for it; not after the last, nor where the next may be known."""
    told: list[str] = []
    execute, kept = LiveKernel.execute, recalling.kept

    def executed(kernel: LiveKernel, source: str, *about: Any) -> Any:
        told.append(f"run {source}")
        try:
            return execute(kernel, source, *about)
        finally:
            told.append("ran")

    def noted(memory: Any, source: str, *about: Any) -> str:
        told.append(f"note {source}")
        return kept(memory, source, *about)

    monkeypatch.setattr(LiveKernel, "execute", executed)
    monkeypatch.setattr(recalling, "kept", noted)
    runs.write("# %% [1]\na = 1\n# %% [2]\nb = a\n# %% [3]\nc = b")
    assert runs.made() == [1, 2, 3]
    first = ["run a = 1", "ran", "run b = a", "note a = 1", "ran", "run c = b", "note b = a", "ran"]
    assert told == [*first, "note c = b"]
    told.clear()
    runs.write("# %% [1]\na = 2\n# %% [2]\nb = a\n# %% [3]\nc = b + 1")
    assert runs.made() == [1, 2, 3]
    in_turn = ["run a = 2", "ran", "note a = 2", "run b = a", "ran"]
    assert told == [*in_turn, "run c = b + 1", "note b = a", "ran", "note c = b + 1"]


GOES_ON = """
# %% [1]
limit = 3
# %% [2]
def small(values):
    return [value for value in values if value < limit]
# %% [3]
held = HELD
# %% [4]
limit = 4
# %% [5]
left = (each if type(each) is int else each(range(9)) for each in held)
next(left)
# %% [6]
print(next(left))
"""


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("held", "made"),
    [("small(range(9))", [4]), ("[small, small]", [4, 5, 6])],
    ids=["no code", "code"],
)
def test_what_goes_on_reads_what_code_in_its_values_reads(
    runs: Runs, held: str, made: list[int]
) -> None:
    page = GOES_ON.replace("HELD", held)
    runs.write(page)
    runs.made()
    runs.write(page.replace("limit = 4", "limit = 2"))
    assert runs.made() == made


@pytest.mark.corpus
@pytest.mark.parametrize(("was", "now", "shares"), [("[2]", "[5]", False), ("[a]", "[a, 5]", True)])
def test_what_shares_nothing_with_what_is_new_is_not_run_again(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, was: str, now: str, *, shares: bool
) -> None:
    ran: list[str] = []
    execute = LiveKernel.execute

    def noted(kernel: LiveKernel, source: str, *more: Any) -> Executed:
        ran.append(source)
        return execute(kernel, source, *more)

    monkeypatch.setattr(LiveKernel, "execute", noted)
    page = "# %% [1]\na = [1]\n# %% [2]\nb = HERE\n# %% [3]\na.append(3)\n# %% [4]\nprint(b)\n"
    runs.write(page.replace("HERE", was))
    runs.run()
    assert "a.append(3)" in ran
    ran.clear()
    runs.write(page.replace("HERE", now))
    runs.run()
    assert {"print(b)", f"b = {now}"} <= {*ran}
    assert ("a.append(3)" in ran) is shares


SETTING = """
# %% [1]
import warnings
warnings.simplefilter("ignore")
neat = lambda table: len(table) + more
more = 1
# %% [2]
table = [1, 2]
# %% [3]
unrelated = 1
# %% [4]
print(table)
"""


@pytest.mark.corpus
def test_the_arguments_of_a_lambda_are_no_names_of_the_notebook(runs: Runs) -> None:
    """What it reads counts as read, and changed, wherever the setting beside it is in force."""
    runs.write(SETTING)
    runs.made()
    runs.write(SETTING.replace("unrelated = 1", "unrelated = 2"))
    assert runs.made() == [3]


LARGE = """
# %% [1]
import numpy as np
import pandas as pd
table = pd.DataFrame({"a": np.arange(9_000_000), "b": 1.0})
# %% [2]
HERE
# %% [3]
print(table["a"].max())
"""


@pytest.mark.parametrize(
    ("was", "now", "runs_below"),
    tiers.every_row(
        2,
        [
            ("table.loc[0, 'a'] = 10_000_000", "table.loc[0, 'a'] = 20_000_000", True),
            ("m = table['a'].mean()", "m = float(table['a'].median())", False),
        ],
    ),
)
def test_a_table_that_is_too_large_to_compare(
    runs: Runs, was: str, now: str, *, runs_below: bool
) -> None:
    pandas = pytest.importorskip("pandas")
    if int(pandas.__version__.split(".")[0]) < 3:
        pytest.skip("tables may share what they hold before pandas 3")
    runs.write(LARGE.replace("HERE", was))
    runs.made()
    runs.write(LARGE.replace("HERE", now))
    made = runs.made()
    assert 2 in made
    assert (3 in made) is runs_below


def test_a_module_of_the_project_changes(runs: Runs) -> None:
    runs.write(NB)
    runs.made()
    (runs.folder / "helper.py").write_text(
        "def twice(n):\n    return n + n + 1\n", encoding="utf-8"
    )
    made = runs.made()
    assert 4 in made
    assert 6 in made
    assert runs.kernels[0].reasons[1] == "helper.py changed"


UNKEYED = """
# %% [1]
import time, random
total = 3
# %% [2]
now = time.time() > 0
# %% [3]
print(total)
# %% [4]
print(now)
"""


def test_what_cannot_be_keyed_runs_again(runs: Runs) -> None:
    runs.write(UNKEYED)
    runs.made()
    assert runs.made() == [2], "the clock is asked anew, and says the same to those that read it"


WRITES = """
# %% [1]
with open("out.txt", "a") as file:
    file.write("x")
# %% [2]
there = len(open("out.txt").read()) > 0
# %% [3]
print(there)
"""


def test_a_cell_that_writes_a_file_runs_again(runs: Runs) -> None:
    runs.write(WRITES)
    assert runs.made() == [1, 2, 3]
    made = runs.made()
    assert 1 in made
    assert 2 in made, "the file is longer now"
    assert 3 not in made


ALIAS = """
# %% [1]
first = [1]
second = first
# %% [2]
second.append(2)
# %% [3]
print(first)
"""


def test_a_change_through_an_alias_is_seen(runs: Runs) -> None:
    runs.write(ALIAS)
    runs.made()
    runs.write(ALIAS.replace("append(2)", "append(3)"))
    assert runs.made() == [2, 3]


FAILS = """
# %% [1]
items = {}
# %% [2]
items["price"]
# %% [3]
print(len(items))
"""


def test_the_report_is_that_of_a_full_run(runs: Runs) -> None:
    runs.write(FAILS)
    full = runs.run(resume="off")
    first, again = runs.run(), runs.run()
    assert runs.are_asleep
    assert full.findings == first.findings == again.findings
    assert [finding.code for finding in again.findings] == ["NBS401"]
    assert full.notebooks[0].verdict == again.notebooks[0].verdict


@pytest.mark.corpus
def test_what_another_has_written_to_the_store_is_not_believed(runs: Runs) -> None:
    runs.write(NB)
    runs.made()
    secret = runs.folder.parent / "cache" / "runs" / "secret"
    secret.write_bytes(b"0" * 32)
    run_store.forget()
    assert runs.made() == [1, 2, 3, 4, 5, 6]


@pytest.mark.corpus
def test_a_store_in_the_repository_needs_a_secret_of_the_pipeline(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs.folder / "pyproject.toml").write_text("[project]\nname='a'\n", encoding="utf-8")
    monkeypatch.setenv(place.VARIABLE, str(runs.folder / ".cache"))
    place.folder.cache_clear()
    runs.write(FAILS.replace('items["price"]', "len(items)"))
    (notebook,) = runs.run().notebooks
    assert any("lies in the repository" in remark for remark in notebook.remarks)
    assert not runs.kernels
    monkeypatch.setenv("NBSAFE_STORE_SECRET", "of the pipeline")
    runs.run()
    (notebook,) = runs.run().notebooks
    assert not any("repository" in remark for remark in notebook.remarks)
    assert runs.are_asleep


@pytest.mark.corpus
def test_a_cell_that_reads_what_ipython_keeps_runs_again(runs: Runs) -> None:
    runs.write("\n# %% [1]\n1 + 1\n# %% [2]\nkept = _ + 1\n# %% [3]\nprint(kept)\n")
    runs.made()
    assert runs.made() == [2]
    assert json.loads(runs.path.read_text(encoding="utf-8"))["cells"]


@pytest.mark.corpus
def test_an_edited_cell_finds_what_ipython_keeps(runs: Runs) -> None:
    page = "\n# %% [1]\n1 + 1\n# %% [2]\nfor _ in range(2): pass\n# %% [3]\nprint(Out[1])\n"
    runs.write(page)
    runs.made()
    assert runs.made() == [3], "what only binds them asks for nothing"
    runs.write(page.replace("Out[1]", "Out[1], _"))
    full, resumed = runs.run(resume="off"), runs.run()
    assert resumed.findings == full.findings == (), "they are there"


def test_what_is_saved_is_told(runs: Runs) -> None:
    runs.write(NB.replace("print(few)", "print(few, 1)"))
    runs.made()
    runs.write(NB)
    (notebook,) = runs.run().notebooks
    (remark,) = (remark for remark in notebook.remarks if "reused" in remark)
    assert remark.startswith("5 of 6 runs reused, ")
    assert remark.endswith("; run again: cell 5")
    assert notebook.costs[0].cpu_s < 5


HIDDEN = """
# %% [1]
import threading
# %% [2]
thread = threading.get_native_id()
# %% [3]
print(thread > 0)
"""


@pytest.mark.corpus
def test_what_would_be_reused_wrongly_is_told(runs: Runs) -> None:
    runs.write(HIDDEN)
    runs.made()
    (notebook,) = runs.run(resume="verify").notebooks
    assert len(runs.kernels[0].reasons) == 3, "everything is run"
    told = [remark for remark in notebook.remarks if "would have been reused" in remark]
    assert [remark.partition(" would")[0] for remark in told] == ["run 2"]
    runs.write(NB)
    runs.made()
    (notebook,) = runs.run(resume="verify").notebooks
    assert notebook.remarks == ()
    assert len(runs.kernels[0].reasons) == 6


SHOWS = """
# %% [1]
import threading
print({})
# %% [2]
number = 3
"""


def test_what_a_cell_shows_that_runs_again_is_compared(runs: Runs) -> None:
    """The native id is another in each kernel, and no value holds it."""
    page = SHOWS.format("threading.get_native_id()")
    runs.write(page)
    runs.made()
    (notebook,) = runs.run(resume="verify").notebooks
    assert notebook.remarks == ("run 1 would have been reused, but shows something else",)
    runs.write(page.replace("3", "4"))
    (notebook,) = runs.run().notebooks
    assert notebook.remarks == ("cell 1 gave something else than before: all was run anew",)
    assert runs.made() == [1, 2], "nothing was kept of that"
    assert runs.made() == [1], "it is never reused again"


@pytest.mark.corpus
def test_what_chance_decides_of_it_is_not(runs: Runs) -> None:
    page = SHOWS.format("threading.Lock()")
    runs.write(page)
    runs.made()
    assert runs.run(resume="verify").notebooks[0].remarks == ()
    runs.write(page.replace("3", "4"))
    assert runs.made() == [2]
    assert runs.made() == []


COUNTS = """
# %% [1]
import helper
# %% [2]
helper.count()
# %% [3]
number = helper.count()
# %% [4]
print(number)
"""


def test_what_modules_of_the_project_hold_is_followed(runs: Runs) -> None:
    text = "held = []\ndef count():\n    held.append(1)\n    return len(held)\n"
    (runs.folder / "helper.py").write_text(text, encoding="utf-8")
    runs.write(COUNTS)
    runs.made()
    runs.write(
        COUNTS.replace("helper.count()\n# %% [3]", "helper.count(); helper.count()\n# %% [3]")
    )
    assert runs.made() == [2, 3, 4]


@pytest.mark.corpus
def test_many_notebooks_with_cells_of_one_text(runs: Runs) -> None:
    for number in range(10):
        runs.path = runs.folder / f"nb{number}.ipynb"
        runs.write(f"\n# %% [1]\nx = {number}\n# %% [2]\ny = 2 * x\n")
        runs.made()
    for number in range(10):
        runs.path = runs.folder / f"nb{number}.ipynb"
        assert runs.made() == []
        assert runs.are_asleep


SETS = """
# %% [1]
names = ["a", "b", "c", "d", "e", "f", "g"]
# %% [2]
letters = set(names)
number = len(names)
# %% [3]
listed = list(letters)
# %% [4]
print(number)
"""


@pytest.mark.corpus
def test_an_equal_set_may_come_in_another_order(runs: Runs) -> None:
    runs.write(SETS)
    runs.made()
    runs.write(
        SETS.replace("set(names)", "{*names, *map(str, range(99))} - {*map(str, range(99))}")
    )
    assert runs.made() == [2, 3]


def test_a_comment_in_a_cell_that_warns(runs: Runs) -> None:
    page = "# %% [1]\n{}import warnings\nwarnings.warn('few')\n# %% [2]\nprint(1)\n"
    runs.write(page.format(""))
    assert runs.made() == [1, 2]
    runs.write(page.format("# why\n\n"))
    assert runs.made() == []
    assert runs.are_asleep


LEARNS = """
# %% [1]
weakref = {limit}
# %% [2]
import pandas as pd
frame = pd.DataFrame({{"a": [1, 2]}})
# %% [3]
print(weakref)
"""


@pytest.mark.corpus
def test_a_cell_does_not_read_what_our_own_code_names(runs: Runs) -> None:
    """What watches the learning is loaded amid the cell that imports pandas."""
    runs.write(LEARNS.format(limit="[1]"))
    assert runs.made() == [1, 2, 3]
    runs.write(LEARNS.format(limit="[2]"))
    assert runs.made() == [1, 3]
