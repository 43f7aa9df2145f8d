"""Values behind which something waits to be read that no value shows: ends of pipes, sockets."""

from __future__ import annotations

import io
import socket
from typing import Any

_STREAMS = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.FileIO)
_ENDS = frozenset(
    f"multiprocessing.{name}"
    for name in ("connection.Connection", "connection.PipeConnection", "queues.SimpleQueue")
)


def is_of_a_pipe(value: Any) -> bool:
    """Return whether a value is an end of a pipe, a socket, or a stream that has no path."""
    kind = type(value)
    if kind in _STREAMS:
        try:
            return type(value.name) is int
        except (AttributeError, ValueError):  # it lies in memory, or was detached
            return False
    return kind is socket.socket or f"{kind.__module__}.{kind.__qualname__}" in _ENDS
