"""The judge: what clean runs say of every cell that lineage suspects.

Source: the design's first section, which departs from nbsafety (Def. 4 alone reports every
linear rebinding): lineage suspects, a clean run in page order decides by value, and a second
clean run keeps chance from being taken for proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.notebook.model import Notebook, Output
from pytest_nbsafe.trace import drift, shown
from pytest_nbsafe.trace.differences import made
from pytest_nbsafe.trace.model import (
    PICTURE,
    CellResult,
    Comparison,
    Judgement,
    PlanResult,
    Suspicions,
    Value,
)
from pytest_nbsafe.trace.outputs import compare, is_of_other_library, pictures
from pytest_nbsafe.trace.outside import NO_DOUBTS, Doubts
from pytest_nbsafe.values import replace

_DICTS_IN_ORDER = (3, 7)
_FEW = 2


def suspects(suspicions: Suspicions) -> frozenset[int]:
    """Return the cells that any suspicion names."""
    return frozenset(
        [read.cell for read in suspicions.stale_reads]
        + [old.cell for old in suspicions.outdated]
        + [read.cell for read in suspicions.from_below]
    )


def needs_second(
    notebook: Notebook,
    suspected: Collection[int],
    clean: PlanResult,
    replay: PlanResult | None,
    doubts: Doubts = NO_DOUBTS,
) -> int | None:
    """Return the last suspected cell that a second clean run must reach, None when none differs."""
    first = judge(notebook, suspected, clean, replay, None, doubts)
    doubtful = [cell for cell in suspected if cell in first and _differs(first[cell])]
    return max(doubtful, default=None)


def _differs(judgement: Judgement) -> bool:
    seen = (judgement.output, *judgement.values.values(), *judgement.made.values())
    return "differs" in seen


def judge(
    notebook: Notebook,
    suspected: Collection[int],
    clean: PlanResult,
    replay: PlanResult | None,
    second: PlanResult | None,
    doubts: Doubts = NO_DOUBTS,
) -> dict[int, Judgement]:
    """Return what the clean run says of each cell that it ran.

    A difference counts as "differs" only where `second` (when given) gave the same as `clean`,
    where another version of a library does not make it as well (nor shows what only stands in
    another order elsewhere), and where every unsuspected cell above reproduces its saved text; else
    it is "nondeterministic" or "drift". Where the replayed plan gives the saved text here, the
    order explains the difference, and nothing else need be the same. Where a cell shows no text its
    pictures count, byte for byte: equal ones are the same; others differ only where all unsuspected
    cells reproduce theirs, so that it is not the machine that draws. What differs in a cell that
    looks outside is drift, of itself alone; all of it where nothing on the page is as it was saved,
    and part of that is made from files or by libraries that may give other numbers today.
    """
    judgements: dict[int, Judgement] = {}
    drifting, moved = False, Counter[str]()
    for result in clean.results:
        if result.status not in {"ok", "raised"}:
            continue
        again = second.last(result.cell) if second else None
        replayed = replay.last(result.cell) if replay else None
        found = _judgement(notebook, result, replayed, again)
        if found.output == "differs" and not _reproduced(notebook, replayed):
            moves, told = result.cell in doubts.outside, result.cell in suspected
            saved, new = notebook.cell(result.cell).outputs, result.outputs
            doubt = _doubt(notebook, result, doubts) if told else ""
            if drifting or moves or doubt or drift.is_of(moved, saved, new):
                found = replace(found, output="drift")
            if doubt == "order":
                moved += drift.words(new)
            elif not moves and (doubt or not told):
                drifting = True
        judgements[result.cell] = found
    if _is_elsewhere(judgements, doubts) or _has_other_libraries(notebook, clean):
        for cell, found in judgements.items():
            replayed = replay.last(cell) if replay else None
            if found.output == "differs" and not _reproduced(notebook, replayed):
                judgements[cell] = replace(found, output="drift")
    if not pictures(_outputs(clean)):
        return judgements
    pictured = _by_pictures(notebook, suspected, judgements, (clean, replay, second))
    return judgements | {
        cell: found for cell, found in pictured.items() if found.output == "same" or not drifting
    }


def _doubt(notebook: Notebook, result: CellResult, doubts: Doubts) -> drift.Drift:
    """Return what an older library, or Python, has done if that explains the text of a cell."""
    saved = notebook.cell(result.cell).outputs
    if doubts.libraries:
        return drift.by_library(saved, result.outputs)
    unordered = _is_saved_before(notebook, _DICTS_IN_ORDER)
    return drift.by_python(saved, result.outputs, unordered=unordered)


def _is_elsewhere(judgements: Mapping[int, Judgement], doubts: Doubts) -> bool:
    """Return whether this is most likely not where the page was saved: nothing is as it was.

    With one or two texts that differ that is no wonder; nor where no file and no library has a
    part in them that gives other numbers from one version to the next.
    """
    outputs = [found.output for found in judgements.values()]
    differing = [cell for cell, found in judgements.items() if found.output == "differs"]
    few = len(differing) <= _FEW or doubts.versioned.isdisjoint(differing)
    return "same" not in outputs and not few


def _has_other_libraries(notebook: Notebook, clean: PlanResult) -> bool:
    return any(
        is_of_other_library(notebook.cell(result.cell).outputs, result.outputs)
        for result in clean.results
    )


def _outputs(result: PlanResult) -> Iterator[Output]:
    return (output for one in result.results for output in one.outputs)


def _by_pictures(
    notebook: Notebook,
    suspected: Collection[int],
    judgements: Mapping[int, Judgement],
    runs: tuple[PlanResult, PlanResult | None, PlanResult | None],
) -> dict[int, Judgement]:
    """Return the judgements that only pictures decide."""
    clean, replay, second = runs
    silent = {cell for cell, found in judgements.items() if found.output == "nothing-to-compare"}
    saved = {cell: pictures(notebook.cell(cell).outputs) for cell in sorted(silent)}
    drawn = {cell: _drawn(clean, cell) for cell, kept in saved.items() if kept}
    same = {cell for cell, now in drawn.items() if now == saved[cell]}
    other = {cell for cell in drawn.keys() - same if _drawn(replay, cell) != saved[cell]}
    found = {cell: replace(judgements[cell], output="same") for cell in sorted(same)}
    if same - {*suspected} and other <= {*suspected}:
        for cell in sorted((drawn.keys() - same) & {*suspected}):
            by_chance = second is not None and _drawn(second, cell) != drawn[cell]
            answer: Comparison = "nondeterministic" if by_chance else "differs"
            found[cell] = replace(judgements[cell], output=answer, saved=PICTURE, clean=PICTURE)
    return found


def _drawn(plan: PlanResult | None, cell: int) -> list[tuple[str, object]]:
    result = plan.last(cell) if plan is not None else None
    return pictures(result.outputs) if result is not None else []


def _reproduced(notebook: Notebook, result: CellResult | None) -> bool:
    """Return whether a replayed run gave the cell's saved text."""
    if result is None:
        return False
    return compare(notebook.cell(result.cell).outputs, result.outputs).result == "same"


