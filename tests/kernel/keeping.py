"""A real kernel that keeps values in a folder and restores them, for the tests of checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest
from kept_here import question
from runner.kernels import notebook

from pytest_nbsafe.kernel.checkpoint_contract import CoVariable, Kept, Restored
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.live_kernel import LiveKernel

columns_are_copied_late = pytest.mark.skipif(
    int(metadata.version("pandas").partition(".")[0]) < 3,
    reason="a column of pandas 2 is the table's own memory",
)


class KeepingKernel:
    """A kernel, the folder that it keeps values in, and what is kept there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "kept"
        self.folder.mkdir(exist_ok=True)
        self.session = KernelSession(notebook("0"), cwd=folder, timeout_s=60)

    @property
    def live(self) -> LiveKernel:
        assert isinstance(self.session.kernel, LiveKernel)
        return self.session.kernel

    def run(self, source: str) -> str:
        result = self.session.run(notebook(source).cells[0], 1)
        assert result.status == "ok", result.failure
        assert [i for i in result.incidents if i.kind == "tracer"] == []
        return "".join(output.text for output in result.outputs).strip().replace("'", "")

    def begin(self, *names: str, limit_s: float = 60) -> int:
        asked = self.live.keep(question(str(self.folder), *names, limit_s=limit_s))
        assert asked["cause"] == ""
        return asked["ticket"]

    def collect(self, ticket: int, wait_s: float = 60) -> Kept:
        return self.live.collect({"ticket": ticket, "wait_s": wait_s, "stop": False})

    def keep(self, *names: str) -> list[CoVariable]:
        kept = self.collect(self.begin(*names))
        assert (kept["done"], kept["cause"]) == (True, "")
        return kept["covariables"]

    def restore(self, covariables: Sequence[CoVariable]) -> list[Restored]:
        items = [{"names": c["names"], "files": c["files"]} for c in covariables if c["files"]]
        return self.live.restore(
            {"folder": str(self.folder), "covariables": items},  # type: ignore[typeddict-item]  # just those
            60,
        )

    def causes(self, *names: str) -> dict[str, str]:
        """Return by names (joined by a space) why they are not kept, empty where they are."""
        return {" ".join(c["names"]): c["cause"] for c in self.keep(*names)}

    def through_files(self, *names: str, between: str = "") -> None:
        """Keep names, remove them, run a text, and restore them: each is what it was."""
        covariables = self.keep(*names)
        causes = {" ".join(c["names"]): c["cause"] for c in covariables if c["cause"]}
        assert causes == {}, causes
        every = [name for c in covariables for name in c["names"]]
        self.run(f"del {', '.join(every)}\n{between}")
        for covariable, restored in zip(covariables, self.restore(covariables), strict=True):
            assert restored["cause"] == ""
            hashes = {name: f["hash"] for name, f in covariable["fingerprints"].items()}
            assert {name: f["hash"] for name, f in restored["fingerprints"].items()} == hashes
