"""`--executor`: the notebooks are worked on elsewhere, and what is done is reported in any case."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.cli.writing import say

if TYPE_CHECKING:
    from pytest_nbsafe.findings import Report


def spread(
    paths: tuple[Path, ...],
    settings: Mapping[str, Any],
    executor: str,
    reported: Callable[[Report], int],
) -> Report:
    """Return the report of all notebooks, in the order of their paths.

    Where it is stopped, or breaks, what is done until then is `reported`.
    """
    from pytest_nbsafe.app.spread import Progress, reports
    from pytest_nbsafe.findings import merged
    from pytest_nbsafe.reports.status_line import on_last_line

    def in_order() -> Report:
        return merged(sorted(done, key=lambda report: [n.path for n in report.notebooks]))

    done: list[Report] = []
    try:
        with on_last_line(sys.stderr) as status:
            show = status.show if status is not None else _nowhere
            progress = Progress(len(paths), show, time.monotonic())
            for report in reports(paths, settings, executor):
                done.append(report)
                progress.add(report, time.monotonic())
    except BaseException:
        if done:
            reported(in_order())
            say(f"stopped: {progress}; the report holds these alone")
        raise
    return in_order()


def _nowhere(_text: str, _since: float) -> None:
    """Show nothing."""
