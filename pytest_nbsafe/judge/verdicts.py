"""The judge: what clean runs say of every cell that lineage suspects.

Source: the design's first section, which departs from nbsafety (Def. 4 alone reports every
linear rebinding): lineage suspects, a clean run in page order decides by value, and a second
clean run keeps chance from being taken for proof.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.flow import share_data
from pytest_nbsafe.judge.outside_influences import NO_INFLUENCES, Influences
from pytest_nbsafe.judge.trial import PICTURE, Judgement
from pytest_nbsafe.notebook.model import Notebook, Output, saved_python
from pytest_nbsafe.trace import drift
from pytest_nbsafe.trace.outputs.text_alone import (
    compare,
    draws_alike,
    has_pictures,
    is_of_other_library,
    reproduces,
)
from pytest_nbsafe.trace.results import CellResult, Comparison, PlanResult, Value, compared
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import dataclass, replace

DICTS_IN_ORDER = (3, 7)
_FEW = 2
_SHOWING = frozenset({"print", "display", "pprint"})
_KEEPING = frozenset(
    {"dict", "list", "repr", "round", "set", "sorted", "str", "tuple"}
    | {"copy", "items", "to_dict", "to_list", "to_string", "tolist"}
)
"""Functions and methods whose result tells all, or nearly all, of what they are given."""
_ELLIPSES = ("...", "…")
_NOT_BY_CHANCE = 5
"""How many digits of a text two runs that draw do not show alike by chance: the largest of some
numbers they may."""
_FINE = frozenset(
    {"Array", "DataFrame", "Index", "Series", "Tensor", "complex", "float", "ndarray"}
)
"""Kinds of values of which two draws are hardly ever the same; of ten numbers they often are."""


def judge(
    graph: Graph,
    suspected: Collection[int],
    clean: PlanResult,
    replay: PlanResult | None = None,
    second: PlanResult | None = None,
    influences: Influences = NO_INFLUENCES,
) -> dict[int, Judgement]:
    """Return what the clean run says of each cell that it ran.

    A difference counts as "differs" only where `second` (when given) gave the same as `clean`,
    where another version of a library does not make it as well (nor shows what only stands in
    another order elsewhere), and where every unsuspected cell above that may have a part in it
    reproduces its saved text; else it is "nondeterministic" or "drift". Where the replayed plan
    gives the saved text here, the order explains the difference, and nothing else need be the same.
    Where a cell shows no text its pictures count, pixel by pixel: equal ones are the same; others
    differ only where all unsuspected cells reproduce theirs, so that it is not the machine that
    draws. What differs in a cell that looks outside is drift, of itself alone; all of it where
    nothing on the page is as it was saved, and part of that is made from files or by libraries that
    may give other numbers today.
    """
    page = _Page(graph, frozenset(suspected), clean, replay, second, influences)
    judgements, drifting = page.by_text()
    if page.is_elsewhere(judgements) or page.has_other_libraries():
        for cell in judgements.keys() & (influences.libraries | influences.versioned):
            if judgements[cell].output == "differs" and not page.is_reproduced(cell):
                judgements[cell] = replace(judgements[cell], output="drift")
    if any(has_pictures(result.outputs) for result in clean.results):
        judgements |= page.by_pictures(judgements, drifting=drifting)
    return judgements


@dataclass(frozen=True, slots=True)
class _Page:
    """A notebook as it was saved, and what its runs gave."""

    graph: Graph
    suspected: frozenset[int]
    clean: PlanResult
    replay: PlanResult | None
    second: PlanResult | None
    influences: Influences

    def by_text(self) -> tuple[dict[int, Judgement], bool]:
        """Return the judgement of each cell by its text, and whether anything there drifts."""
        judgements: dict[int, Judgement] = {}
        drifting, moved, reordered = set[int](), Counter[str](), set[int]()
        for result in self.clean.results:
            if not result.came_to_end:
                continue
            cell, judgement = result.cell, self._judgement(result)
            if judgement.output == "differs" and not self.is_reproduced(cell):
                is_outside, suspected = cell in self.influences.outside, cell in self.suspected
                version = self._version_drift(result) if suspected else ""
                related = bool(moved) and share_data(self.graph, cell, reordered)
                excused = drift.is_of(moved, self._saved(cell), result.outputs, related=related)
                if self._is_reached(cell, drifting) or is_outside or version or excused:
                    judgement = replace(judgement, output="drift")
                if version == "order":
                    moved += drift.words(result.outputs)
                    reordered.add(cell)
                elif not is_outside and (version or not suspected):
                    drifting.add(cell)
            judgements[cell] = judgement
        return judgements, bool(drifting)

    def _is_reached(self, cell: int, drifting: Collection[int]) -> bool:
        """Return whether what made these cells differ may have reached another, further down.

        It does along the names; and where libraries have a part in both.
        """
        libraries = self.influences.libraries
        if cell in libraries and not libraries.isdisjoint(drifting):
            return True
        return cell in downstream(self.graph, *drifting)

    def is_reproduced(self, cell: int) -> bool:
        """Return whether the replayed plan gives the cell's saved text."""
        replayed = self.replay.last(cell) if self.replay else None
        return replayed is not None and reproduces(replayed.outputs, self._saved(cell))

    def is_elsewhere(self, judgements: Mapping[int, Judgement]) -> bool:
        """Return whether this is most likely not where the page was saved: nothing is as it was.

        With one or two texts that differ that is no wonder; nor where no file and no library has a
        part in them that gives other numbers from one version to the next.
        """
        differing = [cell for cell, each in judgements.items() if each.output == "differs"]
        few = len(differing) <= _FEW or self.influences.versioned.isdisjoint(differing)
        return not few and all(each.output != "same" for each in judgements.values())

    def has_other_libraries(self) -> bool:
        """Return whether a library shows its objects otherwise than when the page was saved."""
        results = self.clean.results
        return any(is_of_other_library(self._saved(r.cell), r.outputs) for r in results)

    def by_pictures(
        self, judgements: Mapping[int, Judgement], *, drifting: bool
    ) -> dict[int, Judgement]:
        """Return the judgements that only pictures decide."""
        silent = [cell for cell, j in judgements.items() if j.output == "nothing-to-compare"]
        drawn = [cell for cell in silent if has_pictures(self._saved(cell))]
        same = {cell for cell in drawn if self._is_redrawn(cell, self.clean)}
        other = set(drawn) - same
        redrawn = {cell for cell in other if not self._is_redrawn(cell, self.replay)}
        decided = {cell: replace(judgements[cell], output="same") for cell in same}
        if not drifting and same - self.suspected and redrawn <= self.suspected:
            for cell in other & self.suspected:
                clean, second = _shown(self.clean, cell), _shown(self.second, cell)
                by_chance = self.second and not draws_alike(clean, second)
                answer: Comparison = "nondeterministic" if by_chance else "differs"
                shown = replace(judgements[cell], saved=PICTURE, clean=PICTURE)
                decided[cell] = replace(shown, output=answer)
        return decided

    def _is_redrawn(self, cell: int, plan: PlanResult | None) -> bool:
        return draws_alike(self._saved(cell), _shown(plan, cell))

    def _judgement(self, clean: CellResult) -> Judgement:
        """Return how a clean run compares with the saved text and the replayed plan."""
        second = self.second.last(clean.cell) if self.second else None
        replayed = self.replay.last(clean.cell) if self.replay else None
        shown = compare(self._saved(clean.cell), clean.outputs)
        output: Comparison = shown.result
        drawn = clean.cell in self.influences.chance
        if output == "differs" and second is not None:
            repeats = compare(clean.outputs, second.outputs).result != "differs"
            repeats = repeats and not (drawn and agree_by_chance(shown.new))
            output = "differs" if repeats else "nondeterministic"
        reads = replayed.reads if replayed else {}
        kept = {name: replayed.after[name] for name in sorted(replayed.kept)} if replayed else {}
        return Judgement(
            cell=clean.cell,
            output=output,
            saved=shown.saved,
            clean=shown.new,
            values=_compared(reads, clean.reads, second.reads if second else None, drawn=drawn),
            made=_compared(kept, clean.after, second.after if second else None, drawn=drawn),
        )

    def _version_drift(self, result: CellResult) -> drift.Drift:
        """Return what an older library, or Python, has done if that explains a cell's text."""
        saved = self._saved(result.cell)
        if result.cell in self.influences.libraries:
            return drift.by_library(saved, result.outputs)
        unordered = saved_before(self.graph.notebook, DICTS_IN_ORDER)
        return drift.by_python(saved, result.outputs, unordered=unordered)

    def _saved(self, cell: int) -> tuple[Output, ...]:
        return self.graph.notebook.cell(cell).outputs


