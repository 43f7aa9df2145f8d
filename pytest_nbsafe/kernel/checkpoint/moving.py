"""Brings the kernel from one state to another: what is there stays, the rest is loaded or made.

Source: Kishu (Fang et al. 2025), 5: what is missing is made again in a scratch namespace, of which
only the missing names are taken. Departs: the scratch namespace is the kernel's own, emptied for
the while, so that functions find their globals in it, and classes of `__main__` are what they were.
"""

from __future__ import annotations

from typing import Any

from ..aside import child
from ..checkpoint_contract import Moved, MoveQuestion, Stage
from ..contract import Fingerprint, SideRun
from ..tracing.names import without_pythons
from . import restore


def moved(tracer: Any, asked: MoveQuestion) -> Moved:
    """Make a move, and return what came of it; whatever fails, the tracer follows what comes next.

    The run in which it is asked for tells nothing of itself.
    """
    home, done = tracer.home, Moved(runs=[], loaded=[], cause="")
    own = without_pythons(tracer.own_names())
    held = {name: home.pop(name) for name in own}
    cells = _Cells(tracer)
    try:
        for stage in asked["stages"]:
            _make(stage, asked["folder"], held, cells, done)
    except BaseException as error:  # Ctrl-C, too: half a state is none
        done["cause"] = f"{type(error).__name__}: {error}"
    finally:
        cells.end()
        bound = without_pythons(tracer.own_names())
        for name in {*bound}.difference(asked["names"]):
            del home[name]
        tracer.name_fingerprints.forget({*own, *bound})
        tracer.sources = []
    return done


def _make(stage: Stage, folder: str, held: dict[str, Any], cells: _Cells, done: Moved) -> None:
    tracer = cells.tracer
    if stage["source"]:
        done["runs"].append(cells.again(stage["source"]))
    tracer.home.update({name: held[name] for name in stage["takes"]})
    loaded: dict[str, Fingerprint] = {}
    for item in stage["loads"]:
        about = restore.restored(tracer, item, folder)
        if about["cause"]:
            raise RuntimeError(about["cause"])
        loaded.update(about["fingerprints"])
    done["loaded"].append(loaded)


class _Cells(child.Child):
    """Runs cells within another run, and keeps to itself what they show."""

    is_in_history = False

    def __init__(self, tracer: Any) -> None:
        super().__init__(tracer)
        self._process = tracer.process

    def again(self, source: str) -> SideRun:
        """Run a cell, and return what came of it."""
        tracer = self.tracer
        if not self.kept:
            self.listen()
            tracer.process = -1  # its events come to us, as from another process
        tracer.sources = []  # it is a run of its own
        self.run([source])
        return self.answer["runs"][-1]

    def end(self) -> None:
        """Let the kernel show what it runs again."""
        self.restore()
        self.tracer.process = self._process

    def refuse(self, cause: str) -> None:
        """Say that a cell did what none may do that is run on the side."""
        raise RuntimeError(cause)
