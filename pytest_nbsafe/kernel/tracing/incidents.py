"""Watches for what goes wrong without the run saying so: commands, threads, swallowed errors."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from .. import open_log
from ..contract import Incident
from .cell_positions import CellPositions, clean, message_of


def guarded(doing: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Let no exception out of a method of something that has a `watch`; it becomes an incident."""

    def decorate(method: Callable[..., Any]) -> Callable[..., None]:
        @functools.wraps(method)
        def call(self: Any, *args: Any) -> None:
            try:
                method(self, *args)
            except Exception as error:
                try:
                    self.watch.fault(error, doing)
                except Exception:
                    self.watch.lost = doing

        return call

    return decorate


class Watch:
    """Incidents since the last report. `run` is the current run, 0 between runs."""

    def __init__(self, shell: Any, places: CellPositions) -> None:
        self.shell = shell
        self.watch = self
        self.places = places
        self.run = 0
        self.lost = ""
        self._incidents: list[Incident] = []
        self._shown: list[tuple[BaseException, int]] = []

    def install(self) -> None:
        """Put the watches in place; each passes everything on to what it stands in for."""
        self._watch_threads()
        self._watch_tracebacks()
        self._watch_commands()
        self._watch_breakpoints()

    def note(self, kind: str, line: int, message: str) -> None:
        """Note an incident."""
        self._incidents.append({"kind": kind, "line": line, "message": clean(message)})

    def fault(self, error: BaseException, doing: str) -> None:
        """Note a fault of ours."""
        self.note("tracer", 0, f"{doing}: {type(error).__name__}: {message_of(error)}")

    def captured(self, error: BaseException, line: int) -> None:
        """Note an exception that was shown or swallowed; it counts unless it ends the run."""
        if all(error is not known for known, _ in self._shown):
            self._shown.append((error, line))

    @property
    def pending(self) -> bool:
        """Whether there is something to report."""
        return bool(self._incidents or self._shown or self.lost)

    def report(self, raised: BaseException | None) -> list[Incident]:
        """Return the incidents since the last report; `raised` is what ended the run."""
        for error, line in self._shown:
            if error is not raised:
                kind = "magic" if type(error).__name__ == "UsageError" else "captured"
                self.note(kind, line, f"{type(error).__name__}: {message_of(error)}")
        if self.lost:
            message = f"{self.lost}: a fault that could not be noted"
            self._incidents.append({"kind": "tracer", "line": 0, "message": message})
            self.lost = ""
        incidents, self._incidents, self._shown = self._incidents, [], []
        return incidents

    def line_of(self, error: BaseException) -> int:
        """Return the innermost line of the current cell that an exception passed."""
        lines = [line for run, line in self.places.frames(error.__traceback__) if run == self.run]
        return lines[-1] if lines else self.places.current_line(self.run)

    # ------------------------------------------------------------ what is watched

    def _watch_threads(self) -> None:
        original = threading.excepthook

        def excepthook(args: Any) -> None:
            self._thread(args)
            original(args)

        threading.excepthook = excepthook

    def _watch_tracebacks(self) -> None:
        shell = self.shell
        show, usage = shell._showtraceback, shell.show_usage_error  # noqa: SLF001  # the one place that all shown errors pass

        def _showtraceback(etype: Any, evalue: Any, stb: Any) -> Any:
            self._shown_error(evalue)
            return show(etype, evalue, stb)

        def show_usage_error(error: Any) -> Any:
            self._shown_error(error)
            return usage(error)

        shell._showtraceback = _showtraceback  # noqa: SLF001
        shell.show_usage_error = show_usage_error
        shell.showtraceback = open_log.apart(shell.showtraceback)

    def _watch_commands(self) -> None:
        """Stand in for what runs `!command`, below the frames that expand its variables."""
        for name in ("IPython.core.interactiveshell", "ipykernel.zmqshell"):
            module: Any = sys.modules.get(name)
            if module is not None and hasattr(module, "system"):
                module.system = self._system(module.system)
            if module is not None and hasattr(module, "getoutput"):
                module.getoutput = self._getoutput(module.getoutput)

    def _system(self, original: Callable[[str], Any]) -> Callable[[str], Any]:
        def system(cmd: str) -> Any:
            code = original(cmd)
            self._command(cmd, code)
            return code

        return system

    def _getoutput(self, original: Callable[[str], str]) -> Callable[[str], str]:
        def getoutput(cmd: str) -> str:
            try:
                from IPython.utils._process_common import process_handler
            except ImportError:
                return original(cmd)
            if sys.platform == "win32":
                return original(cmd)
            import subprocess

            output_and_code = process_handler(
                cmd, lambda p: (p.communicate()[0], p.returncode), subprocess.STDOUT
            )
            if output_and_code is None:
                return ""
            self._command(cmd, output_and_code[1])
            return str(output_and_code[0].decode(sys.getdefaultencoding(), "replace"))

        return getoutput

    def _watch_breakpoints(self) -> None:
        """Stand in for debugpy, which passes over a `breakpoint()` when nobody is connected."""
        original = sys.breakpointhook
        if original is sys.__breakpointhook__:
            return  # pdb asks for a command, and that fails

        def breakpointhook(*args: Any, **kwargs: Any) -> Any:
            if os.environ.get("PYTHONBREAKPOINT") != "0":
                self._breakpoint()
            return original(*args, **kwargs)

        sys.breakpointhook = breakpointhook

    @guarded("seeing a breakpoint")
    def _breakpoint(self) -> None:
        self.note("debugger", self.places.current_line(self.run), "`breakpoint()`")

    @guarded("seeing an exception")
    def _thread(self, args: Any) -> None:
        if args.exc_type is not SystemExit and args.exc_value is not None:
            name = getattr(args.thread, "name", "a thread")
            error = f"{args.exc_type.__name__}: {message_of(args.exc_value)}"
            self.note("thread", self.line_of(args.exc_value), f"in {name}: {error}")

    @guarded("seeing an exception")
    def _shown_error(self, error: Any) -> None:
        if isinstance(error, BaseException):
            self.captured(error, self.line_of(error))

    @guarded("seeing a command")
    def _command(self, command: str, code: Any) -> None:
        if isinstance(code, int) and code != 0:
            line = self.places.current_line(self.run)
            self.note("shell", line, f"`!{command.strip()}` exited with code {code}")
