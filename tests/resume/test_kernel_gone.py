"""A kernel that remembers: what was started for it is gone in the end, whatever happens."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import makenb
import pytest
import tiers

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.kernel.checkpoint_contract import CarriedLog, CarryQuestion
from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.runner.kernel import Launch
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store import database
from pytest_nbsafe.store.database import Store

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("owner", "step"), [(Keeper, "keep_all"), (Keeper, "finish"), (Store, "mark_used")]
)
def test_an_interrupt_at_the_end_leaves_no_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, step: str
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    launch = Launch("python3", cwd=tmp_path, inputs=True)
    with closing(database.opened(tmp_path / "store")) as store:
        memory = Memory(store, "context", "nb.ipynb", {}, {}, {}, keeps=True)
        kernel = RememberingKernel(memory, lambda: LiveKernel(launch))
        kernel.start()
        assert kernel.execute("x = 1", None, None).status == "ok"
        live = kernel.live
        assert live is not None
        monkeypatch.setattr(owner, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            kernel.close()
        assert (live.alive, kernel.live, kernel.alive) == (False, None, False)
        monkeypatch.undo()
        kernel.close()


NB = """
# %% [1]
import os
# %% [2]
rows = [os.getpid(), 1, 2]
# %% [3]
assert len(rows) == 3
"""


def killed(kernel: LiveKernel) -> None:
    assert kernel.process is not None
    kernel.process.kill()


def test_one_that_is_gone_does_nothing(tmp_path: Path) -> None:
    live = LiveKernel(Launch("python3", cwd=tmp_path))
    live.start()
    try:
        killed(live)
        live.unbind(["x"])
        live.count_from(3, {"Keras": 2})
    finally:
        live.close()


@pytest.mark.parametrize("last_words", tiers.every(3, ["again", "anew", "keep"]))
def test_one_that_dies_on_its_way_to_a_state_leads_to_a_full_run(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, last_words: str
) -> None:
    page = makenb.write(own_store / "nb.ipynb", NB)
    assert session.examine(page, configuration(page, {"resume": "on"})).findings == ()
    carry, died = LiveKernel.carry, list[LiveKernel]()

    def dies(kernel: LiveKernel, words: str) -> None:
        if words == last_words and not died:
            killed(kernel)
            died.append(kernel)

    def carried(kernel: LiveKernel, asked: CarryQuestion) -> CarriedLog:
        told = carry(kernel, asked)
        dies(kernel, asked["do"])
        return told

    monkeypatch.setattr(LiveKernel, "carry", carried)
    monkeypatch.setattr(Keeper, "keep_before", lambda _, live, *__, **___: dies(live, "keep"))
    makenb.write(page, NB.replace("== 3", "< 4"))
    report = session.examine(page, configuration(page, {"resume": "on"}))
    assert (report.findings, report.notebooks[0].verdict) == ((), "clean")
    assert len(died) == 1
