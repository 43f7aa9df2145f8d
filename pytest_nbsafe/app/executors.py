"""Where notebooks are worked on: processes here, Dask, Ray, or any executor that the user names.

All of them are one thing: a `concurrent.futures.Executor`, which is closed at the end.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pytest_nbsafe import workers
from pytest_nbsafe.errors import NbsafeError

_Result = TypeVar("_Result")


def opened(spec: str) -> Executor:
    """Return the executor of `local[:PROCESSES]`, `dask[:ADDRESS]`, `ray[:ADDRESS]`, `module:name`.

    Raises:
        NbsafeError: there is none of that name, or it does not start.

    """
    name, _, rest = spec.partition(":")
    try:
        return _NAMED[name](rest) if name in _NAMED else _of_the_user(name, rest)
    except ModuleNotFoundError as error:
        package = {"dask": "distributed"}.get(name, name)
        hint = f"pip install {package}" if name in _NAMED else "is it on PYTHONPATH?"
        raise _refused(spec, f"there is no module {error.name!r}", hint) from error
    except NbsafeError as error:
        raise _refused(spec, error.message, _HINT) from error
    except (ImportError, OSError, ValueError, TypeError, AttributeError) as error:
        raise _refused(spec, f"{type(error).__name__}: {error}", _HINT) from error


_HINT = "local[:PROCESSES], dask[:ADDRESS], ray[:ADDRESS], or module:factory"


def _refused(spec: str, message: str, hint: str) -> NbsafeError:
    return NbsafeError("bad-executor", f"--executor {spec}: {message}", hint)


# -- local processes -------------------------------------------------------------------------------


class LocalProcesses(Executor):
    """Processes of this program's own; one that ends takes no other notebook with it."""

    def __init__(self, processes: int) -> None:
        self._threads = ThreadPoolExecutor(processes)
        self._own = threading.local()
        self._workers: set[workers.Worker] = set()
        self._max_workers = processes

    def submit(  # type: ignore[override]  # with the types that are used here
        self, do: Callable[..., _Result], /, *arguments: object
    ) -> Future[_Result]:
        """Have a function of a module called in one of the processes."""
        return self._threads.submit(self._ask, do, *arguments)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as in its base
        """End the processes: at once, or after what they are at."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        remaining = tuple(self._workers)
        for worker in () if wait else remaining:
            worker.stop()
        for worker in remaining:
            worker.finish()

    def _ask(self, do: Callable[..., _Result], *arguments: object) -> _Result:
        worker: workers.Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = workers.Worker()
            self._workers.add(worker)
        try:
            result: _Result = worker.ask(do, *arguments)
        except workers.EndedError:
            self._own.worker = None
            self._workers.discard(worker)
            worker.end()
            raise
        return result


def _local(processes: str) -> Executor:
    if processes and not (processes.isdecimal() and int(processes)):
        raise NbsafeError("bad-executor", f"{processes!r} is no number of processes")
    return LocalProcesses(int(processes) if processes else workers.processors())


# -- clusters --------------------------------------------------------------------------------------


class _Dask(Executor):
    """A client of Dask, which is closed with it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False, retries=0)

    def submit(  # type: ignore[override]  # with the types that are used here
        self, do: Callable[..., _Result], /, *arguments: object
    ) -> Future[_Result]:
        """Have a function called by one of the workers."""
        future: Future[_Result] = self._executor.submit(do, *arguments)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as in its base
        """Leave the cluster, and end it where it was started here."""
        self._executor.shutdown(wait=wait)
        self._client.close()


def _dask(address: str) -> Executor:
    """Return the executor of a cluster; without an address of one that is started here."""
    from distributed import Client

    return _Dask(Client(address) if address else Client(threads_per_worker=1))


class _Ray(Executor):
    """What Ray lacks: its tasks as futures."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def submit(  # type: ignore[override]  # with the types that are used here
        self, do: Callable[..., _Result], /, *arguments: object
    ) -> Future[_Result]:
        """Have a function called by one of Ray's workers, once."""
        remote = self._ray.remote(do).options(max_retries=0)
        future: Future[_Result] = remote.remote(*arguments).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as in its base
        """Leave Ray."""
        self._ray.shutdown()


def _ray(address: str) -> Executor:
    import ray

    ray.init(address=address or None, log_to_driver=False, ignore_reinit_error=True)
    return _Ray(ray)


_NAMED: dict[str, Callable[[str], Executor]] = {"local": _local, "dask": _dask, "ray": _ray}


def _of_the_user(module: str, factory: str) -> Executor:
    """Return what a function of the user's gives, whose module may lie in the working folder."""
    if not factory:
        raise NbsafeError("bad-executor", "there is no executor of that name")
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - a text is wanted
    try:
        made = getattr(importlib.import_module(module), factory)()
    finally:
        del sys.path[0]
    if not isinstance(made, Executor):
        kind = type(made).__name__
        raise NbsafeError("bad-executor", f"it gives {kind}, no concurrent.futures.Executor")
    return made
