"""How well each order explains notebooks whose true sessions are known: one table.

An edge is a name that a cell reads at its last run, and the cell whose run had made it. Nothing
is asserted. Files are JSON lines as `tests/linked_sessions.py` reads them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import linked_sessions
from linked_sessions import Linked
from session_simulator import simulated

from pytest_nbsafe.order import orderings, readings
from pytest_nbsafe.order.plan import Plan


@dataclass
class Score:
    """What one order gets right, of all that it was asked."""

    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    rands: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, what: str, *, right: bool) -> None:
        """Count one answer."""
        self.right[what] += right
        self.of[what] += 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--simulated", type=int, default=0, metavar="N", help="so many more users")
    parser.add_argument("--strict", action="store_true", help="single sessions, all counts known")
    parser.add_argument("--all-versions", action="store_true", help="every save of a notebook")
    parser.add_argument("--half", type=int, choices=(0, 1), help="half of the repositories only")
    given = parser.parse_args()
    records = [record for file in given.files for record in linked_sessions.load(file)]
    records = [
        r for r in records if given.half in (None, _half(r)) and (r.strict or not given.strict)
    ]
    if not given.all_versions:
        records = linked_sessions.one_version(records)
    show([*records, *simulated(given.simulated)])


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _half(record: Linked) -> int:
    return int(hashlib.md5(record.repository.encode()).hexdigest(), 16) % 2


def show(records: Sequence[Linked]) -> None:
    """Print the scores of all orders on these records."""
    scores = {name: Score() for name in orderings.ORDERINGS}
    for record in records:
        _score(record, scores)
    repositories = {record.repository for record in records}
    several = sum(record.of_several for record in records)
    _say(
        f"{len(records)} notebooks, {len(repositories)} repositories, {several} of several sessions"
    )
    _say(f"{'order':<12}" + "".join(f"{head:>18}" for head in _HEADS) + f"{'rand':>7}{'Brier':>8}")
    for name, score in scores.items():
        cells = [_share(score, what) for what in _HEADS]
        rand, brier = _mean(score.rands, ".3f"), _mean(score.squares, ".4f")
        _say(f"{name:<12}" + "".join(f"{cell:>18}" for cell in cells) + f"{rand:>7}{brier:>8}")
    _say("\nreliability of `inferred`: said, right, of")
    for low, high in ((0, 0.3), (0.3, 0.6), (0.6, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1.1)):
        inside = [(p, right) for p, right in scores["inferred"].sure if low <= p < high]
        if inside:
            said = sum(p for p, _ in inside) / len(inside)
            _say(f"  {said:.3f}  {sum(r for _, r in inside) / len(inside):.3f}  {len(inside)}")


_HEADS = ("edges", "contested", "notebooks", "gap steps", "lost flagged", "wrongly flagged")


def _share(score: Score, what: str) -> str:
    if not score.of[what]:
        return "-"
    return f"{score.right[what]}/{score.of[what]} {100 * score.right[what] / score.of[what]:.2f}"


def _mean(values: Sequence[float], form: str) -> str:
    return format(sum(values) / len(values), form) if values else "-"


def _score(record: Linked, scores: Mapping[str, Score]) -> None:
    graph = linked_sessions.graph_of(record)
    plans = {name: orderings.plan(graph, name) for name in scores}
    answers = {
        name: linked_sessions.makers(record, (cell - 1 for cell in plan.cells))
        for name, plan in plans.items()
    }
    true = {edge: definer for edge, definer in record.edges.items() if definer is not None}
    for name, score in scores.items():
        plan, said = plans[name], answers[name]
        for edge, definer in true.items():
            right = said.get(edge) == definer
            score.add("edges", right=right)
            if len({answers[other].get(edge) for other in answers if other in _CONTESTING}) > 1:
                score.add("contested", right=right)
        if true:
            score.add("notebooks", right=all(said.get(e) == true[e] for e in true))
        _gaps(record, plan, score)
        if record.of_several and any(run.recorded for run in plan.runs):
            session = {run.cell - 1: run.session for run in plan.runs if run.recorded}
            known = [cell for cell in sorted(record.sessions) if cell in session]
            truth = [record.sessions[cell] for cell in known]
            score.rands.append(
                linked_sessions.adjusted_rand(truth, [session[cell] for cell in known])
            )
        for reading in readings.readings(graph, plan):
            edge = reading.reader - 1, reading.name.removeprefix("x")
            if edge not in record.edges:
                continue
            lost = record.edges[edge] is None
            score.add("lost flagged" if lost else "wrongly flagged", right=reading.unrecoverable)
            if reading.definer is not None:
                right = reading.definer - 1 == record.edges[edge]
                score.squares.append((reading.probability - right) ** 2)
                score.sure.append((reading.probability, right))


_CONTESTING = ("recorded", "inferred", "top-down", "archaeology")


def _gaps(record: Linked, plan: Plan, score: Score) -> None:
    """Count the free counts of a single session whose cell the plan knows."""
    if not record.strict:
        return
    known = {count for count in record.counts if count is not None}
    said = {run.count: run.cell - 1 for run in plan.runs if not run.recorded}
    for _, count, cell in record.steps:
        if count not in known and count < max(known, default=0):
            score.add("gap steps", right=cell is not None and said.get(count) == cell)


if __name__ == "__main__":
    main()
