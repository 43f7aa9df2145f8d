"""Notebooks and their cells as nodes of pytest, and the few notebooks that are open."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest._code.code import ExceptionRepr

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import NotebookReport, Outcome
from pytest_nbsafe.plugin import other_limits, run_settings
from pytest_nbsafe.plugin.billing import Billing
from pytest_nbsafe.plugin.failures import (
    NO_PDB,
    FailedError,
    FailureRepr,
    UnreachableError,
    told_alone,
)
from pytest_nbsafe.plugin.progress import shows_at_once
from pytest_nbsafe.reports import escape, text

if TYPE_CHECKING:
    from _pytest._code import Traceback

    from pytest_nbsafe.app.given_session import GivenSession
    from pytest_nbsafe.app.session import Listen, NotebookSession
    from pytest_nbsafe.app.whole_reports import Place
    from pytest_nbsafe.config import Config
    from pytest_nbsafe.plugin.settings import Settings

    Session = NotebookSession | GivenSession

THE_NOTEBOOK = 0
"""The number of the item that stands for no single cell."""


MOST = 3
"""How many notebooks stay open when another plugin shuffles their items among each other."""


class OpenNotebooks:
    """The open notebooks, the one used last at the end.

    `listen` gives who is told what runs in a notebook, None where nobody is; with `updates` what
    differs of the outputs is saved.
    """

    def __init__(self) -> None:
        self.listen: Listen | None = None
        self.updates = False
        self._open: dict[Path, Session] = {}
        self._places: dict[Path, Place] = {}
        self._were_any = False

    def of(self, path: Path, config: Config, selected: Callable[[], set[int] | None]) -> Session:
        """Return the session of a notebook, opened for the cells that were selected."""
        session = self._open.pop(path, None) or self._session(path, config, selected())
        self._open[path] = session
        self._were_any = True
        while len(self._open) > MOST:
            self.close(next(iter(self._open)))
        return session

    def _session(self, path: Path, config: Config, selected: set[int] | None) -> Session:
        from pytest_nbsafe.app import whole_reports
        from pytest_nbsafe.app.session import NOBODY_LISTENS, NotebookSession

        listener = self.listen(path) if self.listen else NOBODY_LISTENS
        is_whole = selected is None and not self.updates
        place = whole_reports.place_of(path, config) if is_whole else None
        given = whole_reports.session(place, config, listener) if place is not None else None
        if given is not None:
            return given
        session = NotebookSession(path, config, selected, listener)
        session.updates = self.updates
        if place is not None:
            self._places[path] = place
        return session

    def close(self, path: Path) -> None:
        """Close one notebook, if it is open."""
        session, place = self._open.pop(path, None), self._places.pop(path, None)
        if session is not None:
            session.close()
        if place is not None:
            from pytest_nbsafe.app import whole_reports

            whole_reports.keep(place, cast("NotebookSession", session))

    def close_all(self) -> None:
        """Close every notebook."""
        while self._open:
            self.close(next(iter(self._open)))

    def finish(self) -> None:
        """Close every notebook, and end what waits to start kernels."""
        self.close_all()
        if self._were_any:
            from pytest_nbsafe.app import kernels

            kernels.end_servers()


class NotebookFile(pytest.File):
    """A notebook: yields an item a code cell in page order, then one for the whole."""

    open_notebooks: OpenNotebooks
    billing: Billing
    chosen: Settings
    settings: Config
    numbers: frozenset[int] = frozenset()
    stopped: str = ""
    """Why no more of it is run, empty as long as it is."""
    is_set_up = False
    """Whether it is known how it is run; what fails before that is the user's conftest."""
    to_come: set[str] | None = None
    """The node ids of the items that have not run yet, None before the first."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items; a notebook that cannot be read has only the last, which says so.

        Raises:
            CollectError: the notebook's configuration or lock file is not understood.

        """
        from pytest_nbsafe.app.session import NotebookSession

        try:
            self.settings = self.chosen.of(self.path)
            cells = NotebookSession(self.path, self.settings).cells
        except NbsafeError as error:
            # A usage error would be lost in a worker of pytest-xdist.
            raise self.CollectError(escape.line(str(error))) from error
        self.numbers = frozenset({THE_NOTEBOOK, *(cell.number for cell in cells)})
        for cell in cells:
            item: NotebookItem = CellItem.from_parent(self, name=f"cell-{cell.number}")
            item.describe(cell.number, cell.file_line(1), cell.tags)
            yield item
        item = NotebookItem.from_parent(self, name="notebook")
        item.describe(THE_NOTEBOOK, 1, ())
        yield item

    @property
    def shown(self) -> str:
        """The path as reports show it: as in the node ids, in full outside of the root."""
        return self.nodeid if self.nodeid.endswith(self.path.name) else str(self.path)

    def setup(self) -> None:
        """Ask the conftest files how the notebook is run.

        Raises:
            fail.Exception: what they give cannot be used. It is shown without a traceback.

        """
        if self.is_set_up or self.settings.static:
            return
        hooks, config = self.ihook, self.config
        try:
            self.settings = run_settings.of_conftest(self.settings, hooks, config, self.path)
            self.opened()
        except NbsafeError as error:
            raise told_alone(error) from None
        self.is_set_up = True

    def teardown(self) -> None:
        """Stop the kernels, unless items of this notebook are still to come."""
        if not self.to_come:
            self.open_notebooks.close(self.path)

    def opened(self) -> Session:
        """Return the notebook under test, opened for the cells that were selected."""
        return self.open_notebooks.of(self.path, self.settings, self._selected)

    def _selected(self) -> set[int] | None:
        """Return the numbers of the cells that pytest will ask for, None when that is all."""
        items = [
            item
            for item in self.session.items
            if isinstance(item, NotebookItem) and item.path == self.path
        ]
        if self.to_come is None:
            self.to_come = {item.nodeid for item in items}
            self.billing = Billing(has_notebook=any(not item.number for item in items))
        numbers = {item.number for item in items}
        return None if numbers >= self.numbers else numbers - {THE_NOTEBOOK}


