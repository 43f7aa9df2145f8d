"""A cell last ran before the cell above it that makes what it reads, or after one below it.

Why it matters: the saved result was made with whatever that name held before, and the page no
longer shows what that was.

Limits: the upper cell may have been run again unchanged; a run decides. It drops the finding
when the cell's output (or, without one, the value that it read, or every output made from it)
is the same in page order, and makes it an error when page order fails here and the recorded
order does not, or makes another value. A saved result that differs is told as NBS201. It is a note
where no output was made from what the cell read, where the upper cell loads a file again or either
shows an error, and where counts repeat. Imports that are run again, counts of different sessions,
and reads in functions that may not be called are never one.

Source: Koop 2021, section 4.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import files
from pytest_nbsafe.analysis.dependencies import downstream, page_edges
from pytest_nbsafe.analysis.model import Edge, Graph, kept
from pytest_nbsafe.analysis.state import is_random, is_state, outlives_kernel
from pytest_nbsafe.codes import Severity
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import proof
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.order import session_split
from pytest_nbsafe.rules import named_parts
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim
from pytest_nbsafe.rules.wording import (
    RUN_ALL,
    action,
    against_clean,
    called,
    names,
    not_run_again,
    one_line,
    refreshed_difference,
    rerun_steps,
    work_with_what_is_made_now,
)
from pytest_nbsafe.trace.results import why
from pytest_nbsafe.trace.suspicions import ReadFromBelow
from pytest_nbsafe.values import replace

BAD = """\
# %% [1]
import math
# %% [4]
radius = 2
# %% [3]
area = math.pi * radius ** 2 #! NBS103
"""
GOOD = """\
# %% [5]
import math
# %% [3]
radius = 2
# %% [4]
area = math.pi * radius ** 2
"""


_ORDER = "NBS103"
"""Whatever the counts alone suspect is one fault of a page: it is mended all at once."""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each pair of cells whose counts contradict the page."""
    pairs: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    session = session_split.of_page(facts.graph).of
    edges = page_edges(facts.graph)
    for edge in edges:
        if _contradicted(facts, edge, session) and not _refuted(facts, edge, edges):
            pairs[edge.definer, edge.reader].append(edge)
    loads = _loads(facts) if pairs else frozenset()
    told: set[Hashable] = set()
    for key in sorted(pairs):
        each = _claim(facts, pairs[key], loads)
        what = each.fault, key[1], frozenset(edge.name for edge in pairs[key])
        # Of several cells that change what a cell read, one is enough in the path of another.
        yield replace(each, also=None) if what in told else each
        told.add(what)
    for read in facts.suspicions.from_below:
        if not proof.is_same_in_page_order(facts, read.cell, read.name):
            yield _from_below(facts, read)


def _contradicted(facts: Facts, edge: Edge, session: Mapping[int, int]) -> bool:
    """Return whether the counts of one session say that the reader ran before the definer."""
    if not edge.use.is_needed or edge.definition.kind in {"import", "delete"}:
        return False
    made_at, read_at = (facts.notebook.cell(n).count for n in (edge.definer, edge.reader))
    if made_at is None or read_at is None or _is_set_as_before(facts, edge):
        return False
    return made_at > read_at and session.get(edge.definer) == session.get(edge.reader)


def _is_set_as_before(facts: Facts, edge: Edge) -> bool:
    """Return whether it is a state that was most likely only set to the same again.

    So are a seed, and what a cell of imports sets: whoever runs these again seldom edited them.
    """
    if not is_state(edge.name) or edge.definition.kind == "mutation":
        return False
    if is_random(edge.name):
        return True
    definitions = facts.graph.cells[edge.definer].definitions
    return not outlives_kernel(edge.name) and any(d.kind == "import" for d in definitions)


def _refuted(facts: Facts, edge: Edge, edges: Sequence[Edge]) -> bool:
    """Return whether the clean run gives what the page shows, or what the cell read."""
    if _fails_in_page_order(facts, edge.reader):
        return False
    if named_parts.are_apart(facts, edge.name, edge.reader, edge.definer):
        return not _differs_in_page_order(facts, edge) or _has_another_reason(facts, edge, edges)
    judgements = facts.trial.judgements
    own = judgements.get(edge.reader)
    if own is None or own.output == "same":
        return own is not None or _same_when_run_again(facts, edge)
    below = [c for c in downstream(facts.graph, edge.reader) if c in judgements]
    if own.values.get(edge.name) == "same":
        shown = any(facts.notebook.cell(c).outputs for c in (edge.reader, *below))
        if not (proof.was_guessed(facts, edge.definer, edge.reader) and shown):
            return True
    compared = [judgements[c].output for c in below if judgements[c].output != "nothing-to-compare"]
    silent = own.output == "nothing-to-compare"
    if silent and compared:
        return all(output == "same" for output in compared)
    return silent and "differs" not in own.values.values() and _same_when_run_again(facts, edge)


