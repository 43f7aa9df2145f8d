"""Whether the kernel can still answer: a cell may close its sockets, or replace its shell."""

from __future__ import annotations

import os
import sys
from typing import Any

_CODE = 70  # as sysexits.h has it: an internal fault


def end_if_lost(shell: Any) -> None:
    """End the kernel at once where it could not answer: else the host would wait for nothing."""
    lost = _lost(shell)
    if lost:
        # ipykernel reads what is written to file 2 itself: the log is behind its copy of it
        log = getattr(sys.stderr, "_original_stdstream_copy", None) or 2
        os.write(log, f"{lost}\n".encode())
        os._exit(_CODE)


def _lost(shell: Any) -> str:
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return ""
    if kernel.shell is not shell:
        return "the cell replaced the shell of its kernel"
    stream = getattr(kernel, "shell_stream", None)
    output = getattr(getattr(kernel, "iopub_thread", None), "socket", None)
    if (stream is not None and stream.closed()) or getattr(output, "closed", False):
        return "the cell closed the connection of its kernel"
    return ""
