"""`nbsafe stats`: the measures of notebooks and histories, one by one and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook import load
from pytest_nbsafe.order.corpus_measures import together
from pytest_nbsafe.order.measures import Measures, measures
from pytest_nbsafe.replay import history_measures
from pytest_nbsafe.replay.history_measures import HistoryMeasures
from pytest_nbsafe.reports.stats_report import StatsReport

_HISTORY = ".sqlite"


def stats(
    paths: Sequence[Path], settings: Mapping[str, Any], which: Which | None = None
) -> StatsReport:
    """Return the measures of the notebooks, and of the histories that are named.

    A notebook that cannot be read, is not Python or too much to be analysed is left out, and named.

    Raises:
        NbsafeError: a path or a setting is not understood, or a history cannot be read.

    """
    histories = [path for path in paths if path.suffix == _HISTORY and path.is_file()]
    others = [path for path in paths if path not in histories]
    measured: dict[str, Measures] = {}
    left_out: dict[str, str] = {}
    for path in notebooks_in(others, settings, which) if others else ():
        try:
            measured[str(path)] = _measured(path, settings)
        except (NbsafeError, load.Unreadable) as error:
            left_out[str(path)] = str(error)
    past: dict[str, HistoryMeasures] = {
        str(path): history_measures.measures(path) for path in sorted(histories)
    }
    return StatsReport(measured, together(list(measured.values())), past, left_out)


def _measured(path: Path, settings: Mapping[str, Any]) -> Measures:
    config = configuration(path, settings)
    notebook = load.read(path, config.libraries, config.most_mb)
    if notebook.language != "python":
        message = f"its language is {notebook.language}, not Python"
        raise NbsafeError("not-python", message)
    graph = build(notebook)
    if not graph.budget.suffices:
        raise CutShort
    return measures(graph)
