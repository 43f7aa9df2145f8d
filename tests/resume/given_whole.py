"""A notebook's report as a process that begins now gives it, and whether it is given whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe import project
from pytest_nbsafe.app import run, run_store, session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report
from pytest_nbsafe.values import replace


def report(path: Path, **settings: Any) -> Report:
    """Return the report of a process that begins now."""
    project.forget()
    run_store.forget()
    return run.report(path, configuration(path, {"resume": "on", **settings}))


def is_given_whole(path: Path, **settings: Any) -> bool:
    """Return whether a notebook's report is given without so much as reading its cells."""

    def refuses(*_: Any, **__: Any) -> None:
        raise InterruptedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.NotebookSession, "__init__", refuses)
        try:
            report(path, **settings)
        except InterruptedError:
            return False
    return True


def comparable(given: Report) -> Report:
    """Return a report without what hangs on the clock."""
    (notebook,) = given.notebooks
    assert notebook.resumed is not None
    saved = replace(notebook.resumed, saved_s=0.0, again_s=0.0)
    remarks = tuple(remark.partition(", ")[0] for remark in notebook.remarks)
    timeless = replace(notebook, duration_s=0.0, costs=(), resumed=saved, remarks=remarks)
    return replace(given, notebooks=(timeless,))
