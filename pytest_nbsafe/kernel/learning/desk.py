"""Where watched calls report, and what stands in their code."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..functions.stand_in import StandIn, exchange

if TYPE_CHECKING:
    from ..learning_contract import Copies, Evaluation
    from ..tracing.incidents import Watch
    from .fit_log import FitLog
    from .watched_calls import Handler

_INNER = 1_000


class Desk:
    """Where hooks report; what is done `with` it harms nobody: our first fault ends the watch.

    `busy`: a watched call is running, and what it calls is its own affair. `libraries` are those
    whose watched functions the run called. It `is_resting` while a kernel comes to a state whose
    log will be brought along: `logs` are the copies for that.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.fit_log: FitLog | None = None
        self.busy = False
        self.is_resting = False
        self.logs: Any = None
        self.libraries: set[str] = set()
        self.thread = threading.get_ident()
        self.inner: list[weakref.ref[Any]] = []
        self.watched: list[tuple[FunctionType, CodeType]] = []
        self.undo: list[Callable[[], object]] = []

    def __enter__(self) -> None:
        """Begin what may fail."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> bool:
        """Tell a fault of ours, and leave."""
        if not isinstance(error, Exception):
            return False
        self.on, doing = False, "watching what learns"
        with contextlib.suppress(Exception):
            self.leave()
        try:
            self.watch.fault(error, doing)
        except Exception:
            self.watch.lost = doing
        return True

    def start(self) -> None:
        """Take note that a run begins: whatever happens in other threads is not the notebook's."""
        self.thread, self.busy = threading.get_ident(), False
        self.libraries = set()
        if self.fit_log is not None:
            with self:
                self.fit_log.start()

    def report(self) -> tuple[list[Evaluation], list[Copies]]:
        """Return what was seen in this run."""
        with self:
            if self.fit_log is not None:
                return self.fit_log.take()
        return [], []

    def leave(self) -> None:
        """Put everything back as it was, and never watch again."""
        self.on = False
        for function, code in self.watched:
            function.__code__ = code
        for put_back in self.undo:
            put_back()
        self.watched.clear()
        self.undo.clear()
        self.fit_log = None


class Hook(StandIn):
    """Stands in the code of a watched function."""

    __slots__ = ("desk", "handler", "name")

    def __init__(self, desk: Desk, original: FunctionType, name: str, handler: Handler) -> None:
        super().__init__(original)
        self.desk, self.name, self.handler = desk, name, handler

    def func(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the original, with an eye on what goes in and what comes out."""
        desk = self.desk
        if desk.busy or not desk.on or desk.is_resting or threading.get_ident() != desk.thread:
            if desk.busy and self.name == "fit" and args and len(desk.inner) < _INNER:
                with desk, contextlib.suppress(TypeError):
                    desk.inner.append(weakref.ref(args[0]))
            return self.original(*args, **kwargs)
        caller = sys._getframe(2).f_code.co_filename  # noqa: SLF001  # above it is the stand-in
        if "-packages" in caller:  # what a library does inside is its own affair
            return self.original(*args, **kwargs)
        desk.libraries.add(str(self.original.__module__).partition(".")[0])
        desk.busy = True
        try:
            steps = changed = None
            with desk:
                steps, changed = _begin(self, args, kwargs)
            result = self.original(*(args if changed is None else changed.args), **kwargs)
            with desk:
                _end(self, steps, result)
            if changed is None:
                return result
            kept = result[: len(result) - changed.extra]
            return kept[0] if len(kept) == changed.extra == 1 else kept
        finally:
            desk.busy = False
            desk.inner.clear()


def _begin(hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Return the steps of a handler and the arguments that it changes, None for none of them."""
    from .row_hashes import Unknown
    from .watched_calls import WatchedCall

    desk = hook.desk
    if desk.fit_log is None:
        return None, None
    try:
        steps = hook.handler(desk.fit_log, WatchedCall(hook.name, args, kwargs, desk.inner))
        return steps, next(steps)
    except Unknown:
        return None, None


def _end(hook: Hook, steps: Any, result: Any) -> None:
    if steps is None or not hook.desk.on:
        return
    from .row_hashes import Unknown

    with contextlib.suppress(StopIteration, Unknown):
        steps.send(result)


def put_on(desk: Desk, function: Any, name: str, handler: Handler) -> None:
    """Give a function code that calls the desk; leave alone what is no plain function."""
    if desk.on:
        code = exchange(function, lambda original: Hook(desk, original, name, handler))
        if code is not None:
            desk.watched.append((function, code))
