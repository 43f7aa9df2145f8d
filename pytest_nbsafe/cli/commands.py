"""The commands: each takes what was given, asks the app, and returns an exit code."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.cli.writing import printed_format, say, show, write
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.options import WITH_PAGES, of_command

if TYPE_CHECKING:
    from pytest_nbsafe.app.discovery import Which
    from pytest_nbsafe.findings import Report
    from pytest_nbsafe.reports.status_line import StatusLine

_STDIN = Path("-")
OK, ERRORS, MISUSE = 0, 1, 2
UNREADABLE = "NBS901"
_NOTHING = (
    "no notebooks there: environments, builds, hidden folders, and what git ignores or `exclude` "
    "names are looked at only when they are named"
)


def check(given: argparse.Namespace) -> int:
    """Check notebooks without running them."""
    from pytest_nbsafe.app import check as checking

    # Trees of code are many objects without a cycle: looking for cycles less often is quicker.
    gc.set_threshold(20_000, 20, 50)
    settings = _settings(given)
    if _STDIN in given.paths:
        return _reported(_checked_text(given, settings), given, settings)
    if given.write_baseline:
        return _baselined(given, settings, checking.check)
    if given.executor:
        return _reported(_spread(given, {**settings, "static": True}), given, settings)
    return _reported(checking.check(given.paths, settings, _which(given)), given, settings)


def _checked_text(given: argparse.Namespace, settings: dict[str, Any]) -> Report:
    """Return what is to be said of the notebook on standard input."""
    from pytest_nbsafe.app import check as checking
    from pytest_nbsafe.app import discovery
    from pytest_nbsafe.findings import Report

    if len(given.paths) > 1 or given.write_baseline:
        message = "`-` reads one notebook from standard input, and nothing else"
        raise NbsafeError("bad-stdin", message, "give paths, or `-` alone")
    path = given.stdin_filename or _STDIN
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    if given.force_exclude and discovery.is_excluded(path, settings):
        return Report((), ())
    return checking.check_text(content, path, settings)


def run(given: argparse.Namespace) -> int:
    """Run notebooks and check what happened."""
    from pytest_nbsafe.app import run as running

    settings = _settings(given)
    if given.write_baseline:
        return _baselined(given, settings, running.run)
    if given.executor and given.update:
        message = "--update writes notebooks here, and --executor runs them elsewhere"
        raise NbsafeError("bad-update", message, "leave out one of the two")
    report = _spread(given, settings) if given.executor else _one_by_one(given, settings)
    code = _reported(report, given, settings)
    if given.lock:
        _lock(report)
    return code


def fix(given: argparse.Namespace) -> int:
    """Mend notebooks, or show what would be mended."""
    from pytest_nbsafe.app import fix as fixing
    from pytest_nbsafe.app.discovery import Which
    from pytest_nbsafe.reports import escape
    from pytest_nbsafe.values import replace

    which, kept = Which(given.force_exclude), given.check or given.diff
    settings = {**_settings(given), **({"static": True} if given.static else {})}
    lines: list[str] = []
    pages: list[fixing.Fixed] = []
    for fixed in fixing.fix(given.paths, settings, which, unsafe=given.unsafe):
        pages.append(replace(fixed, content=b""))
        if fixed.done and not kept:
            fixing.write(fixed)
        for says in fixed.refused:
            say(f"{fixed.path}: {says}")
        done = fixed.diff if given.diff else (f"{fixed.path}: {says}" for says in fixed.done)
        lines.extend(escape.clean(line) for line in done)
    write("".join(f"{line}\n" for line in lines), given.output)
    say(fixing.summary(pages, written=not kept))
    if not all(fixed.is_read for fixed in pages):
        return MISUSE
    return ERRORS if given.check and any(fixed.done for fixed in pages) else OK


def _one_by_one(given: argparse.Namespace, settings: dict[str, Any]) -> Report:
    """Return the report of notebooks that run in this process, or what there is when stopped."""
    from pytest_nbsafe.app import run as running
    from pytest_nbsafe.app.discovery import notebooks_in
    from pytest_nbsafe.app.inputs import configuration
    from pytest_nbsafe.cli.gathering import gathered
    from pytest_nbsafe.reports.status_line import NotebookStatus, shown

    paths, updates = notebooks_in(given.paths, settings, _which(given)), bool(given.update)

    def reports(status: StatusLine | None) -> Iterator[Report]:
        for path in paths:
            listener = NotebookStatus(status, f"{shown(path)}  ") if status is not None else None
            yield running.report(path, configuration(path, settings), listener, updates=updates)

    return gathered(reports, len(paths), _reports_part(given, settings), counted=False)


def _spread(given: argparse.Namespace, settings: dict[str, Any]) -> Report:
    """Return the report of notebooks that an executor works on, or what it has when stopped."""
    from pytest_nbsafe.app.discovery import notebooks_in
    from pytest_nbsafe.app.spread import reports
    from pytest_nbsafe.cli.gathering import gathered

    paths = notebooks_in(given.paths, settings, _which(given))
    return gathered(
        lambda _: reports(paths, settings, given.executor),
        len(paths),
        _reports_part(given, settings),
        counted=True,
    )


def _reports_part(given: argparse.Namespace, settings: dict[str, Any]) -> Callable[[Report], int]:
    """Return what reports a part of the notebooks."""

    def reported(part: Report) -> int:
        given.update_baseline = False  # of what did not run nothing is known
        return _reported(part, given, settings)

    return reported


def _which(given: argparse.Namespace) -> Which:
    from pytest_nbsafe.app.discovery import Which

    return Which(given.force_exclude, given.changed_since or "")


def _lock(report: Report) -> None:
    from pytest_nbsafe.app import lock

    for line in lock.write(report.notebooks, Path()):
        say(line)


def _baselined(
    given: argparse.Namespace,
    settings: dict[str, Any],
    command: Callable[[Sequence[Path], Mapping[str, Any], Which | None], Report],
) -> int:
    from pytest_nbsafe.app.baseline_file import write_baseline
    from pytest_nbsafe.sentences import many

    file, number = write_baseline(given.paths, settings, command, _which(given))
    write(f"{file} holds {many(number, 'finding')} now\n", given.output)
    return OK


def order(given: argparse.Namespace) -> int:
    """Show in which order a notebook's cells were run."""
    from pytest_nbsafe.app.order import order
    from pytest_nbsafe.reports import order_report

    # One notebook: nearly all that is made of it lives until the answer is shown.
    gc.set_threshold(500_000)
    report = order(given.notebook, _settings(given))
    if given.plot is not None:
        from pytest_nbsafe.reports.order_plot import as_svg

        write(as_svg(report), given.plot)
    measured = order_report.MEASURE_REPORTERS if given.stats else order_report.ORDER_REPORTERS
    show(measured, report, given.format, given.output)
    return OK