class NotebookItem(pytest.Item):
    """What belongs to no single cell: an unreadable file, a kernel that is not there."""

    number = THE_NOTEBOOK
    line = 1
    outcome: Outcome | None = None
    has_run = False

    @property
    def file(self) -> NotebookFile:
        """The notebook that the item belongs to."""
        assert isinstance(self.parent, NotebookFile), "only notebooks make these items"
        return self.parent

    def place(self) -> tuple[bool, int]:
        """Return what sorts the items of a notebook: the cells of the page, then the whole."""
        return not self.number, self.number

    @property
    def title(self) -> str:
        """What the item is called in a sentence."""
        return f"cell {self.number}" if self.number else "the notebook"

    @property
    def _has_debugger(self) -> bool:
        return bool(self.config.getoption("usepdb", default=False))

    def describe(self, number: int, line: int | None, tags: Iterable[str]) -> None:
        """Take the cell's number, the physical line where it begins, and its tags as marks."""
        self.number = number
        self.line = line or 1
        self.user_properties.append(("file", self.file.shown))
        if line:
            self.user_properties.append(("line", line))
        for name in filter(None, map(mark_name, tags)):
            # Registered, since --strict-markers knows only what the user declared.
            self.config.addinivalue_line("markers", f"{name}: tag of a notebook's cells")
            self.add_marker(name)

    def runtest(self) -> None:
        """Pass, or raise what the outcome says."""
        if self.has_run:
            self._start_again()
        self.has_run = True
        if self.file.stopped:
            raise pytest.skip.Exception(self.file.stopped, _use_item_location=True)
        try:
            outcome = self.outcome = self._outcome()
        except pytest.fail.Exception as error:
            # Another plugin's, such as a timeout: it came while the kernel was at work.
            self.file.stopped = f"not run: {self.title} was stopped ({escape.line(str(error))})"
            self.file.open_notebooks.close(self.path)
            raise
        self.user_properties += [("nbsafe", text.key(finding)) for finding in outcome.findings]
        if not self.number:
            self._tell_of_the_whole(self.file.opened().report())
        if not shows_at_once(self.config):  # else they were shown as they came
            for stream, written in (("stdout", outcome.output), ("stderr", outcome.errors)):
                if written:
                    self.add_report_section("call", stream, text.printed(written))
        if outcome.status == "failed":
            raise (UnreachableError if self._has_debugger else FailedError)(outcome)
        if outcome.status == "skipped":
            raise pytest.skip.Exception(text.reason(outcome), _use_item_location=True)

    def _start_again(self) -> None:
        """Forget the first attempt, for another plugin asks again: the notebook runs anew."""
        self.file.open_notebooks.close(self.path)
        self.file.stopped = ""
        other_limits.start_again(self)
        self.user_properties = [pair for pair in self.user_properties if pair[0] != "nbsafe"]
        self._report_sections.clear()

    def _outcome(self) -> Outcome:
        """Return what the item has to say, running what that needs.

        Its findings carry the path as pytest writes it, from the root.
        """
        session, number = self.file.opened(), self.number
        if self.file.to_come:
            self.file.to_come.discard(self.nodeid)
        if session.notebook and number and number not in {cell.number for cell in session.cells}:
            reason = f"cell {number} is gone: the notebook changed after it was collected"
            return Outcome(number, "failed", reason)
        outcome, path = session.outcome(number), self.file.shown
        return replace(outcome, findings=tuple(replace(f, path=path) for f in outcome.findings))

    def _tell_of_the_whole(self, report: NotebookReport) -> None:
        """Add the verdict, with its reasons, and what is told quietly."""
        if report.verdict:
            self.user_properties.append(("nbsafe-verdict", report.verdict))
        said = (report.verdict, *report.reasons) if report.reasons else ()
        orders = text.orders_compared(report.compared) if report.compared else ()
        for title, lines in (("verdict", said), ("orders", orders), ("remarks", report.remarks)):
            if lines:
                shown = text.printed("\n".join(lines))
                self.add_report_section(f"of {self.title}", title, shown)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line in it (0-based, as pytest asks) and the title."""
        return self.path, self.line - 1, f"{self.path.name}, {self.title}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report of a failed outcome; a fault of ours is shown as one."""
        if isinstance(excinfo.value, FailedError):
            return self._failure(excinfo.value.outcome)
        if isinstance(excinfo.value, pytest.fail.Exception):
            message = f"{self.title} was stopped by another plugin: {excinfo.value}"
            return self._in_one_line(escape.sentence(message))
        if isinstance(excinfo.value, NbsafeError):  # such as a file that cannot be written
            return self._in_one_line(escape.line(str(excinfo.value)))
        excinfo.traceback = excinfo.traceback.cut(path=Path(__file__))
        fault = super().repr_failure(excinfo, style)
        if isinstance(fault, ExceptionRepr) and fault.reprcrash is not None:
            fault.reprcrash.message = f"INTERNAL ERROR of nbsafe: {fault.reprcrash.message}"
            blame = f"The fault is in pytest-nbsafe, not in {self.title}: please report it."
            fault.addsection("INTERNAL ERROR of nbsafe", blame)
        return fault

    def _traceback_filter(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Traceback:
        """Return what pytest shows of a traceback: of a hook of the user's only its own code.

        What fails while an item is set up never comes to `repr_failure`. pytest has no public
        way to shorten it; where it no longer asks here, the traceback is longer.
        """
        if self.file.is_set_up or self.file.settings.static:
            return excinfo.traceback
        return run_settings.of_users(excinfo.traceback)

    def _in_one_line(self, message: str) -> FailureRepr:
        return FailureRepr(self.file.shown, self.line, message, lambda _: [message])

    def _failure(self, outcome: Outcome) -> FailureRepr:
        strict = self.file.settings.strict
        notebook = self.file.opened().notebook
        failing = text.failing(outcome, strict=strict)
        line = (failing[0].file_line if failing else None) or self.line
        message = text.headline(failing[0]) if failing else text.reason(outcome)
        if self.config.getoption("tbstyle", default="auto") == "line":  # pytest adds that line
            return FailureRepr(self.file.shown, line, message, lambda _: [])
        ends = ["", NO_PDB] if self._has_debugger else []
        return FailureRepr(
            self.file.shown,
            line,
            message,
            lambda paint: [*text.item(outcome, notebook, strict=strict, paint=paint), *ends],
        )


class CellItem(NotebookItem):
    """One code cell."""


# Marks that act in pytest and take arguments, which a tag cannot give.
_TAKE_ARGUMENTS = frozenset({"filterwarnings", "parametrize", "skipif", "usefixtures"})


def mark_name(tag: str) -> str | None:
    """Return the mark that a tag becomes: itself with underscores, None if that is no name."""
    name = tag.replace("-", "_")
    fit = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    return name if fit and name not in _TAKE_ARGUMENTS else None
