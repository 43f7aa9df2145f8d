"""From the kernel's event of a run to lineage records (nbsafety, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.kernel.contract import CellRun, Fingerprint
from pytest_nbsafe.trace.model import Record, Value


def values(fingerprints: Mapping[str, Fingerprint]) -> dict[str, Value]:
    """Return what names held, as the host compares it."""
    return {
        name: Value(found["hash"], found["kind"], found["cause"], found["identity"])
        for name, found in fingerprints.items()
    }


def records(
    event: CellRun,
    step: int,
    cell: int,
    analyses: Mapping[int, CellAnalysis],
    run_cells: Mapping[int, int],
) -> tuple[Record, ...]:
    """Return the executed statements of a run."""
    return ()