def standing(
    suspicions: Suspicions,
    judgements: Mapping[int, Judgement],
    graph: Graph,
) -> Suspicions:
    """Return the suspicions that no cell on their way refutes.

    A cell that shows the whole symbol it made, and whose saved text a clean run repeats, made the
    same symbol then as now: what is read from it is not stale, whatever was run again since.
    """

    def shows(cell: int, names: Collection[str]) -> bool:
        return not shown.names(graph, cell).isdisjoint(names)

    def sound(cell: int, names: Collection[str]) -> bool:
        judgement = judgements.get(cell)
        return judgement is not None and judgement.output == "same" and shows(cell, names)

    return Suspicions(
        tuple(
            read
            for read in suspicions.stale_reads
            if not any(c.cell != read.cell and sound(c.cell, {c.symbol}) for c in read.chain)
        ),
        tuple(
            old
            for old in suspicions.outdated
            if not any(sound(cell, graph.cells[cell].defines) for cell in old.through)
        ),
        suspicions.from_below,
    )


def _judgement(
    notebook: Notebook,
    clean: CellResult,
    replayed: CellResult | None,
    again: CellResult | None,
) -> Judgement:
    saved = compare(notebook.cell(clean.cell).outputs, clean.outputs)
    output: Comparison = saved.result
    if output == "differs" and again is not None:
        repeats = compare(clean.outputs, again.outputs).result != "differs"
        output = "differs" if repeats else "nondeterministic"
    return Judgement(
        cell=clean.cell,
        output=output,
        saved=saved.saved,
        clean=saved.new,
        values=_values(
            replayed.reads if replayed else {}, clean.reads, again.reads if again else None
        ),
        made=_values(_made(replayed), clean.after, again.after if again else None),
    )


def _is_saved_before(notebook: Notebook, version: tuple[int, int]) -> bool:
    info = notebook.metadata.get("language_info")
    saved = str(info.get("version")) if isinstance(info, Mapping) else ""
    numbers = saved.split(".")[:2]
    return all(map(str.isdigit, numbers)) and tuple(map(int, numbers)) < version


def _made(result: CellResult | None) -> dict[str, Value]:
    """Return what a run bound or changed, with the values at its end."""
    return {name: result.after[name] for name in sorted(made(result))} if result else {}


def _values(
    replayed: Mapping[str, Value], clean: Mapping[str, Value], again: Mapping[str, Value] | None
) -> dict[str, Comparison]:
    return {
        name: _value(value, clean.get(name), None if again is None else again.get(name))
        for name, value in replayed.items()
    }


def _value(replayed: Value, clean: Value | None, again: Value | None) -> Comparison:
    if clean is None or not replayed.hash or not clean.hash:
        return "nothing-to-compare"
    if replayed.hash == clean.hash:
        return "same"
    if again is not None and again.hash != clean.hash:
        return "nondeterministic"
    return "differs"