def _has_another_reason(facts: Facts, edge: Edge, edges: Sequence[Edge]) -> bool:
    """Return whether another cell that ran later has changed, or made, what the reader read."""
    last = {run.cell: run.step for run in facts.plan.runs}
    return any(
        other.reader == edge.reader
        and last.get(other.definer, 0) > last.get(edge.reader, 0)
        and not named_parts.are_apart(facts, other.name, other.reader, other.definer)
        for other in edges
    )


def _same_when_run_again(facts: Facts, edge: Edge) -> bool:
    """Return whether the reader makes the same at the end of the plan, from what is there then."""
    ending = facts.trial.endings.get(edge.reader)
    return (
        ending is not None
        and ending.result == "same"
        and not proof.was_guessed(facts, edge.definer, edge.reader)
    )


def _fails_in_page_order(facts: Facts, cell: int) -> bool:
    clean, replay = facts.clean(cell), facts.replay(cell)
    return (
        clean is not None
        and replay is not None
        and clean.status == "raised"
        and replay.status == "ok"
    )


def _differs_in_page_order(facts: Facts, edge: Edge) -> bool:
    """Return whether the recorded order is known to make other things of the reader."""
    if facts.plan.order != "recorded":
        return False
    judgement = facts.trial.judgements.get(edge.reader)
    if judgement is not None and proof.is_reached(facts, edge.reader):
        return "differs" in judgement.made.values()
    ending = facts.trial.endings.get(edge.reader)
    return ending is not None and ending.result == "differs"


def _drift(facts: Facts, edge: Edge) -> tuple[Step, ...]:
    """Return what a cell shows in page order, where that does not tell why it is another thing."""
    judgement = facts.trial.judgements.get(edge.reader)
    if judgement is None or judgement.output != "drift":
        return ()
    shows = against_clean(judgement.saved, judgement.clean)
    return (Step(edge.reader, edge.use.span.line, shows),)


def _claim(facts: Facts, edges: Sequence[Edge], loads: Collection[tuple[int, int]]) -> Claim:
    edge = edges[0]
    fails = _fails_in_page_order(facts, edge.reader)
    differs = not fails and _differs_in_page_order(facts, edge)
    ending = facts.trial.endings.get(edge.reader)
    unknown = () if fails or differs else not_run_again(ending, edge.use.span.line)
    shows = () if fails or differs else _drift(facts, edge)
    shown = named_parts.of_changes(facts, ((e.name, e.reader, e.definer) for e in edges))
    what = names(shown)
    reader, definer = (facts.notebook.cell(n).count for n in (edge.reader, edge.definer))
    does = action(facts, edge.definer, [*dict.fromkeys(e.name for e in edges)], shown).once
    harm = _harm(facts, edge, fails=fails, differs=differs, drifts=bool(shows))
    return claim(
        facts,
        "NBS103",
        edge.reader,
        edge.use.span,
        "confirmed" if fails or differs else "suspected",
        f"this cell ran as [{reader}], before cell {edge.definer} {does} as [{definer}]: {harm}",
        steps=(
            Step(edge.reader, edge.use.span.line, f"read {what}; it ran as [{reader}]"),
            Step(
                edge.definer,
                edge.definition.span.line,
                f"{does} afterwards; it ran as [{definer}]",
            ),
            *(rerun_steps(ending, edge.use.span.line) if differs else unknown),
            *shows,
        ),
        remedy=work_with_what_is_made_now(edge.definer) if fails else RUN_ALL,
        severity="error" if fails or differs else _weight(facts, edges, loads, drifts=bool(shows)),
        symbols=tuple(s for s in shown if s not in {e.name for e in edges}),
        explains=_explained(facts, edge, fails=fails, drifts=bool(shows)),
        fault=("NBS103", edge.definer, edge.reader if fails else 0) if fails or differs else _ORDER,
        also=f"also read {what} of cell {edge.definer} before, as [{reader}]",
    )


def _harm(facts: Facts, edge: Edge, *, fails: bool, differs: bool, drifts: bool) -> str:
    """Return what comes of it that a cell ran before one above it, as the end of a sentence."""
    if fails and (result := facts.clean(edge.reader)):
        return f"in page order it fails with {one_line(why(result))}"
    if differs:
        ending = facts.trial.endings.get(edge.reader)
        return f"in page order it gives a different result{refreshed_difference(ending)}"
    if drifts:
        return "its result is that of an older version, or of other libraries"
    return "its result may come from an older version"


def _explained(facts: Facts, edge: Edge, *, fails: bool, drifts: bool) -> set[Mark]:
    """Return what other rules find that has its reason in the order."""
    marks: set[Mark] = {("edge", edge.definer, edge.reader)}
    if drifts:
        marks.add(("stale", edge.reader, 0))
    replayed = facts.replay(edge.reader)
    if replayed is not None and replayed.status == "raised":
        marks.add(("replay", edge.reader, 0))
    if fails:
        marks.add(("raise", edge.reader, 0))
    return marks