def _shown(plan: PlanResult | None, cell: int) -> tuple[Output, ...]:
    result = plan.last(cell) if plan is not None else None
    return result.outputs if result is not None else ()


def _compared(
    replayed: Mapping[str, Value],
    clean: Mapping[str, Value],
    second: Mapping[str, Value] | None,
    *,
    drawn: bool,
) -> dict[str, Comparison]:
    """Return how values compare; where draws have a part in them, small ones prove nothing."""
    answers = {name: compared(name, replayed, clean, second) for name in replayed}
    if drawn:
        for name, answer in answers.items():
            if answer == "differs" and clean[name].kind.rpartition(".")[2] not in _FINE:
                answers[name] = "nondeterministic"
    return answers


def agree_by_chance(text: str) -> bool:
    """Return whether two runs that draw may well show this text both."""
    return sum(character.isdigit() for character in text) < _NOT_BY_CHANCE


def saved_before(notebook: Notebook, version: tuple[int, int]) -> bool:
    """Return whether a notebook says that an older Python than this one saved it."""
    saved = saved_python(notebook)
    return saved is not None and saved < version


def standing(
    suspicions: Suspicions,
    judgements: Mapping[int, Judgement],
    graph: Graph,
) -> Suspicions:
    """Return the suspicions that no cell on their way refutes.

    A cell that shows the whole symbol it made, and whose saved text a clean run repeats, made the
    same symbol then as now: what is read from it is not stale, whatever was run again since.
    """

    def sound(cell: int, names: Collection[str]) -> bool:
        judgement = judgements.get(cell)
        repeated = judgement is not None and judgement.output == "same"
        return repeated and not shown_names(graph, cell).isdisjoint(names)

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


# -- names that an output shows wholly -------------------------------------------------------------


def shown_names(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names whose whole value stands in the cell's saved output.

    `len(words)` and `df.head()` do not show all of `words` and `df`, nor does an output that is
    cut short.
    """
    tree = trees.of(graph, cell)
    outputs = graph.notebook.cell(cell).outputs
    is_cut = any(mark in output.text for output in outputs for mark in _ELLIPSES)
    if tree is None or is_cut:
        return frozenset()
    return frozenset(
        name
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Expr)
        for name in _whole(statement.value)
    )


def _whole(node: ast.expr) -> Iterator[str]:
    """Yield the names that a value tells all of."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _SHOWING | _KEEPING:
            for argument in node.args:
                yield from _whole(argument)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
            yield from _whole(node.func.value)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _whole(element)
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _whole(part.value)
