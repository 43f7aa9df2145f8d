"""Notebooks given to an executor: reports as they are ready, whatever becomes of its workers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

from pytest_nbsafe.app import executors
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import NotebookReport, Report
from pytest_nbsafe.rules import faults
from pytest_nbsafe.values import dataclass, replace

_MOST = 1000
"""Notebooks that an executor of unknown size holds at a time."""


@dataclass(frozen=True, slots=True)
class Task:
    """A notebook, the settings given by hand, and the folder that its path starts from."""

    path: Path
    settings: Mapping[str, Any]
    folder: str


def reports(paths: Sequence[Path], settings: Mapping[str, Any], spec: str) -> Iterator[Report]:
    """Yield the report of each notebook as it is ready; `spec` names the executor.

    A notebook whose worker ends is tried once more, alone. All settings are read before the first
    runs.

    Raises:
        NbsafeError: a setting or the executor is not understood.
        Exception: what a notebook made this program raise, after all others are done.

    """
    tasks = [Task(path, settings, os.getcwd()) for path in paths]  # noqa: PTH109 - it is sent
    for task in tasks:
        configuration(task.path, settings)
    if not tasks:
        return
    lost: list[Task] = []
    fault: Exception | None = None
    for task, future in _finished(tasks, spec):
        if _died(future):
            lost.append(task)
            continue
        answer = future.result()
        if isinstance(answer, Report):
            yield answer
        else:
            fault = fault or answer
    for task in lost:
        ((_, future),) = _finished([task], spec)
        error = _died(future)
        answer = _ended_twice(task, error) if error else future.result()
        if isinstance(answer, Report):
            yield answer
        else:
            fault = fault or answer
    if fault is not None:
        raise fault


def _finished(
    tasks: Sequence[Task], spec: str
) -> Iterator[tuple[Task, Future[Report | Exception]]]:
    """Yield the tasks as they are done, by an executor that is gone afterwards.

    Where it breaks as a whole, the tasks that it was not given yet are given to the next.
    """
    waiting = [*reversed(tasks)]
    while waiting:
        executor = executors.opened(spec)
        is_done = False
        try:
            yield from _finished_by(executor, waiting)
            is_done = True
        finally:
            executor.shutdown(wait=is_done, cancel_futures=not is_done)


def _finished_by(
    executor: Executor, waiting: list[Task]
) -> Iterator[tuple[Task, Future[Report | Exception]]]:
    workers = getattr(executor, "_max_workers", None)
    most = 2 * workers if isinstance(workers, int) else _MOST
    running: dict[Future[Report | Exception], Task] = {}
    broken = False
    while running or (waiting and not broken):
        while waiting and len(running) < most and not broken:
            try:
                running[executor.submit(work, waiting[-1])] = waiting[-1]
                waiting.pop()
            except RuntimeError:  # which a pool is that has lost a process
                broken = True
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield running.pop(future), future


def _died(future: Future[Any]) -> BaseException | None:
    """Return why a task gave no answer: what notebooks raise is an answer."""
    return future.exception()


def work(task: Task) -> Report | Exception:
    """Return what is found in a notebook, or what was raised: a fault of this program."""
    from pytest_nbsafe.app import run
    from pytest_nbsafe.stopping import StopSignals

    if os.getcwd() != task.folder:  # noqa: PTH109 - as above
        os.chdir(task.folder)
    signals = StopSignals()
    try:
        return run.report(task.path, configuration(task.path, task.settings))
    except Exception as error:  # noqa: BLE001 - it is raised again by who gave the task
        return error
    finally:
        signals.leave()


def _ended_twice(task: Task, error: BaseException) -> Report:
    said = str(error).partition("\n")[0]
    finding = faults.worker_ended(str(task.path), f"{type(error).__name__}: {said}")
    strict = configuration(task.path, task.settings).strict
    notebook = NotebookReport(str(task.path), 0, (), "failed", 0.0)
    return Report((finding,), (replace(notebook, strict=strict),))
