"""Who answers `%nbsafe` in a kernel that was checked out: it is asked for another cell's state."""

from __future__ import annotations

import json
import secrets
import shlex
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from pytest_nbsafe.kernel.checkpoint_contract import (
    Moved,
    MoveQuestion,
    VisitorAsks,
    VisitorTold,
    VisitQuestion,
)
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.resume.moving import CannotMove
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.resume.visited_kernel import Move, VisitedKernel
from pytest_nbsafe.runner.kernel import Kernel, Visited
from pytest_nbsafe.sentences import listed, many
from pytest_nbsafe.values import dataclass

_KEY_BYTES = 32
_LIMIT_S = 10.0
"""How long a move may go on that nobody waits for any more."""
_WAYS = {"--before": True, "--after": False}
_USAGE = "%nbsafe --before CELL or --after CELL brings this kernel to another state of the page"


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a notebook: before or after one of its cells."""

    cell: int
    is_before: bool

    def __str__(self) -> str:
        return f"{'before' if self.is_before else 'after'} cell {self.cell}"

    @property
    def option(self) -> str:
        """How the commands are asked for it."""
        return f"--{'before' if self.is_before else 'after'} {self.cell}"


class Visits:
    """Answers the front ends of a kernel until it is closed.

    With `reopens` they are sent away where only a new kernel comes to the point that they asked
    for; `wanted` is it then.
    """

    def __init__(self, path: Path, cells: Sequence[Cell]) -> None:
        self.reopens = False
        self.wanted: Point | None = None
        self._path = path
        self._cells = cells
        self._kernel: VisitedKernel | None = None
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._listener = Listener(authkey=self._key)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._is_over = False

    def open(self, kernel: Kernel) -> Visited:
        """Let front ends into a kernel."""
        address = str(self._listener.address)
        question: VisitQuestion = {"address": address, "key": self._key.hex()}
        visited = kernel.visited(question)
        if isinstance(kernel, RememberingKernel):
            self._kernel = VisitedKernel(kernel)
        self._thread.start()
        return visited

    def close(self) -> None:
        """Answer nobody any more."""
        self._is_over = True
        if self._thread.is_alive():
            threading.Thread(target=self._call, daemon=True).start()  # nothing else ends its wait
            self._thread.join(_LIMIT_S)
        self._listener.close()

    def _call(self) -> None:
        with suppress(OSError, EOFError):
            Client(self._listener.address, authkey=self._key).close()

    def _listen(self) -> None:
        try:
            while not self._is_over:
                self._answer_next()
        finally:
            self._listener.close()  # else who asks would wait for ever

    def _answer_next(self) -> None:
        gone = suppress(OSError, EOFError, AuthenticationError)  # or nobody we know
        with gone, self._listener.accept() as visitor:
            if not self._is_over:
                self._answer(visitor)

    def _answer(self, visitor: Connection) -> None:
        asked: VisitorAsks = json.loads(visitor.recv_bytes())
        if self._kernel is not None:
            self._kernel.note(asked)
        point = _point(asked["line"])
        if point is None or point.cell not in {cell.number for cell in self._cells}:
            known = listed([str(cell.number) for cell in self._cells])
            _tell(visitor, say=_USAGE if point is None else f"the code cells are {known}")
            return
        started = time.perf_counter()
        try:
            move = self._moved(visitor, point)
        except CannotMove as why:
            cell = "" if why.place is None else f"cell {self._cells[why.place].number} "
            self._tell_why_not(visitor, point, f"{cell}{why}")
            return
        took_s = time.perf_counter() - started
        _tell(visitor, say=f"{point}: {_done(move)}, in {took_s:.1f} s")

    def _moved(self, visitor: Connection, point: Point) -> Move:
        """Let the kernel come to a point, and return how it did.

        Raises:
            CannotMove: only a new one can.

        """
        if self._kernel is None:
            raise CannotMove("nothing is remembered of the cells")
        numbers = [cell.number for cell in self._cells]
        count = numbers.index(point.cell) + (not point.is_before)
        move = self._kernel.move([cell.source for cell in self._cells[:count]])
        try:
            _tell(visitor, move=move.question)
            moved: Moved = json.loads(visitor.recv_bytes())
        except (OSError, EOFError):
            self._kernel.lost = "who asked for a move was gone before its end"
            raise
        self._kernel.note_moved(move, moved)
        return move

    def _tell_why_not(self, visitor: Connection, point: Point, why: str) -> None:
        if self.reopens:
            self.wanted = point
            _tell(visitor, say=f"{why}: a new kernel opens {point}", leaves=True)
            return
        command = f"nbsafe checkout {shlex.quote(str(self._path))} {point.option}"
        _tell(visitor, say=f"{why}: only a new kernel comes to it\n    {command}")


def _point(line: str) -> Point | None:
    """Return the point that a line asks for, None where it asks for none."""
    way, _, cell = line.strip().replace("=", " ").partition(" ")
    if way not in _WAYS or not cell.strip().isdecimal():
        return None
    return Point(int(cell), _WAYS[way])


def _done(move: Move) -> str:
    """Return what a move did, in a few words."""
    loaded = sorted(n for stage in move.stages for kept in stage.loads for n in kept.names)
    made = sum(stage.runs for stage in move.stages)
    words = [f"{listed(loaded)} loaded"] if loaded else []
    words += [f"{many(made, 'cell')} run again"] if made else []
    return " and ".join(words) or "all that it needs was there"


def _tell(
    visitor: Connection, *, move: MoveQuestion | None = None, say: str = "", leaves: bool = False
) -> None:
    told: VisitorTold = {"move": move, "say": say, "leaves": leaves}
    visitor.send_bytes(json.dumps(told).encode())
