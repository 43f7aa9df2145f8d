"""The answer of `nbsafe stats`: measures of notebooks and histories, one by one and together."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.order.measures import COMPARED
from pytest_nbsafe.reports import escape, svg
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import VERSION, dump, picked
from pytest_nbsafe.sentences import many
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.order.corpus_measures import CorpusMeasures
    from pytest_nbsafe.order.measures import Measures
    from pytest_nbsafe.replay.history_measures import HistoryMeasures


@dataclass(frozen=True, slots=True)
class StatsReport:
    """Measures by path, in order, and `together`; `left_out` says why a notebook has none."""

    notebooks: Mapping[str, Measures]
    together: CorpusMeasures
    histories: Mapping[str, HistoryMeasures]
    left_out: Mapping[str, str]


# -- text ------------------------------------------------------------------------------------------

_SHOWN_PAIRS = 6
_SHOWN_SESSIONS = 5


def as_text(report: StatsReport, paint: Paint = plain) -> str:
    """Return the measures together, then those of the histories, for a reader at a terminal."""
    parts = [list(_summary(report.together, paint))] if report.notebooks else []
    parts += [list(_history(path, past, paint)) for path, past in report.histories.items()]
    if report.left_out:
        parts.append([paint("Left out", "heading")])
        parts[-1] += [
            f"  {escape.line(path)}: {escape.sentence(why)}"
            for path, why in report.left_out.items()
        ]
    return "\n\n".join("\n".join(lines) for lines in parts or [["no notebooks there"]]) + "\n"


def _summary(whole: CorpusMeasures, paint: Paint) -> Iterator[str]:
    ran = f"{many(whole.executed_notebooks, 'executed notebook')} of {whole.notebooks:,}"
    yield paint(f"{ran}, {whole.cells:,} executed cells", "heading")
    if not whole.executed_notebooks:
        return
    yield f"  no gaps or jumps       {_percent(whole.plain)}"
    sessions = [f"{n}: {_percent(share)}" for n, share in whole.sessions[:_SHOWN_SESSIONS]]
    yield f"  sessions, at least     {'  '.join(sessions)}"
    yield f"  runs, at least         median {whole.runs_median:g}, most {whole.runs_most:,}"
    yield "  executed cells / runs  quartiles " + ", ".join(f"{q:.2f}" for q in whole.ratio)
    pairs = [f"({g},{j}) {_percent(share)}" for g, j, share in whole.gap_jumps[:_SHOWN_PAIRS]]
    yield f"  gap-jumps              {'  '.join(pairs) or 'none'}"
    yield f"  with dependencies      {_percent(whole.dependent)} of the notebooks"
    ambiguous = f"{_percent(whole.ambiguous)} of the cells of the others"
    yield f"  none of them ambiguous {_percent(whole.unambiguous)} of the notebooks; {ambiguous}"
    yield ""
    yield paint("Of 1,000 executed cells", "heading")
    yield f"  dependent {whole.dependent_cells:.1f}, ambiguous {whole.ambiguous_cells:.1f}"
    yield "  order        unbound  out of order"
    for share in whole.orders:
        yield f"  {share.order:<12} {share.unbound:7.2f}  {share.out_of_order:12.2f}"


def _history(path: str, past: HistoryMeasures, paint: Paint) -> Iterator[str]:
    yield paint(f"{escape.line(path)}: {many(past.sessions, 'session')}", "heading")
    yield f"  compared   {past.compared} sessions of 11 to 99 runs, {past.runs:,} runs"
    if past.runs:
        again = _percent(past.repeated / past.runs)
        at_once = _percent(past.at_once / past.repeats) if past.repeats else "none"
        yield f"  repeats    {again} of the runs repeat an earlier one, {at_once} of them at once"
        near = sum(distance <= 10 for distance in past.distances)
        yield f"  revisits   {past.revisits} of earlier sessions, {near} within ten sessions"
    if not past.is_whole:
        yield "  Note: too much text to compare; later texts count only where they are the same."


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


# -- JSON and CSV ----------------------------------------------------------------------------------

_COUNTED = "cells executed gaps missing jumps sessions runs dependent ambiguous"
_TOGETHER = (
    "notebooks executed_notebooks cells plain sessions runs_median runs_most ratio gap_jumps "
    "dependent unambiguous ambiguous dependent_cells ambiguous_cells"
)
_HISTORY = "sessions compared runs repeats at_once repeated revisits distances is_whole"


def as_json(report: StatsReport, _paint: Paint = plain) -> str:
    """Return all measures as a JSON document."""
    whole = report.together
    return dump(
        {
            "version": VERSION,
            "notebooks": [
                {"path": path, **described(measured)} for path, measured in report.notebooks.items()
            ],
            "together": {
                **_rounded(picked(whole, _TOGETHER)),
                "orders": {
                    s.order: _rounded(picked(s, "unbound out_of_order")) for s in whole.orders
                },
            },
            "histories": [
                {"path": path, **picked(past, _HISTORY)} for path, past in report.histories.items()
            ],
            "left_out": [{"path": path, "why": why} for path, why in report.left_out.items()],
        }
    )


def described(measured: Measures) -> dict[str, Any]:
    """Return the measures of one notebook as a document."""
    ratio = None if measured.ratio is None else round(measured.ratio, 4)
    return {
        **picked(measured, _COUNTED),
        "ratio": ratio,
        "gap_jumps": [list(pair) for pair in measured.gap_jumps],
        "orders": {
            name: picked(order, "unbound out_of_order") for name, order in measured.orders.items()
        },
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_rounded(inner) for inner in value]
    return value


def as_csv(report: StatsReport, _paint: Paint = plain) -> str:
    """Return a row for each notebook."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = _COUNTED.split()
    ordered = [f"{kind} {name}" for name in COMPARED for kind in ("unbound", "out-of-order")]
    rows.writerow(["path", *names, "ratio", *ordered])
    for path, measured in report.notebooks.items():
        orders = [measured.orders[name] for name in COMPARED]
        numbers = [n for order in orders for n in (order.unbound, order.out_of_order)]
        ratio = "" if measured.ratio is None else round(measured.ratio, 4)
        counted = picked(measured, _COUNTED).values()
        rows.writerow([escape.line(path), *counted, ratio, *numbers])
    return text.getvalue()


