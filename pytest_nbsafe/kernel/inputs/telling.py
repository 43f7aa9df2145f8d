"""Functions that tell how they are called, and are else what they were; no traceback shows us."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .. import audit
from ..functions.stand_in import OURS, StandIn


class Told(StandIn):
    """Stands in a function of Python: `tell` is called with its arguments first."""

    __slots__ = ("tell",)

    def __init__(self, original: FunctionType, tell: Callable[..., None]) -> None:
        super().__init__(original)
        self.tell = tell

    def func(self, /, *args: Any, **kwargs: Any) -> Any:
        """Tell, then call the original."""
        audit.quietly(self.tell, *args, **kwargs)
        return self.original(*args, **kwargs)


Told.func.__code__ = Told.func.__code__.replace(co_filename=OURS)


def telling(original: Any, tell: Callable[..., None]) -> Any:
    """Return a function for a built-in one of `os`; `tell` is called with its first argument."""

    def passing_on(*args: Any, **kwargs: Any) -> Any:
        audit.quietly(tell, *args[:1] or [*kwargs.values()][:1])
        return original(*args, **kwargs)

    passing_on.__code__ = passing_on.__code__.replace(co_filename=OURS)
    functools.update_wrapper(passing_on, original)
    passing_on.__module__ = "os"  # by which it is found in other processes
    return passing_on
