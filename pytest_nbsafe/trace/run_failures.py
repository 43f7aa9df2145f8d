"""How a run failed: the exception that it raised, what is told of it, and if a page shows it."""

from __future__ import annotations

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import Cell, saved_error
from pytest_nbsafe.trace.results import CellResult, Failure

_ADDRESS = patterns.compile(r"0x[0-9a-fA-F]+")
_UNDEFINED = patterns.compile(r"name '([^']+)' is not defined")


def exception(result: CellResult) -> Failure | None:
    """Return the exception that a run raised, also one that a magic of the cell swallowed."""
    if result.status == "raised":
        return result.failure
    for incident in result.incidents:
        if incident.kind == "captured":
            ename, _, evalue = incident.message.partition(": ")
            return Failure(ename, evalue, incident.line)
    return None


def why(result: CellResult) -> str:
    """Return what is known of how a run ended, in one line."""
    if result.failure is None:
        return result.reason
    return f"{result.failure.ename}: {result.failure.evalue}".strip().strip(":")


def shows_failure(cell: Cell, failure: Failure) -> bool:
    """Return whether the page shows just this failure: the same exception, the same message."""
    saved = saved_error(cell)
    return saved is not None and (saved.ename, _plain(saved.evalue)) == (
        failure.ename,
        _plain(failure.evalue),
    )


def undefined_name(ename: str, evalue: str) -> str | None:
    """Return the name that a NameError speaks of."""
    found = _UNDEFINED.search(evalue) if ename == "NameError" else None
    return found[1] if found else None


def _plain(text: str) -> str:
    return _ADDRESS.sub("0x", " ".join(text.split()))
