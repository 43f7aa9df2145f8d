"""The pytest plugin: a notebook is a test file, its code cells are the tests.

Loaded in every run of pytest: until it is switched on it only knows its options, and what costs
time to import is imported after that.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import (
    ExceptionRepr,
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_nbsafe.errors import NbsafeError

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter
    from _pytest.terminal import TerminalReporter

    from pytest_nbsafe.check import NotebookSession
    from pytest_nbsafe.config import Config
    from pytest_nbsafe.findings import Finding, NotebookReport, Outcome
    from pytest_nbsafe.reports.colour import Paint, Role

THE_NOTEBOOK = 0
"""The number of the item that stands for no single cell."""

OPEN_NOTEBOOKS = 3
"""How many notebooks may have kernels at once, when another plugin mixes the order of items."""

# ---------------------------------------------------------------------- options

_FLAGS = {
    "static": "check the notebooks without running them",
    "strict": "warnings fail too",
    "notes": "show notes too",
}
_VALUES = {
    "order": ("NAME", "the order to replay: auto, recorded, inferred or top-down"),
    "timeout": ("SECONDS", "limit for one cell, 0 for none"),
    "kernel": ("NAME", "run the notebooks in this kernel, not in their own"),
}
_LISTS = {
    "select": ("CODES", "report only these codes or prefixes of codes"),
    "ignore": ("CODES", "do not report these codes or prefixes of codes"),
    "report": ("FORMAT:FILE", "write a report to a file: json or text"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each with its twin in the ini file."""
    group = parser.getgroup("nbsafe", "safety of Jupyter notebooks")
    text = "test the notebooks: each code cell is an item"
    group.addoption("--nbsafe", action="store_true", default=None, help=text)
    parser.addini("nbsafe", text, type="bool", default=False)
    for key, text in _FLAGS.items():
        group.addoption(f"--nbsafe-{key}", action="store_true", default=None, help=text)
        parser.addini(f"nbsafe_{key}", text, type="bool", default=None)
    for key, (metavar, text) in _VALUES.items():
        group.addoption(f"--nbsafe-{key}", default=None, metavar=metavar, help=text)
        parser.addini(f"nbsafe_{key}", text, type="string", default=None)
    for key, (metavar, text) in _LISTS.items():
        group.addoption(
            f"--nbsafe-{key}", action="append", default=None, metavar=metavar, help=text
        )
        parser.addini(f"nbsafe_{key}", text, type="args", default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Switch on when asked to.

    Raises:
        pytest.UsageError: an option, or the configuration at the root, cannot be understood.

    """
    if not (config.getoption("nbsafe") or config.getini("nbsafe")):
        return
    try:
        config.pluginmanager.register(Nbsafe(config), "nbsafe-on")
    except NbsafeError as error:
        raise pytest.UsageError(str(error)) from error


def _given(config: pytest.Config, key: str) -> Iterator[tuple[str, Any]]:
    """Yield what was given for a key and where, the option last because it wins."""
    ini, option = f"nbsafe_{key}", f"--nbsafe-{key}"
    for source, value in ((f"ini {ini}", config.getini(ini)), (option, config.getoption(ini))):
        if value is not None:
            yield source, value


# ------------------------------------------------------------------- collection


class NotebookFile(pytest.File):
    """A notebook: yields an item a code cell in page order, then one for the whole."""

    nbsafe: Nbsafe
    settings: Config
    numbers: frozenset[int] = frozenset()

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items; a notebook that cannot be read has only the last, which says so."""
        from pytest_nbsafe.check import NotebookSession

        cells = NotebookSession(self.path, self.settings).cells
        self.numbers = frozenset({THE_NOTEBOOK, *(cell.number for cell in cells)})
        for cell in cells:
            item = CellItem.from_parent(self, name=f"cell-{cell.number}")
            item.describe(cell.number, cell.file_line(1), cell.tags)
            yield item
        whole = NotebookItem.from_parent(self, name="notebook")
        whole.describe(THE_NOTEBOOK, 1, ())
        yield whole

    def teardown(self) -> None:
        """Stop the kernels unless items of this notebook are still to come."""
        self.nbsafe.leave(self)


class NotebookItem(pytest.Item):
    """What belongs to no single cell: an unreadable file, a missing kernel, lost order."""

    parent: NotebookFile
    number = THE_NOTEBOOK
    line = 1
    outcome: Outcome | None = None

    def describe(self, number: int, line: int | None, tags: Iterable[str]) -> None:
        """Take the cell's number, the physical line where it begins, and its tags as marks."""
        self.number = number
        self.line = line or 1
        self.user_properties.append(("file", self.parent.nodeid))
        if line:
            self.user_properties.append(("line", line))
        for name in filter(None, map(_mark_name, tags)):
            self.config.addinivalue_line("markers", f"{name}: tag of a notebook's cells")
            self.add_marker(name)

    def runtest(self) -> None:
        """Pass, or raise what the outcome says."""
        from pytest_nbsafe.reports import text

        outcome = self.outcome = self.parent.nbsafe.outcome(self)
        self.user_properties += [("nbsafe", text.key(finding)) for finding in outcome.findings]
        if outcome.status == "failed":
            if outcome.output:
                self.add_report_section(f"of {self.title}", "stdout", text.printed(outcome))
            raise _FailedError(outcome)
        if outcome.status == "skipped":
            raise pytest.skip.Exception(text.reason(outcome), _use_item_location=True)

    @property
    def title(self) -> str:
        """What the item is called in a sentence."""
        return f"cell {self.number}" if self.number else "the notebook"

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line in it (0-based, as pytest asks) and the title."""
        return self.path, self.line - 1, f"{self.path.name}, {self.title}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the finding's own report; a fault of ours says that it is one."""
        if isinstance(excinfo.value, _FailedError):
            return _failure(self, excinfo.value.outcome)
        excinfo.traceback = excinfo.traceback.cut(path=Path(__file__))
        fault = super().repr_failure(excinfo, style)
        if isinstance(fault, ExceptionRepr) and fault.reprcrash is not None:
            fault.reprcrash.message = f"INTERNAL ERROR of nbsafe: {fault.reprcrash.message}"
            blame = f"The fault is in pytest-nbsafe, not in {self.title}: please report it."
            fault.addsection("INTERNAL ERROR of nbsafe", blame)
        return fault


class CellItem(NotebookItem):
    """One code cell."""


# Marks that do something in pytest and take arguments, which a tag cannot give.
_TAKE_ARGUMENTS = frozenset({"filterwarnings", "parametrize", "skipif", "usefixtures"})


def _mark_name(tag: str) -> str | None:
    """Return the mark that a tag becomes: itself with underscores, None if that is no name."""
    name = tag.replace("-", "_")
    fit = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    return name if fit and name not in _TAKE_ARGUMENTS else None


# ---------------------------------------------------------------------- failures


class _FailedError(Exception):
    """Carries a failed outcome to `repr_failure`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def _failure(item: NotebookItem, outcome: Outcome) -> _FailureRepr:
    from pytest_nbsafe.reports import text

    strict = item.parent.settings.strict
    notebook = item.parent.nbsafe.session(item.parent).notebook
    failing = text.failing(outcome, strict=strict)
    line = failing[0].file_line if failing else None
    message = text.headline(failing[0]) if failing else text.reason(outcome)
    crash = ReprFileLocation(item.parent.nodeid, line or item.line, message)
    return _FailureRepr(
        crash, lambda paint: text.item(outcome, notebook, strict=strict, paint=paint)
    )


class _FailureRepr(ReprExceptionInfo):
    """A rendered report: in colour on this terminal, plain in JUnit and across pytest-xdist.

    xdist sends on just what the parent class holds, so the plain text stands there.
    """

    def __init__(self, crash: ReprFileLocation, render: Callable[[Paint], list[str]]) -> None:
        from pytest_nbsafe.reports.colour import plain

        entry = ReprEntryNative(["\n".join(render(plain)), "\n"])
        super().__init__(ReprTraceback([entry], None, style="native"), crash)
        self._render = render

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write the report in the terminal's own markup."""
        from pytest_nbsafe.reports.colour import MARKUP

        def paint(text: str, role: Role) -> str:
            return tw.markup(text, **dict.fromkeys(MARKUP[role], True))

        for line in self._render(paint):
            tw.line(line)


# ----------------------------------------------------------------------- the run


class Nbsafe:
    """The hooks of a run that tests notebooks, and the sessions that are open."""

    def __init__(self, config: pytest.Config) -> None:
        from pytest_nbsafe import config as configs

        self._settings: dict[str, Any] = {}
        for key in (*_FLAGS, *_VALUES, "select", "ignore"):
            for source, value in _given(config, key):
                configs.merge(configs.Config(), {key: value}, source)
                self._settings[key] = value
        self._files = _report_files(config)
        self._configuration(config.rootpath / "any.ipynb")
        self._misuse: NbsafeError | None = None
        self._open: dict[Path, NotebookSession] = {}
        self._waiting: dict[Path, set[str]] = {}
        self._findings: dict[Finding, None] = {}
        self._to_tell: dict[Finding, None] = {}
        self._notebooks: dict[str, NotebookReport] = {}

    def _configuration(self, path: Path) -> Config:
        from pytest_nbsafe import config as configs

        return configs.merge(configs.for_path(path), self._settings, "options")

    # -- collection

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> NotebookFile | None:
        """Collect notebooks, but never the copies that Jupyter keeps."""
        if file_path.suffix != ".ipynb" or ".ipynb_checkpoints" in file_path.parts:
            return None
        try:
            settings = self._configuration(file_path)
        except NbsafeError as error:
            # Raised here it would be a collection error with a traceback.
            self._misuse = error
            return None
        file: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
        file.nbsafe, file.settings = self, settings
        return file

    def pytest_collection_modifyitems(self) -> None:
        """Stop with one line when a notebook's configuration cannot be understood."""
        if self._misuse is not None:
            raise pytest.UsageError(str(self._misuse))

    # -- sessions

    def outcome(self, item: NotebookItem) -> Outcome:
        """Return what an item has to say, running what that needs."""
        from pytest_nbsafe.findings import Outcome

        session = self.session(item.parent)
        self._waiting[item.path].discard(item.nodeid)
        if session.notebook is None:
            outcome = session.outcome(THE_NOTEBOOK)
        elif item.number and item.number not in {cell.number for cell in session.cells}:
            reason = f"cell {item.number} is gone: the notebook changed after it was collected"
            outcome = Outcome(item.number, "failed", reason)
        else:
            outcome = session.outcome(item.number)
        path = item.parent.nodeid
        return replace(outcome, findings=tuple(replace(f, path=path) for f in outcome.findings))

    def session(self, file: NotebookFile) -> NotebookSession:
        """Return the file's session, opened for the cells that were selected."""
        from pytest_nbsafe.check import NotebookSession

        session = self._open.pop(file.path, None)
        if session is None:
            chosen = [i for i in file.session.items if _belongs(i, file)]
            self._waiting.setdefault(file.path, {item.nodeid for item in chosen})
            numbers = {item.number for item in chosen}
            selected = None if numbers >= file.numbers else numbers - {THE_NOTEBOOK}
            session = NotebookSession(file.path, file.settings, selected)
        self._open[file.path] = session
        while len(self._open) > OPEN_NOTEBOOKS:
            self._close(next(iter(self._open)))
        return session

    def leave(self, file: NotebookFile) -> None:
        """Close a notebook's session once its last item has run."""
        if not self._waiting.get(file.path):
            self._close(file.path)

    def _close(self, path: Path) -> None:
        session = self._open.pop(path, None)
        if session is not None:
            session.close()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Leave no kernel behind, and write the files that were asked for."""
        self.pytest_unconfigure()
        if not hasattr(session.config, "workerinput"):
            self._write()

    def pytest_unconfigure(self) -> None:
        """Stop every kernel that is still up, whatever ended the run."""
        while self._open:
            self._close(next(iter(self._open)))

    # -- reports

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[pytest.TestReport]:
        """Give the report of an item its findings, as plain data that xdist can send."""
        report: pytest.TestReport = yield
        if isinstance(item, NotebookItem) and call.when == "call" and item.outcome is not None:
            report.nbsafe = self._packed(item, item.outcome)
        return report