def stats(given: argparse.Namespace) -> int:
    """Measure the counts and orders of notebooks, and the repeats of histories."""
    from pytest_nbsafe.app.stats import stats
    from pytest_nbsafe.reports.stats_report import STATS_REPORTERS, as_svg

    gc.set_threshold(20_000, 20, 50)
    report = stats(given.paths, _settings(given))
    if given.plot is not None:
        write(as_svg(report), given.plot)
    show(STATS_REPORTERS, report, given.format, given.output)
    return OK


def whatif(given: argparse.Namespace) -> int:
    """Show what follows if a cell runs again."""
    from pytest_nbsafe.app.whatif import whatif
    from pytest_nbsafe.reports.whatif_report import WHATIF_REPORTERS

    depth = _depth(given.depth)
    report = whatif(given.notebook, _settings(given), given.run, given.change, depth)
    show(WHATIF_REPORTERS, report, given.format, given.output)
    return OK


def replay(given: argparse.Namespace) -> int:
    """Run a recorded session again."""
    from pytest_nbsafe.app import replay as replaying
    from pytest_nbsafe.reports import replay_report
    from pytest_nbsafe.reports.status_line import on_last_line, shown

    if given.sessions:
        listed = replaying.sessions(given.file)
        show(replay_report.SESSIONS_REPORTERS, listed, given.format, given.output)
        return OK
    settings, judge_each = _settings(given), given.judge_each_step
    started = time.monotonic()
    with on_last_line(sys.stderr) as status:

        def progress(path: str, step: int, steps: int) -> None:
            if status is not None:
                status.show(f"{shown(path)}  step {step} of {steps}", started)

        told = {"judge_each": judge_each, "progress": progress}
        if given.all:
            reports = replaying.replay_all(given.file, settings, **told)
        else:
            report = replaying.replay(given.file, settings, given.session, **told)
    if given.all:
        show(replay_report.ALL_REPORTERS, reports, given.format, given.output)
    else:
        show(replay_report.REPLAY_REPORTERS, report, given.format, given.output)
    return OK


def _depth(given: str) -> int | None:
    """Return the depth that was asked for, None for "all"."""
    if given == "all":
        return None
    if given.isdecimal() and int(given) > 0:
        return int(given)
    raise NbsafeError("bad-depth", f"--depth {given}", "a number from 1 on, or all")


