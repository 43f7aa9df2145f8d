"""A kernel that remembers: what was started for it is gone in the end, whatever happens."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.runner.live_kernel import Launch, LiveKernel
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
