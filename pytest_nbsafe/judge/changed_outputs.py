"""Which saved outputs a clean run does not give, and what may have done that.

A page is wrong where two clean runs agree on an output that it does not show; where the recorded
order gives it, the order is why. What no two runs give alike, and what looks outside, is no such
output. What other versions of libraries may give is told apart, by signs of them: the same words
and numbers in another order or print, exceptions of libraries that the page does not show, objects
that are shown otherwise, and, of libraries that learn or solve, that nothing else made by one is
as it was. What a version does not explain stays wrong: what is not learned while libraries repeat
the rest of it, what the text of the cell says itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import page_outputs
from pytest_nbsafe.judge.flow import readers_of_same, share_data
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.judge.outside_influences import asked_by, influences
from pytest_nbsafe.judge.printed_beside import beside_learning, beside_outside, prints_anyway
from pytest_nbsafe.judge.trial import ChangedOutput, Trial, WhyChanged
from pytest_nbsafe.judge.verdicts import DICTS_IN_ORDER, agree_by_chance, saved_before
from pytest_nbsafe.judge.written_values import is_of_other_text
from pytest_nbsafe.libraries.datafiles import phrase
from pytest_nbsafe.notebook.model import Cell, Output, minor_version, saved_python
from pytest_nbsafe.trace import drift
from pytest_nbsafe.trace.outputs import chance_text
from pytest_nbsafe.trace.outputs.comparison import Settings, compare, volatile
from pytest_nbsafe.trace.outputs.difference import Difference
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.outputs.text_alone import has_pictures
from pytest_nbsafe.trace.outputs.volatility import Volatile
from pytest_nbsafe.trace.results import CellResult, updaters
from pytest_nbsafe.values import dataclass, replace

_SEVERAL = 2
_DRAWN = frozenset({"picture", "code", "data", "drawing"})


def changed(graph: Graph, trial: Trial, expected: Expectations) -> dict[int, ChangedOutput]:
    """Return the cells whose saved outputs are not those of the clean run, in page order.

    With a second clean run what differs between the two is left out; without one, or where it
    does not reach the cell, what differs is only "unrepeated".
    """
    page = _Page(graph, trial, expected)
    differing = dict(page.differing())
    for cell in page.below_failures() if differing else ():
        differing.pop(cell, None)
    if not differing:
        return {}
    by_order = {cell for cell in differing if page.is_by_order(cell)}
    drifting = page.drifting({c: each for c, each in differing.items() if c not in by_order})
    reasons: dict[int, WhyChanged] = {
        **dict.fromkeys(drifting, "libraries"),
        **dict.fromkeys(by_order, "order"),
    }
    return {
        cell: ChangedOutput(cell, each, reasons.get(cell) or page.why(cell, each))
        for cell, each in differing.items()
    }


def is_as_saved(graph: Graph, trial: Trial, expected: Expectations, cell: int) -> bool:
    """Return whether a cell of the clean run showed what was saved, as far as is known."""
    result = trial.clean.last(cell)
    return result is None or _Page(graph, trial, expected).differs(result) is None


def to_repeat(graph: Graph, trial: Trial, expected: Expectations) -> frozenset[int]:
    """Return the cells that a second clean run must reach to settle what their outputs say.

    What seems to be another version's may be the clock's, too, where a cell looks at it.
    """
    differing = changed(graph, trial, expected)
    timed = influences(graph).outside
    cells = frozenset(
        cell
        for cell, each in differing.items()
        if each.why == "unrepeated"
        or (each.why == "libraries" and cell in timed and trial.second is None)
    )
    return cells.union(*(updaters(trial.clean.results, cell) for cell in cells))


@dataclass(frozen=True, slots=True)
class _Page:
    """A notebook as it was saved, what its runs gave, and how the two are compared."""

    graph: Graph
    trial: Trial
    expected: Expectations

    def differing(self) -> Iterator[tuple[int, Difference]]:
        """Yield the cells whose saved outputs are known not to be those of the clean run."""
        for result in self.trial.clean.results:
            difference = self.differs(result)
            if difference is not None:
                yield result.cell, difference

    def below_failures(self) -> tuple[int, ...]:
        """Return the cells made from one that failed, which is why they show something else."""
        results = self.trial.clean.results
        failed = (r.cell for r in results if not page_outputs.is_comparable(self._page(r), r))
        return downstream(self.graph, *failed)

    def _page(self, result: CellResult) -> Cell:
        return self.graph.notebook.cell(result.cell)

    def differs(self, result: CellResult) -> Difference | None:
        """Return what is known to differ from the saved outputs, if any of it is to be compared."""
        page = self._page(result)
        settings = self.expected.settings(result.cell)
        if settings is None or not page_outputs.is_comparable(page, result):
            return None
        if not page.outputs and not result.outputs:
            return None
        if not page.outputs and not (self._has_run(page) and self._keeps_outputs()):
            return None
        if result.cell in makers(self.graph).memory:
            return None
        difference = self._difference(result, settings)
        return None if difference is None or difference.kind == "unknown" else difference

    def _difference(self, result: CellResult, settings: Settings) -> Difference | None:
        """Return what differs, of what two clean runs give alike and no other order explains."""
        saved, new = self._comparable(result)
        first = compare(saved, new, settings)
        if first is None:
            return None
        again = self._again(result.cell)
        by_chance = result.cell in makers(self.graph).chance_shown
        by_chance = by_chance and not self._is_removed(result.cell, first)
        if again is None:
            return None if by_chance else first
        varying = self._varying(result, again, settings)
        varies = varying.is_all or bool(varying.groups)
        if by_chance and (varies or agree_by_chance(first.new)):
            return None
        if varies:
            first = compare(saved, new, settings, varying)
        return None if first is not None and self._may_be_timed(result, first, settings) else first

    def _may_be_timed(self, result: CellResult, first: Difference, settings: Settings) -> bool:
        """Return whether a timer may have given what differs, and the same once more by chance."""
        outside = influences(self.graph)
        if result.cell not in outside.outside - outside.beyond_proof:
            return False
        significant = " ".join(word.lstrip("-0.") for word in first.new.split())
        if not agree_by_chance(significant) or self._is_removed(result.cell, first):
            return False
        pair = self._page(result).outputs, result.outputs
        return compare(*beside_outside(self.graph, result.cell, *pair), settings) is None

    def _varying(self, first: CellResult, second: CellResult, settings: Settings) -> Volatile:
        """Return what two runs give differently; to the last digit where a cell asks the clock."""
        if first.cell in influences(self.graph).outside:
            settings = replace(settings, mode="exact", now=None)
        return volatile(first.outputs, second.outputs, settings)

    def _comparable(self, result: CellResult) -> tuple[Sequence[Output], Sequence[Output]]:
        """Return of the saved outputs and of those of a run what the outside has no part in."""
        saved, new = self._page(result).outputs, result.outputs
        if "threads" in asked_by(self.graph, result.cell):
            saved = page_outputs.with_lines_of(saved, new)
        if result.cell not in influences(self.graph).beyond_proof:
            return saved, new
        if not saved and prints_anyway(self.graph, result.cell):
            return saved, new
        return beside_outside(self.graph, result.cell, saved, new)

    def is_by_order(self, cell: int) -> bool:
        """Return whether the recorded order gives the saved output."""
        clean, again, replay = self.trial.clean.last(cell), self._again(cell), self.trial.replay
        replayed = replay.last(cell) if replay else None
        if clean is None or again is None or replayed is None:
            return False
        settings = self.expected.settings(cell) or Settings()
        varying = self._varying(clean, again, settings)
        return compare(*self._comparable(replayed), settings, varying) is None

    def _again(self, cell: int) -> CellResult | None:
        """Return what the second clean run made of a cell, None where it did not come so far."""
        second = self.trial.second.last(cell) if self.trial.second else None
        return second if second is not None and second.came_to_end else None

    def _keeps_outputs(self) -> bool:
        """Return whether at least half of what is shown was saved: the page was not cleared."""
        saved = {c.number for c in self.graph.notebook.code_cells if page_outputs.shows(c.outputs)}
        showing = {r.cell for r in self.trial.clean.results if page_outputs.shows(r.outputs)}
        return 2 * len(saved) >= len(saved | showing)

    def _has_run(self, page: Cell) -> bool:
        """Return whether a cell without outputs ran when the page did, by its count or others'."""
        last = max((c.number for c in self.graph.notebook.code_cells if c.count), default=0)
        return page.count is not None or page.number < last

    # -- why ---------------------------------------------------------------------------------------

    def why(self, cell: int, difference: Difference) -> WhyChanged:
        """Return what may have changed the output, "" where it is the page that is wrong."""
        repeated: WhyChanged = "" if self._again(cell) is not None else "unrepeated"
        if self._is_exact(cell) or self._is_removed(cell, difference):
            return repeated
        learning = makers(self.graph).learning
        repeats = self._repeats_another(learning, cell) or self._is_as_learned(cell, difference)
        if self._may_move(cell) and not repeats and not self._is_sure(cell):
            return "libraries"
        if difference.form in _DRAWN and not self._is_drawn_alike(difference):
            return "libraries"
        return repeated

    def drifting(self, differing: Mapping[int, Difference]) -> frozenset[int]:
        """Return the cells that other versions of libraries, or of Python, may have changed.

        Those made from one that shows the same in another order, or print, may show another choice
        of it.
        """
        libraries = makers(self.graph).libraries
        lenient = {
            cell
            for cell, difference in differing.items()
            if not (self._is_exact(cell) or self._is_removed(cell, difference))
            and not self._is_sure(cell)
        }
        moved_by_version = self._moved_by_version(differing)
        excused = {
            cell
            for cell in moved_by_version & lenient
            if not self._is_as_learned(cell, differing[cell])
        }
        drifts = {c: self._drift(c, each) for c, each in differing.items() if c in lenient}
        drifting = {cell for cell, each in drifts.items() if each}
        below = downstream(self.graph, *drifting)
        moved, reordered = Counter[str](), set[int]()
        for cell, each in drifts.items():
            saved, new = self._both(cell)
            if each == "order":
                moved += drift.words(new)
                reordered.add(cell)
                continue
            related = bool(moved) and share_data(self.graph, cell, reordered)
            if drift.is_of(moved, saved, new, related=related):
                drifting.add(cell)
        return frozenset(excused | drifting | (libraries & lenient & {*below}))

    def _moved_by_version(self, differing: Mapping[int, Difference]) -> frozenset[int]:
        """Return the cells that other versions, which show elsewhere, are enough to explain.

        Where libraries that neither learn nor solve repeat what they gave, only those that do.
        """
        made_by = makers(self.graph)
        if self._is_elsewhere(differing):
            return made_by.libraries
        if not page_outputs.are_of_other_library(self.graph.notebook, self.trial.clean.results):
            return frozenset()
        steady = made_by.libraries - made_by.learning
        repeated = [r for r in self.trial.clean.results if r.cell in steady and self._is_kept(r)]
        if len(repeated) < _SEVERAL:
            return made_by.libraries
        return frozenset(filter(self._may_move, made_by.libraries & differing.keys()))

    def _may_move(self, cell: int) -> bool:
        """Return whether a cell shows numbers that are learned or solved, or what is told of data.

        Data that come with a library stay the same; their descriptions do not.
        """
        made_by = makers(self.graph)
        if cell in made_by.learning:
            return True
        return cell in made_by.steady and not drift.same_words(*self._both(cell))

    def _is_kept(self, result: CellResult) -> bool:
        """Return whether a cell shows numbers, and the same as were saved."""
        repeats = page_outputs.is_comparable(self._page(result), result) and self._is_repeated(
            result
        )
        return repeats and page_outputs.shows_digits(result.outputs)

    def _is_sure(self, cell: int) -> bool:
        """Return whether what differs is of the cell's own text, or beside what learns and solves.

        No version of a library explains that.
        """
        clean = self.trial.clean.last(cell)
        assert clean is not None, "asked of cells that ran"
        saved, new = self._page(clean).outputs, clean.outputs
        if is_of_other_text(self.graph, cell, saved, new):
            return True
        if cell not in makers(self.graph).learning:
            return False
        settings = self.expected.settings(cell) or Settings()
        before, after = beside_learning(self.graph, cell, saved, new)
        differs = compare(before, after, settings) is not None
        return differs and not drift.by_library(*page_outputs.as_read(before, after))

    def _is_elsewhere(self, differing: Mapping[int, Difference]) -> bool:
        """Return whether nothing at all of what libraries show is as it was saved."""
        libraries = makers(self.graph).libraries
        results = [r for r in self.trial.clean.results if r.cell in libraries]
        showing = [r for r in results if page_outputs.are_shown(self._page(r), r)]
        equal = [r for r in showing if r.cell not in differing]
        return len(showing) > 2 and not equal and not self._is_same_python()

    def _is_as_learned(self, cell: int, difference: Difference) -> bool:
        """Return whether other numbers are shown of models that show the same ones elsewhere."""
        if not (drift.is_computed(difference.saved) and drift.is_computed(difference.new)):
            return False
        readers = readers_of_same(self.graph, cell, makers(self.graph).learning)
        return bool(readers) and all(any(map(self._repeats_most, r)) for r in readers.values())

    def _repeats_most(self, cell: int) -> bool:
        """Return whether most of the numbers that a cell computes are as they were saved."""
        ran = self.trial.clean.last(cell) is not None
        return ran and drift.most_numbers_are_equal(*self._both(cell))

    def _is_exact(self, cell: int) -> bool:
        """Return whether the user wants just what was saved, whichever versions there are."""
        return self.expected.own.get(cell, self.expected.mode) == "exact"

    def _is_removed(self, cell: int, difference: Difference) -> bool:
        """Return whether the cell shows something where nothing was saved, whatever the versions.

        It prints itself; or it has a result that is no object, for of a call that gave nothing
        before a library may give one today; or it draws, and the page shows other pictures, or
        asks that they be shown.
        """
        if self.graph.notebook.cell(cell).outputs:
            return False
        if difference.form in {"picture", "drawing"}:
            asks = phrase("plotting", "magic")
            return any(
                has_pictures(each.outputs) or asks in each.source
                for each in self.graph.notebook.code_cells
            )
        if difference.form not in {"text", "table"}:
            return False
        if difference.place == "result":
            shown_as = difference.new
            is_made = shown_as[:1].isupper() and chance_text.is_call(shown_as)
            return not (is_made or chance_text.is_nameless(shown_as))
        return any(call.callee == "print" for call in syntax.of(self.graph, cell).invocations)

    def _both(self, cell: int) -> tuple[tuple[Output, ...], tuple[Output, ...]]:
        """Return the saved outputs of a cell and the new ones, as a reader sees them."""
        result = self.trial.clean.last(cell)
        assert result is not None, "asked of cells that ran"
        return page_outputs.as_read(self.graph.notebook.cell(cell).outputs, result.outputs)

    def _drift(self, cell: int, difference: Difference) -> drift.Drift:
        """Return how two outputs differ, if only as other versions make them differ.

        Of pictures their texts tell nothing.
        """
        if difference.form in _DRAWN:
            return ""
        saved, new = self._both(cell)
        if cell in makers(self.graph).libraries:
            return drift.by_library(saved, new)
        unordered = saved_before(self.graph.notebook, DICTS_IN_ORDER)
        return drift.by_python(saved, new, unordered=unordered)

    def _repeats_another(self, cells: frozenset[int], cell: int) -> bool:
        """Return whether another of these cells shows numbers, and the same as were saved."""
        if self._is_same_python():
            return True
        others = (r for r in self.trial.clean.results if r.cell in cells and r.cell != cell)
        return any(map(self._is_kept, others))

    def _is_drawn_alike(self, difference: Difference) -> bool:
        """Return whether pictures are drawn as they were: others tell, or Python is the same.

        Fonts of the machine, where a notebook asks for them, change a picture all the same.
        """
        if any(map(self._is_repeated, filter(page_outputs.draws, self.trial.clean.results))):
            return True
        return self._is_same_python() and (
            difference.kind != "changed" or not page_outputs.asks_for_fonts(self.graph)
        )

    def _is_repeated(self, result: CellResult) -> bool:
        settings = self.expected.settings(result.cell) or Settings()
        return page_outputs.are_repeated(self._page(result), result, settings)

    def _is_same_python(self) -> bool:
        """Return whether the page is known to be saved by the Python that it ran in now."""
        now = minor_version(self.trial.clean.python)
        return now is not None and saved_python(self.graph.notebook) == now
