"""What Python tells of what it is about to do (audit events), passed on to those who asked for it.

A hook cannot be taken away again, so a kernel has one of them, and events are looked up by name.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # Python 3.8 cannot evaluate it
    Listener = Callable[[str, tuple[Any, ...]], None]

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_ANEW = os.O_TRUNC | os.O_EXCL
_FOLDER = getattr(os, "O_DIRECTORY", 0)

_listeners: dict[str, list[Listener]] = {}
_busy: set[int] = set()
"""The threads that do something of ours, which is not told."""


def listen(listener: Listener, events: Iterable[str]) -> None:
    """Call a listener with the name and the arguments of each of these events, from now on."""
    if not _listeners:
        sys.addaudithook(_hook)
    for event in events:
        _listeners.setdefault(event, []).append(listener)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    listeners = _listeners.get(event)
    if listeners is not None:
        quietly(_tell, listeners, event, args)


def _tell(listeners: Iterable[Listener], event: str, args: tuple[Any, ...]) -> None:
    for listener in listeners:
        listener(event, args)


def quietly(action: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Do something of ours amid the cell's code: it tells nobody, and raises nothing."""
    thread = get_ident()
    if thread in _busy:
        return
    _busy.add(thread)
    try:
        action(*args, **kwargs)
    except Exception:  # noqa: S110  # it must not look like the cell's own
        pass
    finally:
        _busy.discard(thread)


class Opened(NamedTuple):
    """A file that is about to be opened: its path as it was given, and what for.

    `anew` tells that nothing is left of what was in it.
    """

    path: str
    reads: bool
    writes: bool
    anew: bool


def opened(args: tuple[Any, ...]) -> Opened | None:
    """Return what an event `open` tells, None where it is no file with a path."""
    path, mode, flags = args
    if isinstance(path, int) or (not mode and flags & _FOLDER):
        return None
    path = os.fsdecode(path)
    if mode:
        kinds = set(mode)
        anew = bool(kinds & set("wx"))
        return Opened(path, "r" in kinds, bool(kinds & set("wax+")), anew)
    return Opened(path, not flags & os.O_WRONLY, bool(flags & _WRITES), bool(flags & _ANEW))
