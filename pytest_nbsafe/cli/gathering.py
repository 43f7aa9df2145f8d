"""Reports of one notebook after the other as one: what is done is reported in any case."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pytest_nbsafe.app.progress import Progress
from pytest_nbsafe.cli.writing import say
from pytest_nbsafe.findings import merged
from pytest_nbsafe.reports.status_line import on_last_line

if TYPE_CHECKING:
    from pytest_nbsafe.findings import Report
    from pytest_nbsafe.reports.status_line import StatusLine


def gathered(
    reports: Callable[[StatusLine | None], Iterable[Report]],
    number: int,
    reported: Callable[[Report], int],
    *,
    counted: bool,
) -> Report:
    """Return what the `reports` of a number of notebooks say, in the order of their paths.

    Where it is stopped, or breaks, what is done until then is `reported`. They are given the last
    line of the terminal; where they are `counted` it says how many are done.
    """

    def in_order() -> Report:
        return merged(sorted(done, key=lambda report: [n.path for n in report.notebooks]))

    done: list[Report] = []
    try:
        with on_last_line(sys.stderr) as status:
            show = status.show if status is not None and counted else None
            progress = Progress(number, show, time.monotonic())
            for report in reports(status):
                done.append(report)
                progress.add(report, time.monotonic())
    except BaseException as error:
        if done:
            reported(in_order())
            say(f"stopped: {progress}; the report holds these alone")
        elif isinstance(error, KeyboardInterrupt):
            say("stopped: no notebook is done, so there is no report")
        raise
    return in_order()