def _weight(
    facts: Facts, edges: Sequence[Edge], loads: Collection[tuple[int, int]], *, drifts: bool
) -> Severity:
    """Return how much it weighs that a cell seems to have run before one above it."""
    cells = [facts.notebook.cell(n) for n in (edges[0].definer, edges[0].reader)]
    if any(output.kind == "error" for cell in cells for output in cell.outputs):
        return "note"  # the one made nothing, or the other shows nothing that was made from it
    if not drifts and all((e.definer, e.definition.span.line) in loads for e in edges):
        return "note"  # who loads a file again seldom edited that
    return _doubtful(facts, edges[0].reader, drifts=drifts)


def _loads(facts: Facts) -> frozenset[tuple[int, int]]:
    """Return the lines, with their cells, that read a file."""
    uses = files.uses(facts.graph)
    return frozenset((cell, use.span.line) for cell, use in uses if use.what == "read")


def _doubtful(facts: Facts, reader: int, *, drifts: bool = False) -> Severity:
    """Return how much it weighs that a cell seems to have run before or after another.

    Little where a page that has outputs shows none that was made from it, and no file was written;
    and where counts repeat, which of two runs came first is a guess.
    """
    several = session_split.counts_repeat(facts.graph)
    showing = _showing(facts.graph)
    below = downstream(facts.graph, reader)
    is_silent = bool(showing) and (showing | _writing(facts.graph)).isdisjoint((reader, *below))
    return "note" if is_silent or (several and not drifts) else "warning"


@kept
def _showing(graph: Graph) -> frozenset[int]:
    """Return the cells that the page has outputs of."""
    return frozenset(cell.number for cell in graph.notebook.code_cells if cell.outputs)


@kept
def _writing(graph: Graph) -> frozenset[int]:
    """Return the cells that do more with files than read them."""
    return frozenset(cell for cell, use in files.uses(graph) if use.what != "read")


# -- read as a cell further down had made it -------------------------------------------------------


def _from_below(facts: Facts, read: ReadFromBelow) -> Claim:
    """Return that the cell read what a later cell of the page had made, and what came of it."""
    shown_by = _shown_by(facts, read)
    counts = [facts.notebook.cell(number).count for number in (read.cell, read.definer)]
    shown = named_parts.of_change(facts, read.name, read.cell, read.definer)
    did = action(facts, read.definer, [read.name], shown)
    message = (
        f"this cell ran as [{counts[0]}], after cell {read.definer}, further down, "
        f"had {did.done_again}: "
    )
    message += _says(read, shown_by)
    steps = [
        Step(read.definer, read.definer_line, f"{did.again} as [{counts[1]}]"),
        Step(read.cell, read.line, f"read that {names(shown)} as [{counts[0]}]"),
    ]
    if shown_by is not None:
        line = read.line if shown_by.cell == read.cell else 1
        steps.append(Step(shown_by.cell, line, against_clean(shown_by.saved, shown_by.clean)))
        steps += _shown_too(facts, read, shown_by)
    return claim(
        facts,
        "NBS103",
        read.cell,
        read.line,
        "confirmed" if shown_by else "suspected",
        message,
        steps=steps,
        remedy=f"{RUN_ALL}; if cell {read.definer} belongs before this one, move it up first",
        severity="error" if shown_by else _doubtful(facts, read.cell),
        symbols=named_parts.parts(read.name, shown),
        explains={("stale", read.cell, 0)},
        fault=("NBS103", "in", read.cell) if shown_by else _ORDER,
        also=f"also read {called(read.name)} of cell {read.definer}",
    )


def _says(read: ReadFromBelow, shown_by: Judgement | None) -> str:
    if shown_by is None:
        return "in page order its result may differ"
    if shown_by.cell == read.cell:
        return "in page order it gives a different result"
    return f"in page order the result of cell {shown_by.cell}, made from this one's, is different"


def _shown_too(facts: Facts, read: ReadFromBelow, shown_by: Judgement) -> Iterator[Step]:
    """Yield what else on the page was made from what the cell made then, and is another now."""
    for judgement in _differing_below(facts, read):
        if judgement.cell != shown_by.cell:
            shows = against_clean(judgement.saved, judgement.clean)
            yield Step(judgement.cell, 1, f"was made from that: {shows}")


def _shown_by(facts: Facts, read: ReadFromBelow) -> Judgement | None:
    """Return the judgement that shows it: of the cell, or of the first made from what it makes.

    That one's saved text must be what the plan gives, and another than what two clean runs give.
    """
    own = facts.trial.judgements.get(read.cell)
    if own is not None and own.output == "differs":
        return own
    if own is None or "differs" not in own.made.values():
        return None
    for judgement in _differing_below(facts, read):
        cell = judgement.cell
        if proof.shows_plan(facts, cell) and proof.is_reached_twice(facts, cell):
            return judgement
    return None


def _differing_below(facts: Facts, read: ReadFromBelow) -> Iterator[Judgement]:
    """Yield the judgements of cells that were made from this one after it ran, and differ."""
    for cell in downstream(facts.graph, read.cell):
        last, judgement = facts.plan.last_run(cell), facts.trial.judgements.get(cell)
        ran_after = last is not None and last.step > read.step
        if judgement is not None and judgement.output == "differs" and ran_after:
            yield judgement
