"""A notebook that a test has run: its report, its outputs, and what its names hold."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError, no_code_cell
from pytest_nbsafe.findings import Finding, NotebookReport
from pytest_nbsafe.kernel.contract import Fetched
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.runner.kept_session import KeptSession
from pytest_nbsafe.values import replace

_DID_NOT_RUN = frozenset({"NBS401", "NBS901", "NBS902", "NBS903", "NBS904", "NBS905"})
"""Codes of what keeps a cell, or all of them, from running to the end."""


class NotebookRun:
    """A notebook that has run from top to bottom, its kernel waiting for questions.

    `report` is what became of it, `findings` what was found, `failures` what the cells say that did
    not run as they should, `outputs` what each cell showed, by its number. `names` gives what names
    hold, as `value` brings it.
    """

    def __init__(self, path: Path, config: Config) -> None:
        self._path = path
        self._session = session = NotebookSession(path, replace(config, static=False, resume="off"))
        self._kept: list[KeptSession] = []
        session.kept = self._kept
        try:
            numbers = [cell.number for cell in session.cells]
            outcomes = [session.outcome(number) for number in (*numbers, 0)]
        except BaseException:
            session.close()
            raise
        self.report: NotebookReport = session.report()
        self.findings: tuple[Finding, ...] = session.findings
        self.failures = tuple(
            outcome
            for outcome in outcomes
            if any(finding.code in _DID_NOT_RUN for finding in outcome.findings)
        )
        self.notebook = session.notebook
        self.outputs: Mapping[int, tuple[Output, ...]] = {
            result.cell: result.outputs
            for result in (session.trial.clean.results if session.trial else ())
        }
        self.names: Mapping[str, Any] = _Names(self)

    def text(self, cell: int) -> str:
        """Return what a cell printed, and the text of what else it showed.

        Raises:
            NbsafeError: it is no code cell of the page.

        """
        __tracebackhide__ = True
        code = [page.number for page in self.notebook.code_cells] if self.notebook else []
        if cell not in code:
            raise no_code_cell(str(self._path), cell, code)
        outputs = self.outputs.get(cell, ())
        return "".join(o.text if o.kind == "stream" else f"{o.text}\n" for o in outputs)

    def value(self, expression: str) -> Any:
        """Return what an expression gives in the kernel: a name, or a call.

        It comes as a copy, by pickle: of objects of the notebook's own classes ask for what they
        hold.

        Raises:
            NbsafeError: it raises there, or its value cannot be brought here.

        """
        __tracebackhide__ = True  # pytest's way to end a traceback where the test asks
        fetched = self._fetch(expression)
        if fetched["pickled"]:
            try:
                return pickle.loads(base64.b64decode(fetched["pickled"]))  # noqa: S301  # our kernel
            except Exception as error:  # noqa: BLE001  # whatever its classes raise
                fetched = {**fetched, "cause": f"{type(error).__name__}: {error}"}
        if not fetched["kind"]:
            message = f"{self._path}: {expression} gives no value: {fetched['cause']}"
            raise NbsafeError("no-value", message)
        message = (
            f"{self._path}: {expression} is a {fetched['kind']} ({fetched['shown']}), which cannot "
            f"leave the kernel: {fetched['cause']}"
        )
        raise NbsafeError("no-value", message, "ask for a part of it, or for its repr()")

    def close(self) -> None:
        """Stop the kernel; safe to call twice."""
        self._session.close()

    def _fetch(self, expression: str) -> Fetched:
        if self._kept:
            return self._kept[-1].fetch(expression)
        return {"pickled": "", "kind": "", "shown": "", "cause": "nothing has run"}

    def __enter__(self) -> NotebookRun:  # noqa: PYI034  # typing.Self needs Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Names(Mapping[str, Any]):
    """The names of a notebook, each brought from the kernel when it is asked for."""

    def __init__(self, run: NotebookRun) -> None:
        self._run = run

    def __getitem__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name not in self._list():
            raise KeyError(name)
        return self._run.value(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def _list(self) -> list[str]:
        names: list[str] = self._run.value("")
        return names
