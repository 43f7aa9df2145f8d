"""The hooks that gather the findings of a run, and show those that failed nothing."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding, NotebookReport, Report, sort_key
from pytest_nbsafe.plugin.items import NotebookItem
from pytest_nbsafe.plugin.settings import Settings
from pytest_nbsafe.reports import REPORTERS, escape, text, transport
from pytest_nbsafe.reports.colour import plain
from pytest_nbsafe.reports.json import encodable

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


_FINAL = frozenset({"passed", "failed", "skipped"})
"""Plugins that try again have another outcome for what does not count."""


class Reporting:
    """The findings of a run, gathered from the reports of its items.

    They travel on the reports so that the controller of pytest-xdist has those of its workers.
    """

    def __init__(self, settings: Settings) -> None:
        self._reports = settings.reports
        self._findings: dict[Finding, None] = {}
        self._unfailed: dict[Finding, None] = {}
        self._notebooks: dict[str, NotebookReport] = {}
        self._lines: tuple[str, ...] = ()
        self._report = Report((), ())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Lay the findings of an item on its report, as plain data."""
        report = yield
        if isinstance(item, NotebookItem) and call.when == "call" and item.outcome is not None:
            vars(report)["nbsafe"] = _packed(item)
            report.duration = item.file.billing.of(item.outcome, report.duration)
            if report.skipped and item.outcome.reason == item.file.opened().no_kernel:
                # The same at every cell: pytest's summary shows it once for the notebook.
                report.longrepr = (str(item.path), 1, f"Skipped: {text.reason(item.outcome)}")
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what a report brings."""
        packed = getattr(report, "nbsafe", None)
        if packed is None or report.outcome not in _FINAL:
            return
        failing, unfailed = map(transport.unpack, (packed["failing"], packed["unfailed"]))
        self._findings.update(dict.fromkeys((*failing.findings, *unfailed.findings)))
        self._unfailed.update(dict.fromkeys(unfailed.findings))
        self._notebooks.update({notebook.path: notebook for notebook in failing.notebooks})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report files; of the processes of pytest-xdist only the controller does."""
        if hasattr(session.config, "workerinput"):
            return
        findings = tuple(sorted(self._findings, key=sort_key))
        notebooks = tuple(self._notebooks[path] for path in sorted(self._notebooks))
        report = self._report = Report(findings, notebooks, str(session.config.rootpath))
        if session.config.getoption("nbsafe_lock"):
            self._lock(report, session.config.rootpath)
        for form, file in self._reports:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(REPORTERS[form](report, plain), encoding="utf-8", newline="\n")
        self._summarise(report)

    def _summarise(self, report: Report) -> None:
        """Add to the summary of a job on GitHub, or say why that cannot be."""
        from pytest_nbsafe.app import job_summary

        try:
            job_summary.add(report, [form for form, _ in self._reports])
        except NbsafeError as error:
            self._lines = (*self._lines, str(error))

    def _lock(self, report: Report, root: Path) -> None:
        """Lock the notebooks that passed, or say why that cannot be."""
        from pytest_nbsafe.app import lock

        try:
            self._lines = tuple(lock.write(report.notebooks, root))
        except NbsafeError as error:
            self._lines = (str(error),)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show the findings that failed no item, and say what was written."""
        if self._unfailed:
            terminalreporter.section("nbsafe warnings", sep="=", yellow=True, bold=True)
            for line in text.grouped(sorted(self._unfailed, key=sort_key)):
                terminalreporter.line(line)
        if updated := text.updated(self._notebooks.values()):
            terminalreporter.section("nbsafe updated outputs", sep="=")
            for line in updated:
                terminalreporter.line(line)
        for note in self._notes():
            terminalreporter.write_sep("-", f"nbsafe: {note}")
        is_verbose = terminalreporter.verbosity > 0
        for line in text.remarks(self._notebooks.values()) if is_verbose else ():
            terminalreporter.line(line)
        self._show_reports(terminalreporter)

    def _notes(self) -> Iterator[str]:
        """Yield what stands on a line of its own: what was locked, judged, fixed and reused."""
        notebooks = [*self._notebooks.values()]
        yield from map(escape.line, self._lines)
        yield from filter(None, (text.verdicts(notebooks), text.fixed(notebooks)))
        yield from text.resumed(notebooks)

    def _show_reports(self, terminalreporter: TerminalReporter) -> None:
        """Show the reports that go into no file, and say where the others are."""
        for form, file in self._reports:
            if file is not None:
                terminalreporter.write_sep("-", f"generated {form} file of nbsafe: {file}")
                continue
            for line in REPORTERS[form](self._report, plain).splitlines():
                terminalreporter.line(line)


def _packed(item: NotebookItem) -> dict[str, Any]:
    """Return an item's findings as plain data: those that failed it, and the others."""
    assert item.outcome is not None, "asked for after the item has run"
    failing = text.failing(item.outcome, strict=item.file.settings.strict)
    unfailed = tuple(finding for finding in item.outcome.findings if finding not in failing)
    notebook = replace(item.file.opened().report(), path=item.file.shown)
    line = next((f.file_line for f in failing if f.file_line), item.line)
    return {
        "place": {"file": item.file.shown, "line": str(line)},
        "failing": encodable(transport.pack(Report(failing, (notebook,)))),
        "unfailed": encodable(transport.pack(Report(unfailed, ()))),
    }
