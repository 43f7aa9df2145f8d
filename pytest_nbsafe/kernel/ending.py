"""How a kernel ends: by itself, when its main thread has nothing more to do.

Jupyter asks for it over the control channel. Then the thread of that channel still says that it is
idle while the main thread ends the one that would send this, and in one of twenty kernels
(ipykernel 7.4) each waits for the other for ever.

What is registered for the end runs, as ever. IPython looks for circles then that nobody refers to,
which takes a tenth of a second where a library like pandas is loaded, and after that Python would
take all values apart, one by one, which takes a quarter: both is spared where nothing can come of
it.
"""

from __future__ import annotations

import atexit
import gc
import os
import stat
import sys
from typing import Any

from . import bootstrap
from .hashing.function_texts import lies_here

_OPEN = "/proc/self/fd"
_AT_THE_VERY_END = ("mpi4py",)
"""Libraries that have something to do then which is not registered where Python can see it."""


def ask() -> None:
    """Let the kernel end after the reply to this request."""
    shell: Any = bootstrap.tracers[-1].shell
    loop = shell.kernel.io_loop
    atexit.register(_Leaving(shell))  # the last that is registered is the first that runs
    loop.add_callback(loop.stop)


class _Leaving:
    """Runs what else is registered for the end, and ends the process where nothing else is left."""

    def __init__(self, shell: Any) -> None:
        texts = shell.user_ns.get("_ih")  # `In` may be a name of the notebook's own
        self._texts = [*texts] if type(texts) is list else ["__del__"]
        self._process = os.getpid()
        self._begun = False

    def __call__(self) -> None:
        """Run what is registered, once."""
        if self._begun or os.getpid() != self._process:
            return
        self._begun = True
        run_all = getattr(atexit, "_run_exitfuncs", None)
        if run_all is None:
            return
        does_something = _does_something_at_last(self._texts)
        if not (does_something or _holds_back()):
            gc.freeze()  # what there is by now is in no circle
        run_all()
        if not (does_something or _holds_back()):
            os._exit(0)


def _does_something_at_last(texts: list[str]) -> bool:
    """Tell whether a value may do something that lasts as it is taken apart."""
    if any("__del__" in str(text) for text in texts):
        return True
    if any(name in sys.modules for name in _AT_THE_VERY_END):
        return True
    for module in list(sys.modules.values()):
        held = getattr(module, "__dict__", {})
        if lies_here(held.get("__file__")) and any(map(_is_cleaned_up, list(held.values()))):
            return True
    return False


def _is_cleaned_up(value: object) -> bool:
    return isinstance(value, type) and any("__del__" in vars(base) for base in value.__mro__)


def _holds_back() -> bool:
    """Tell whether a value may hold back text that it has yet to write."""
    if not os.path.isdir(_OPEN):  # noqa: PTH112  # its `pathlib` may be patched
        return True
    return any(map(_may_be_written, os.listdir(_OPEN)))  # noqa: PTH208  # as above


def _may_be_written(number: str) -> bool:
    """Tell whether a file or pipe is open for writing that was not when we came."""
    import fcntl

    try:
        status = os.fstat(int(number))
        flags = fcntl.fcntl(int(number), fcntl.F_GETFL)
    except (OSError, ValueError):
        return False
    is_written = flags & os.O_ACCMODE != os.O_RDONLY
    is_file = stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)
    return is_written and is_file and (status.st_dev, status.st_ino) not in bootstrap.files
