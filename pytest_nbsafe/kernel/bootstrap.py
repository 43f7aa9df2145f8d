"""Where the island comes ashore: the runner's request ends here."""

from __future__ import annotations

from typing import Any

from .tracer import Tracer


def install(trace: bool, learning: dict[str, Any] | None = None) -> None:  # noqa: FBT001, ARG001  # sent as JSON
    """Start to follow the runs of this kernel; `learning` names what is watched of libraries."""
    from IPython import get_ipython

    shell: Any = get_ipython()
    Tracer(shell, trace=trace).install()
    _widen(shell)


def _widen(shell: Any) -> None:
    """Let the output channel queue without a limit: a full queue drops messages."""
    try:
        import zmq

        thread = shell.kernel.iopub_thread
        thread.schedule(lambda: thread.socket.setsockopt(zmq.SNDHWM, 0))
    except Exception:  # noqa: S110  # another kernel than ipykernel; the default limit stays
        pass
