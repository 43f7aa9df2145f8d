"""What was fitted on which rows, what came of what, and what was judged on which rows."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..learning_contract import Copies, Evaluation, Learned
from . import row_hashes
from .row_origins import RowOrigins
from .table_rows import Glimpse, Past, Rows

if TYPE_CHECKING:
    from ..tracing.incidents import Watch

_PARTS = 100
_LOOKS = 2_000  # in one cell; a loop over more tables is not followed to its end
_MOST = 200  # events of one cell; a loop over thousands of scores says the same again and again
_SPLITS = 20  # the last ones, in which rows are looked for
_UNJUDGED = frozenset({"transformer", "selector", "embedding", "clusterer", "density", "encoder"})


class Place(NamedTuple):
    """Where in the cells something was done, to be told: `what` was fitted, if anything was."""

    what: str
    run: int
    line: int


NOWHERE = Place("", 0, 0)


class Fit:
    """Something that was fitted: its role, on which rows, made by what.

    `place` is the number of where that was; `replaces` that of what its estimator held before: no
    code reads it, but it tells two logs apart that are pickled.
    """

    def __init__(self, number: int, role: str, place: int, rows: Rows) -> None:
        self.number, self.role, self.place = number, role, place
        self.replaces: int | None = None
        self._parts = [rows]
        self.past = rows.past

    @property
    def rows(self) -> Rows:
        """The rows that it was fitted on, each once where it was fitted several times."""
        if len(self._parts) > 1:
            self._parts = [RowOrigins.united(self._parts)]
        return self._parts[0]

    def add(self, earlier: Fit) -> None:
        """Add what was learned earlier, and kept."""
        self._parts = [*earlier._parts, *self._parts]
        if len(self._parts) > _PARTS:
            self._parts = [self.rows]
        self.past |= earlier.past


class Prediction(NamedTuple):
    """What was predicted: by which fit (None: unknown), of which rows, in which run."""

    fit: Fit | None
    rows: Rows
    run: int


class FitLog:
    """All that is known of learning in this kernel. `watch` tells where we are.

    Nothing of the user's is kept alive: values and estimators are known by weak references.
    """

    def __init__(self, roles: dict[str, str], watch: Watch) -> None:
        self.watch = watch
        self.registry = RowOrigins()
        self.evaluations: list[Evaluation] = []
        self.copies: list[Copies] = []
        self.fits: list[Fit] = []
        self.splits: list[list[Rows]] = []
        self.places = [NOWHERE]
        self.told_places = 1
        self._roles = {
            (name.partition(".")[0], name.rpartition(".")[2]): role for name, role in roles.items()
        }
        self._values: dict[int, tuple[weakref.ref[Any], Rows]] = {}
        self._fitted: dict[int, tuple[weakref.ref[Any], Fit]] = {}
        self._predicted: dict[int, tuple[weakref.ref[Any], Prediction]] = {}
        self._predictions: list[Prediction] = []
        self._counts: dict[tuple[int, int], tuple[int, int]] = {}
        self.start()

    def start(self) -> None:
        """Begin a run."""
        self._left, self._looks = row_hashes.MAX_CELLS_A_RUN, _LOOKS
        self._places_here: dict[Place, int] = {}
        self.told_places = len(self.places)

    def line(self) -> int:
        """Return the line of the current run's cell that is executing; of a magic, in its body."""
        return self.watch.places.current_line(self.watch.run, within_magic=True)

    def place(self) -> tuple[int, int]:
        """Return the run and line of the innermost text of a cell: be it that of a helper."""
        return next(iter(self.watch.places.executing(within_magic=True)), (self.watch.run, 0))

    def note_place(self, what: str = "") -> int:
        """Return the number of where we are, at which `what` was fitted.

        Runs have no numbers in common: what one told stays right when another is edited.
        """
        place = Place(what, *self.place())
        if place not in self._places_here:
            self._places_here[place] = len(self.places)
            self.places.append(place)
        return self._places_here[place]

    def _glimpse(self, value: Any) -> Glimpse:
        """Return a value at first sight.

        Raises:
            Unknown: it is no table, or too much has been looked at in this run.

        """
        table = row_hashes.table_of(value)
        self._left -= table.cells()
        self._looks -= 1
        if self._left < 0 or self._looks < 0:
            raise row_hashes.Unknown
        return Glimpse(table)

    def take(self) -> tuple[list[Evaluation], list[Copies]]:
        """Return what was seen since the last time."""
        evaluations, copies = self.evaluations, self.copies
        self.evaluations, self.copies = [], []
        return evaluations, copies

    # -------------------------------------------------------------- values

    def known(self, value: Any) -> Rows | None:
        """Return the rows of a value that was seen before, None for any other."""
        rows: Rows | None = _held(self._values, value)
        if rows is None or rows.forgotten:
            return None
        glimpse = Glimpse(row_hashes.table_of(value))
        if glimpse.table.n == rows.n and glimpse.marks == rows.marks:
            return rows
        same = self.registry.same(rows, glimpse)
        return self.remember(value, same) if same is not None else None

    def rows_of(self, value: Any) -> Rows:
        """Return the rows of a value.

        Raises:
            Unknown: it is no table.

        """
        rows = self.known(value)
        if rows is None:
            rows = self.remember(value, self.registry.identify(self._glimpse(value)))
        return rows

    def remember(self, value: Any, rows: Rows) -> Rows:
        """Know a value again as long as it lives."""
        hold(self._values, value, rows)
        return rows

    def derive(self, value: Any, source: Rows, past: Past) -> Rows:
        """Return the rows of a value that was made of others, row by row."""
        glimpse = self._glimpse(value)
        if glimpse.table.n == source.n:
            return self.remember(value, self.registry.derive(source, glimpse, past))
        return self.remember(value, self.registry.identify(glimpse, past))

    # -------------------------------------------------------------- fits

    def role_of(self, kind: type) -> str:
        """Return what a class is for; of an unknown one, what its methods say."""
        for base in kind.__mro__:
            role = self._roles.get((base.__module__.partition(".")[0], base.__name__))
            if role is not None:
                return role
        duck = (("fit_resample", "sampler"), ("predict", "model"), ("transform", "transformer"))
        methods = {name for base in kind.__mro__ for name in base.__dict__}
        return next((role for method, role in duck if method in methods), "model")

    def fitted(self, what: str, role: str, rows: Rows, targets: Rows | None = None) -> Fit:
        """Return a new fit."""
        fit = Fit(len(self.fits), role, self.note_place(what), rows)
        if targets is not None:
            fit.past |= targets.past
        self.fits.append(fit)
        self.registry.clock = len(self.fits)
        return fit

    def hold(self, estimator: Any, fit: Fit) -> None:
        """Note that an estimator holds what was learned by a fit."""
        hold(self._fitted, estimator, fit)

    def unfit(self, estimator: Any) -> None:
        """Know no more what an estimator holds."""
        self._fitted.pop(id(estimator), None)

    def fit_of(self, estimator: Any) -> Fit | None:
        """Return what an estimator has learned, None when nobody saw it."""
        fit: Fit | None = _held(self._fitted, estimator)
        return fit

    # -------------------------------------------------------------- predictions

    def predicted(self, value: Any, prediction: Prediction) -> None:
        """Know a prediction again, and what is sliced from it."""
        hold(self._predicted, value, prediction)
        base = value.base if isinstance(value, np.ndarray) else None  # a slice of it refers to that
        if isinstance(base, np.ndarray) and len(base) == prediction.rows.n:
            hold(self._predicted, base, prediction)
        self._predictions = [*self._predictions[-50:], prediction]

    def prediction(self, value: Any) -> Prediction | None:
        """Return the prediction that a value is, or is a slice of; None for any other."""
        for _ in range(4):
            prediction: Prediction | None = _held(self._predicted, value)
            if prediction is not None or not isinstance(value, np.ndarray):
                return prediction
            value = value.base
        return None

    def last_prediction(self, truth: Any) -> Prediction | None:
        """Return the only prediction, of all or of this cell, of the rows that a truth is of."""
        rows = _held(self._values, truth)
        if rows is None:
            return None
        of_all = [p for p in self._predictions if np.array_equal(p.rows.origins, rows.origins)]
        of_cell = [prediction for prediction in of_all if prediction.run == self.watch.run]
        for predictions in (of_all, of_cell):
            if len({id(prediction.fit) for prediction in predictions}) == 1:
                return predictions[-1]
        return None

    # -------------------------------------------------------------- what is told

    def split(self, what: str, wholes: list[Rows], parts: list[list[Rows]]) -> None:
        """Note a split: the parts of each table."""
        main = max(range(len(wholes)), key=lambda i: len(wholes[i].marks))
        self.splits.append(parts[main])
        for parts_of_table in parts:
            for position, rows in enumerate(parts_of_table):
                rows.part = position
        first, last = parts[main][0], parts[main][-1]
        if wholes[main].copied and first is not last:
            count = self.registry.alike(last, first, len(self.fits))
            if count:
                self._tell_copies(what, count, last, wholes[main].copied_at)

    def _tell_copies(self, what: str, count: int, rows: Rows, copied_at: int) -> None:
        _, run, made_line = self.places[copied_at]
        copies: Copies = {
            "line": self.line(), "what": what, "rows": count, "of": rows.n,
            "run": run, "made_line": made_line,
        }  # fmt: skip
        if copies not in self.copies and len(self.copies) < _MOST:
            self.copies.append(copies)

    def judged(
        self, what: str, how: str, rows: Rows, fit: Fit | None, targets: Rows | None
    ) -> None:
        """Tell an evaluation of a model on rows and their targets."""
        if fit is None or fit.role in _UNJUDGED or rows.forgotten:
            return
        model = self._learned(fit, rows, None)
        if model is not None:
            past = fit.past | _past(rows, targets)
            self._tell(what, how, rows, targets, model, past - {fit.number})
            alike = self._met(fit, rows)[1]
            if alike and rows.part is None:  # else the split has told it
                self._tell_copies(what, alike, rows, rows.copied_at or fit.rows.copied_at)

    def folded(self, what: str, estimator: Any, rows: Rows, targets: Rows | None) -> None:
        """Tell a cross-validation, which holds out each row from the model that is judged by it."""
        run, line = self.place()
        kind = type(estimator)
        model: Learned = {
            "what": kind.__name__, "role": self.role_of(kind), "run": run, "line": line,
            "rows": rows.n, "shared": 0,
        }  # fmt: skip
        self._tell(what, "folds", rows, targets, model, _past(rows, targets))

    def _tell(
        self,
        what: str,
        how: str,
        rows: Rows,
        targets: Rows | None,
        model: Learned,
        past: frozenset[int],
    ) -> None:
        """Tell an evaluation; `past` are the numbers of the fits that came before it."""
        learned = [self._learned(self.fits[number], rows, targets) for number in sorted(past)]
        evaluation: Evaluation = {
            "line": self.line(), "what": what, "how": how, "rows": rows.n,
            "part": self._part(rows), "learned": [model, *filter(None, learned)],
        }  # fmt: skip
        if evaluation not in self.evaluations and len(self.evaluations) < _MOST:
            self.evaluations.append(evaluation)

    def _learned(self, fit: Fit, rows: Rows, targets: Rows | None) -> Learned | None:
        """Return how many of the rows a fit knows, be it only by their targets."""
        if fit.rows.forgotten:
            return None
        tables = [rows, targets] if targets is not None and targets.n == rows.n else [rows]
        what, run, line = self.places[fit.place]
        return {
            "what": what, "role": fit.role, "run": run, "line": line,
            "rows": fit.rows.n, "shared": max(self._met(fit, table)[0] for table in tables),
        }  # fmt: skip

    def _met(self, fit: Fit, rows: Rows) -> tuple[int, int]:
        """Return how many rows a fit knows, and how many others are of equal content."""
        pair = fit.number, rows.number
        if pair not in self._counts:
            self._counts[pair] = (
                self.registry.shared(rows, fit.rows, fit.number),
                self.registry.alike(rows, fit.rows, fit.number),
            )
        return self._counts[pair]

    def _part(self, rows: Rows) -> int | None:
        """Return the part that rows are of: they were taken from it, or all stand in it."""
        if rows.part is None:
            around = (
                number
                for parts in self.splits[: -_SPLITS - 1 : -1]
                for number, part in enumerate(parts)
                if not part.forgotten and rows.n <= part.n
                if self.registry.shared(rows, part) == rows.n
            )
            rows.part = next(around, None)
        return rows.part


def _past(rows: Rows, targets: Rows | None) -> Past:
    """Return what rows and their targets were learned by, as numbers of fits."""
    return rows.past | (targets.past if targets is not None else Past())


# ------------------------------------------------------------------ weak tables


def hold(table: dict[int, tuple[weakref.ref[Any], Any]], value: Any, fact: Any) -> None:
    """Know a value again as long as it lives."""
    key = id(value)

    def gone(ref: weakref.ref[Any]) -> None:
        if table.get(key, (None,))[0] is ref:
            del table[key]

    try:
        table[key] = (weakref.ref(value, gone), fact)
    except TypeError:  # a list: it is known by what it holds
        table.pop(key, None)


def _held(table: dict[int, tuple[weakref.ref[Any], Any]], value: Any) -> Any:
    ref, fact = table.get(id(value), (None, None))
    return fact if ref is not None and ref() is value else None
