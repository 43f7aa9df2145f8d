"""Threads that are not the kernel's own: cells started them, or a library for itself."""

from __future__ import annotations

import threading

_HARMLESS = frozenset(
    {
        "TMonitor", "Heartbeat", "ControlThread", "IOPubThread", "HistorySavingThread",
        "GarbageCollectorThread",  # of pyzmq, from the first long message on
    }
)  # fmt: skip
"""Classes of threads that touch nothing of the notebook, whenever they start."""

_own: set[threading.Thread] = set()


def note_own() -> None:
    """Take all threads that are there now for the kernel's own."""
    _own.update(threading.enumerate())


def foreign_threads() -> list[threading.Thread]:
    """Return the threads that came later, and may touch what the notebook holds."""
    own = {*_own, threading.main_thread()}
    there = [thread for thread in threading.enumerate() if thread not in own]
    return [thread for thread in there if type(thread).__name__ not in _HARMLESS]
