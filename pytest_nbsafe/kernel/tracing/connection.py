"""Which request a kernel answers, and whether it still can: a cell may close its sockets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

_CODE = 70  # as sysexits.h has it: an internal fault
_ENTRY = "do_execute"


class Connection:
    """What a kernel needs to run another cell, as it was when we came."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._runs = getattr(getattr(shell, "kernel", None), _ENTRY, None)

    def request_id(self) -> str:
        """Return the id of the request that is being answered, "" where there is none."""
        parent = getattr(self._shell, "parent_header", None)
        if not isinstance(parent, dict):
            parent = getattr(self._shell.display_pub, "parent_header", None) or {}
        header = parent.get("header", parent)
        return str(header.get("msg_id", ""))

    def end_if_lost(self) -> None:
        """End the kernel at once where it could not answer: the host would wait for nothing."""
        lost = self._lost()
        if lost:
            # ipykernel reads what is written to file 2 itself: the log is behind its copy of it
            log = getattr(sys.stderr, "_original_stdstream_copy", None) or 2
            os.write(log, f"{lost}\n".encode())
            os._exit(_CODE)

    def _lost(self) -> str:
        kernel = getattr(self._shell, "kernel", None)
        if kernel is None:
            return ""
        if kernel.shell is not self._shell:
            return "the cell replaced the shell of its kernel"
        stream = getattr(kernel, "shell_stream", None)
        output = getattr(getattr(kernel, "iopub_thread", None), "socket", None)
        if (stream is not None and stream.closed()) or getattr(output, "closed", False):
            return "the cell closed the connection of its kernel"
        if "execute_request" not in getattr(kernel, "shell_handlers", ["execute_request"]):
            return "the cell removed what runs the cells of its kernel (shell_handlers)"
        runs = getattr(kernel, _ENTRY, None)
        if runs != self._runs and not _passes_on(runs):
            return f"the cell replaced what runs the cells of its kernel ({_ENTRY})"
        return ""


def _passes_on(runs: object) -> bool:
    """Return whether what stands in for the kernel's own may still call that.

    A function that names nothing of the kind cannot; of all else that can be called nobody knows.
    """
    function = getattr(runs, "__func__", runs)
    if not isinstance(function, FunctionType):
        return callable(runs)
    names = set(_names(function.__code__))
    held = [function.__globals__[name] for name in names if name in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # it holds nothing yet
            continue
    return _ENTRY in names or any(getattr(value, "__name__", "") == _ENTRY for value in held)


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
