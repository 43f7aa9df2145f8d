"""A kernel, to those who use one: how it is started, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from pytest_nbsafe.kernel.checkpoint_contract import VisitQuestion
from pytest_nbsafe.kernel.contract import (
    Answer,
    HostQuestion,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
)
from pytest_nbsafe.runner.executed import Executed, Heard
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel is started: its name, its folder, and what lies over its environment.

    `trace` switches lineage and fingerprints; `learning` says what is watched of the libraries
    that learn, None leaves them alone. `paths` are folders whose modules can be imported, before
    those that are installed and after them. With `copies` of the folder it runs in a fresh one, and
    what it tells is told as if it ran in `cwd`. Temporary files go to `temporary`, which is emptied
    at the end. With a `slot` it may start as a fork; kernels of one slot have the hash seed of
    Python in common. With `inputs` each run tells what it uses beyond names.
    Where it is `measured`, and this program is, the coverage of its modules counts as that of ours.
    A kernel that does not speak `python` runs cells and answers nothing else.
    """

    kernel: str
    cwd: Path
    trace: bool = True
    learning: Mapping[str, Any] | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Sequence[str], Sequence[str]] = ((), ())
    temporary: TemporaryFolder | None = None
    copies: FolderCopies | None = None
    slot: int | None = 0
    inputs: bool = False
    python: bool = True
    measured: bool = False


class StateDiffers(Exception):  # noqa: N818  # it is an answer
    """What is remembered is worth nothing: a run, whose text may be given, came out otherwise."""


@dataclass(frozen=True, slots=True)
class Visited:
    """A kernel that front ends use: the file by which they find it, and what Ctrl-C does there."""

    connection: Path
    interrupt: Callable[[], None]


class Kernel(Protocol):
    """What a session needs of a kernel; `LiveKernel` is the real one."""

    @property
    def alive(self) -> bool:
        """Whether it can run another cell."""

    @property
    def python(self) -> str:
        """The version of Python that it runs, "" where that is not known."""

    @property
    def fault(self) -> str:
        """Why the tracer could not be installed, empty where it could."""

    def start(self) -> None:
        """Start it."""

    def execute(self, source: str, limit_s: float | None, heard: Heard | None) -> Executed:
        """Run the source of a cell, None for no limit; `heard` is told what it shows."""

    def expect(self, sources: Sequence[str]) -> None:
        """Take note of the texts that will be run from now on, unless something else comes."""

    def aside(self, asked: HostQuestion, margin_s: float) -> Answer:
        """Return what became of cells on the side; why nothing did, where there is no answer."""

    def surroundings(self, asked: SurroundingsQuestion) -> Surroundings | None:
        """Return what the cells ran in, None where nothing answers."""

    def sweep(self, *, names: bool) -> Sweep | None:
        """Return all that it holds, or only what no name shows; None where nothing answers."""

    def visited(self, asked: VisitQuestion) -> Visited:
        """Let front ends in, once it holds all that it should."""

    def close(self) -> None:
        """Stop it; safe to call twice."""
