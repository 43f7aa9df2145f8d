"""`nbsafe replay`: a recorded session run again, and what is stale after each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.replay import history_database, predictive_power, session_file
from pytest_nbsafe.replay.session_replay import SessionReplay
from pytest_nbsafe.reports.replay_report import ReplayReport, ReplaysReport, SessionsReport
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, NoSuchKernel
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.values import replace


def replay_all(
    path: Path,
    settings: Mapping[str, Any],
    *,
    judge_each: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> ReplaysReport:
    """Run all sessions of a `history.sqlite` again, one after another.

    Raises:
        NbsafeError: the file holds no sessions, or no kernel can be started.

    """
    numbers = [number for number, _ in sessions(path).sessions]
    reports = {
        number: replay(path, settings, number, judge_each=judge_each, progress=progress)
        for number in numbers
    }
    powers = predictive_power.together(report.powers for report in reports.values())
    return ReplaysReport(reports, powers)


def sessions(path: Path) -> SessionsReport:
    """Return the sessions of a `history.sqlite`.

    Raises:
        NbsafeError: the file is no history, or holds no sessions.

    """
    if session_file.is_history(path):
        return SessionsReport(str(path), tuple(history_database.sessions(path)))
    raise NbsafeError("no-sessions", f"{path} is no history.sqlite", "only such a file has several")


def replay(
    path: Path,
    settings: Mapping[str, Any],
    session: int | None = None,
    *,
    judge_each: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> ReplayReport:
    """Run a recorded session again and return what is stale after each step.

    `session` is that of a `history.sqlite`. `judge_each` asks for a clean run after every step, not
    only after the last. The session runs in a copy of the file's folder.

    Raises:
        NbsafeError: the file holds no such session, or no kernel can be started.

    """
    recorded = session_file.read(path, session)
    versions = session_file.versions(recorded)
    config = configuration(path, settings)
    notebook = replace(versions.notebook, libraries=config.libraries)
    graph = build(notebook)
    graph.budget.lift()

    def make_kernel(folder: Path, environ: Mapping[str, str]) -> KernelSession:
        return KernelSession(
            notebook,
            kernel=config.kernel,
            timeout_s=config.timeout_s,
            cwd=folder,
            analyses=graph.cells,
            environ=environ,
        )

    folder = Path() if recorded.elsewhere else path.resolve().parent
    running = SessionReplay(recorded, versions, graph.cells, make_kernel, folder, each=judge_each)
    answers = []
    try:
        for answer in running.steps():
            answers.append(answer)
            if progress is not None:
                progress(str(path), answer.step, len(recorded.steps))
    except NoSuchKernel as error:
        known = ", ".join(error.available) or "none"
        raise NbsafeError("no-kernel", str(error), f"--kernel takes one of: {known}") from error
    except KernelStartFailed as error:
        raise NbsafeError("no-kernel", str(error)) from error
    finally:
        running.close()
    powers = predictive_power.powers(recorded.page, answers)
    return ReplayReport(recorded, tuple(answers), powers, tuple(running.notes))
