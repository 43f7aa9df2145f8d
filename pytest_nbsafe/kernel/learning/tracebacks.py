"""Takes our frames out of the tracebacks that a notebook shows."""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ..functions.stand_in import is_ours


def trim(error: BaseException | None) -> None:
    """Take our frames out of an exception's traceback, and of those that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        before: TracebackType | None = error.__traceback__
        while before is not None:
            after = before.tb_next
            while after is not None and is_ours(after.tb_frame.f_code):
                after = after.tb_next
            if after is not before.tb_next:
                before.tb_next = after
            before = after
        error = error.__cause__ or error.__context__


def watch_tracebacks(undo: list[Callable[[], object]], shell: Any) -> None:
    """Take our frames out of every traceback that is about to be shown."""
    shown: Any = traceback.TracebackException
    original = shown.__init__

    @functools.wraps(original)
    def __init__(self: Any, exc_type: Any, exc_value: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        with contextlib.suppress(Exception):
            trim(exc_value)
        original(self, exc_type, exc_value, *args, **kwargs)

    shown.__init__ = __init__
    undo.append(lambda: setattr(shown, "__init__", original))
    asked = getattr(shell, "_get_exc_info", None)
    if asked is None:
        return

    def _get_exc_info(*args: Any, **kwargs: Any) -> Any:
        found = asked(*args, **kwargs)
        with contextlib.suppress(Exception):
            trim(found[1])
        return found

    shell._get_exc_info = _get_exc_info  # noqa: SLF001  # all that IPython shows passes here
    undo.append(lambda: delattr(shell, "_get_exc_info"))