def explain(given: argparse.Namespace) -> int:
    """Explain a code."""
    from pytest_nbsafe.app.explain import explain

    write(explain(given.code).rstrip("\n") + "\n", given.output)
    return OK


def rules(given: argparse.Namespace) -> int:
    """List the codes."""
    from pytest_nbsafe.reports import json, text

    write(json.codes() if given.format == "json" else text.codes(), given.output)
    return OK


def checkout(given: argparse.Namespace) -> int:
    """Open the state of a notebook before or after a cell, until the user has seen enough."""
    from pytest_nbsafe.app.checkout import checked_out
    from pytest_nbsafe.app.visits import Point
    from pytest_nbsafe.cli import console

    if given.list:
        return _listed(given)
    settings, is_before = _settings(given), given.before is not None
    point: Point | None = Point(given.before if is_before else given.after, is_before)
    while point is not None:
        with checked_out(given.notebook, settings, point.cell, before=point.is_before) as state:
            stays = given.kernel_only or console.has_user()
            told = console.described(given.notebook, str(point), state, stays=stays)
            write(told, given.output)
            console.attach(state, waits=given.kernel_only)
            point = state.visits.wanted
    return OK


def _listed(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.stored_page import stored_page
    from pytest_nbsafe.reports import stored_page_report

    write(stored_page_report.as_text(stored_page(given.notebook, _settings(given))), given.output)
    return OK


def diff(given: argparse.Namespace) -> int:
    """Show which names differ between two points of a notebook, and how."""
    from pytest_nbsafe.app import diff as diffing
    from pytest_nbsafe.reports.diff_report import DIFF_REPORTERS

    if (len(given.cells) != 2) if given.orders is None else given.cells:
        raise NbsafeError("bad-points", "what is compared?", "give two cells, or --orders A B")
    settings = _settings(given)
    if given.orders is not None:
        report = diffing.of_orders(given.notebook, settings, *given.orders)
    else:
        report = diffing.of_cells(given.notebook, settings, *given.cells)
    show(DIFF_REPORTERS, report, given.format, given.output)
    return OK


def store(given: argparse.Namespace) -> int:
    """Show what is kept of earlier runs, or remove it."""
    from pytest_nbsafe.app import store as stores
    from pytest_nbsafe.reports import store_report

    if given.prune or given.clear:
        freed = stores.freed(everything=given.clear)
        write(f"{store_report.in_bytes(freed)} removed\n", given.output)
        return OK
    as_asked = store_report.as_json if given.format == "json" else store_report.as_text
    write(as_asked(*stores.listed()), given.output)
    return OK


def _settings(given: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that were given, each proved alone so that a fault names its option."""
    from pytest_nbsafe import config

    settings: dict[str, Any] = {}
    for key in (*(option.key for option in of_command(given.called)), "cache"):
        value = getattr(given, key.replace("-", "_"), None)
        if value is not None:
            config.merge(config.Config(), {key: value}, f"--{key}")
            settings[key] = value
    if any(form in WITH_PAGES for form, _ in getattr(given, "formats", ())):
        settings["pages"] = True
    if getattr(given, "update_baseline", False):
        from pytest_nbsafe.app.baseline import DEFAULT

        here = config.merge(config.for_path(Path()), settings, "options")
        settings["baseline"] = here.baseline or DEFAULT
    return settings


def _reported(report: Report, given: argparse.Namespace, settings: dict[str, Any]) -> int:
    from pytest_nbsafe.app import job_summary
    from pytest_nbsafe.reports import REPORTERS

    show(REPORTERS, report, printed_format(given), given.output)
    for form, file in given.formats:
        if file:
            show(REPORTERS, report, form, Path(file))
    job_summary.add(report, [form for form, _ in given.formats])
    if given.update_baseline:
        from pytest_nbsafe.app.baseline_file import update_baseline

        for line in update_baseline(report, settings):
            say(line)
    if not report.notebooks and given.changed_since:
        say(f"no notebook is touched by what has changed since {given.changed_since}")
    elif not report.notebooks and not given.force_exclude:
        say(_NOTHING)
    return _exit_code(report, settings)


def _exit_code(report: Report, settings: dict[str, Any]) -> int:
    if any(finding.code == UNREADABLE for finding in report.findings):
        return MISUSE
    if any(finding.severity == "error" for finding in report.findings):
        return ERRORS
    warned = {finding.path for finding in report.findings if finding.severity == "warning"}
    from pytest_nbsafe import config

    strict = (config.of_notebook(Path(path), settings).strict for path in sorted(warned))
    return ERRORS if any(strict) else OK