STATS_REPORTERS = {"csv": as_csv, "json": as_json, "text": as_text}

# -- the drawing -----------------------------------------------------------------------------------

_BAR, _ROW, _NAMES = 360, 22, 130


def as_svg(report: StatsReport) -> str:
    """Return three groups of bars: sessions, gap-jumps, and cells out of order."""
    whole = report.together
    sessions = [(f"{n} at least", share) for n, share in whole.sessions[:_SHOWN_SESSIONS]]
    pairs = [(f"({g},{j})", share) for g, j, share in whole.gap_jumps[: 2 * _SHOWN_PAIRS]]
    groups: list[tuple[str, Sequence[tuple[str, float]], str]] = [
        ("Sessions, share of the notebooks", sessions, "%"),
        ("Gap-jumps, share of all", pairs, "%"),
        (
            "Cells out of order, of 1,000 executed",
            [(share.order, share.out_of_order) for share in whole.orders],
            "",
        ),
    ]
    parts: list[str] = []
    y = 30
    for colour, (title, bars, unit) in zip(svg.COLOURS, groups, strict=False):
        parts.append(svg.words(10, y, title))
        most = max((value for _, value in bars), default=0) or 1
        for row, (name, value) in enumerate(bars, 1):
            at = y + row * _ROW
            parts.append(svg.words(_NAMES, at, name, anchor="end"))
            length = value / most * _BAR
            parts.append(svg.bar(_NAMES + 8, at - 12, length, 14, colour))
            number = f"{100 * value:.1f}%" if unit else f"{value:.2f}"
            parts.append(svg.words(_NAMES + 14 + length, at, number))
        y += (len(bars) + 2) * _ROW
    return svg.drawing(_NAMES + _BAR + 90, y, parts)
