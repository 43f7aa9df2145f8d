"""How well each order explains notebooks whose true sessions are known: one table.

An edge is a name that a cell reads at its last run, and the cell whose run had made it. Three
lines below the orders say what could be reached at most (`_LIMITS`). Nothing is asserted. Files
are JSON lines as `tests/linked_sessions.py` reads them.
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
import orders_limits
from linked_sessions import Linked
from orders_limits import Answers
from session_simulator import simulated

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order import orderings, readings
from pytest_nbsafe.order.plan import Plan


@dataclass
class Score:
    """What one order gets right, of all that it was asked.

    `splits` are how well each page of several sessions was split, and whether a count repeats.
    """

    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    rands: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    splits: list[tuple[float, bool]] = field(default_factory=list)

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
    """Print the scores of all orders on these records, and what limits them."""
    scores = {name: Score() for name in (*orderings.ORDERINGS, *_LIMITS)}
    classes: dict[str, Counter[str]] = {}
    causes: Counter[str] = Counter()
    for record in records:
        answers = _score(record, scores)
        _count_wrong(record, answers, classes, causes)
    repositories = {record.repository for record in records}
    several = sum(record.of_several for record in records)
    _say(
        f"{len(records)} notebooks, {len(repositories)} repositories, {several} of several sessions"
    )
    _say(f"{'order':<13}" + "".join(f"{head:>18}" for head in _HEADS) + f"{'rand':>7}{'Brier':>8}")
    for name, score in scores.items():
        cells = [_share(score, what) for what in _HEADS]
        rand, brier = _mean(score.rands, ".3f"), _mean(score.squares, ".4f")
        _say(f"{name:<13}" + "".join(f"{cell:>18}" for cell in cells) + f"{rand:>7}{brier:>8}")
    _show_wrong(classes, causes)
    _show_split(scores["inferred"])
    _show_reliability(scores["inferred"])


def _show_wrong(classes: Mapping[str, Counter[str]], causes: Counter[str]) -> None:
    head = "wrong edges by what the counts look like"
    _say(f"\n{head:<42}{'of':>6}{'inferred':>10}{'top-down':>10}")
    for name in (*orders_limits.CLASSES, *_TRUE_CLASSES):
        if name in classes:
            of, inferred, top_down = (classes[name][k] for k in ("of", "inferred", "top-down"))
            _say(f"  {name:<40}{of:>6}{inferred:>10}{top_down:>10}")
    why = [f"{cause} {causes[cause]}" for cause in orders_limits.CAUSES if causes[cause]]
    _say(f"\nwhy `inferred` is wrong: {', '.join(why) or 'it never is'}")


def _show_split(score: Score) -> None:
    told = [rand for rand, repeats in score.splits if repeats]
    if score.splits:
        _say(
            f"split of sessions: {len(score.splits)} notebooks of several, a count stands twice on "
            f"{len(told)}: rand {_mean(told, '.3f')} there; "
            f"{len(told) / len(score.splits):.3f} over all if it were 1 there"
        )


def _show_reliability(score: Score) -> None:
    _say("\nreliability of `inferred`: said, right, of")
    for low, high in ((0, 0.3), (0.3, 0.6), (0.6, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1.1)):
        inside = [(p, right) for p, right in score.sure if low <= p < high]
        if inside:
            said = sum(p for p, _ in inside) / len(inside)
            _say(f"  {said:.3f}  {sum(r for _, r in inside) / len(inside):.3f}  {len(inside)}")


_LIMITS = ("best of all", "true sessions", "true runs")
"""Right where any order is; `inferred` where it is told the sessions; and the history itself, as
far as the saved text tells what its runs did."""
_TRUE_CLASSES = ("(of one session)", "(of several)")
"""What the page does not tell."""
_HEADS = ("edges", "contested", "notebooks", "gap steps", "lost flagged", "wrongly flagged")


def _share(score: Score, what: str) -> str:
    if not score.of[what]:
        return "-"
    return f"{score.right[what]}/{score.of[what]} {100 * score.right[what] / score.of[what]:.2f}"


def _mean(values: Sequence[float], form: str) -> str:
    return format(sum(values) / len(values), form) if values else "-"


def _score(record: Linked, scores: Mapping[str, Score]) -> dict[str, Answers]:
    """Add what each order says of a notebook; return who made each name, by order and limit."""
    graph = linked_sessions.graph_of(record)
    plans = {name: orderings.plan(graph, name) for name in orderings.ORDERINGS}
    answers: dict[str, Answers] = {
        name: linked_sessions.makers(record, (cell - 1 for cell in plan.cells))
        for name, plan in plans.items()
    }
    true = _true_edges(record)
    answers["best of all"] = {
        edge: definer
        for edge, definer in true.items()
        if any(answers[name].get(edge) == definer for name in plans)
    }
    answers["true sessions"] = orders_limits.by_true_sessions(record)
    answers["true runs"] = orders_limits.by_true_runs(record)
    contested = {
        edge for edge in true if len({answers[other].get(edge) for other in _CONTESTING}) > 1
    }
    for name, score in scores.items():
        right = {edge: answers[name].get(edge) == definer for edge, definer in true.items()}
        for edge, is_right in right.items():
            score.add("edges", right=is_right)
            if edge in contested:
                score.add("contested", right=is_right)
        if true:
            score.add("notebooks", right=all(right.values()))
    for name, plan in plans.items():
        _gaps(record, plan, scores[name])
        _sessions(record, plan, scores[name])
        _readings(record, graph, plan, scores[name])
    return answers


def _true_edges(record: Linked) -> dict[tuple[int, str], int]:
    return {edge: definer for edge, definer in record.edges.items() if definer is not None}


def _sessions(record: Linked, plan: Plan, score: Score) -> None:
    if record.of_several and any(run.recorded for run in plan.runs):
        session = {run.cell - 1: run.session for run in plan.runs if run.recorded}
        known = [cell for cell in sorted(record.sessions) if cell in session]
        truth = [record.sessions[cell] for cell in known]
        rand = linked_sessions.adjusted_rand(truth, [session[cell] for cell in known])
        score.rands.append(rand)
        score.splits.append((rand, orders_limits.class_of(record) == "repeated counts"))


def _readings(record: Linked, graph: Graph, plan: Plan, score: Score) -> None:
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


def _count_wrong(
    record: Linked,
    answers: Mapping[str, Answers],
    classes: dict[str, Counter[str]],
    causes: Counter[str],
) -> None:
    """Count the wrong edges by the class of the page, and why `inferred` has them wrong."""
    for edge, definer in _true_edges(record).items():
        for name in (orders_limits.class_of(record), _TRUE_CLASSES[record.of_several]):
            counted = classes.setdefault(name, Counter())
            counted["of"] += 1
            counted.update(o for o in ("inferred", "top-down") if answers[o].get(edge) != definer)
        if answers["inferred"].get(edge) != definer:
            causes[orders_limits.cause(record, edge, answers)] += 1


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
