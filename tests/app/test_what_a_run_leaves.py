"""What the runs of one notebook do to the folder it lies in: what one run does."""

from __future__ import annotations

from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.app.session import NotebookSession, examine
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.trace.results import compared

pytestmark = pytest.mark.kernel

OUT_OF_ORDER = """
# %% [3]
import os, helper
from pathlib import Path
rate = 2
here, absolute = os.getcwd(), Path("log.csv").resolve()
places = {"here": [here], 1: (absolute,)}
listed = os.listdir("../data")
print(here, helper.__file__, helper.where())
# %% [1]
rate = 1
with open("log.csv", "a") as log:
    log.write("a row\\n")
with open("../beside.csv", "a") as log:
    log.write("a row\\n")
!echo from a shell >> log.csv
# %% [2]
print(rate, open("../data/prices.csv").read())
#> 1 12
# %% [4]
helper.fail()
"""
HELPER = """
def where():
    return __file__
def fail():
    raise ValueError(__file__)
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "repo" / "books"
    (tmp_path / "repo" / "data").mkdir(parents=True)
    folder.mkdir()
    (tmp_path / "repo" / "data" / "prices.csv").write_text("12")
    (folder / "helper.py").write_text(HELPER)
    return folder / "nb.ipynb"


def trial_of(page: Path, config: Config) -> Trial:
    session = NotebookSession(page, config)
    try:
        session.outcome(0)
    finally:
        session.close()
    trial = session.trial  # what was seen, beside what is said
    assert trial is not None
    return trial


@pytest.mark.corpus
def test_an_out_of_order_notebook_leaves_what_one_run_leaves(page: Path) -> None:
    write(page, OUT_OF_ORDER)
    trial = trial_of(page, Config())
    assert (page.parent / "log.csv").read_text() == "a row\nfrom a shell\n"
    assert (page.parent.parent / "beside.csv").read_text() == "a row\n"
    assert trial.replay is not None
    assert [cell.status for cell in trial.replay.results] == ["ok", "ok", "ok", "raised"]
    for result in trial.replay.results:
        clean = trial.clean.last(result.cell)
        assert clean is not None
        assert result.outputs[:1] == clean.outputs[:1] or result.status == "raised"
        parts = {name: compared(name, result.after, clean.after) for name in result.after}
        assert set(parts.values()) == {"same"}, parts
        if result.failure is not None:
            assert clean.failure is not None
            assert result.failure.evalue == clean.failure.evalue == str(page.parent / "helper.py")


STALE = """
# %% [3]
rate = 2
# %% [2]{tags}
import socket
with open("../../log.csv", "a") as log:
    log.write("a row\\n")
try:
    socket.create_connection(("192.0.2.1", 9), timeout=0.01)
except OSError:
    pass
print(rate)
#> 1
# %% [1]
rate = 1
"""


def found(page: Path, config: Config) -> dict[str, Finding]:
    return {finding.code: finding for finding in examine(page, config).findings}


@pytest.mark.corpus
def test_what_each_run_does_outside_is_told(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = page.parent.parent.parent / "temporary"  # what is written there is not told
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    log = page.parent.parent.parent / "log.csv"
    log.touch()
    write(page, STALE.format(tags=""))
    finding = found(page, Config())["NBS201"]
    assert finding.verdict == "confirmed"
    assert [step.cause for step in finding.steps[-2:]] == [
        f"writes {log}, which is outside of the notebook's folder, in every run",
        "connects to 192.0.2.1, in every run",
    ]
    assert [(step.cell, step.line) for step in finding.steps[-2:]] == [(2, 2), (2, 5)]
    assert log.read_text().count("row") > 1


@pytest.mark.parametrize(
    ("tags", "config"), [(" tags=nbsafe:once", Config()), ("", Config(runs=1))]
)
def test_a_notebook_that_runs_once_says_what_stays_unproved(
    page: Path, tags: str, config: Config
) -> None:
    log = page.parent.parent.parent / "log.csv"
    log.touch()
    write(page, STALE.format(tags=tags))
    finding = found(page, config)["NBS103"]
    assert finding.verdict == "suspected"
    assert finding.message.endswith("it stays unproved, for this notebook is run once")
    assert log.read_text() == "a row\n"
