"""A session as it was recorded, and as it was run again: its runs, and the clean run beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries import random_sources
from pytest_nbsafe.trace.results import CellResult, Holding, Value
from pytest_nbsafe.values import dataclass, field

_ONCE = patterns.compile(
    r"generator|coroutine|async_generator|map|filter|zip|enumerate|\w*iterator"
)


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One run of a session: which cell, with which text.

    `line` is where the file tells of it (the count, in a `history.sqlite`). `skip` says why it is
    not run again, empty when it is.
    """

    cell: str
    source: str
    line: int
    skip: str = ""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session: `page` are its cells in page order, `steps` the runs in the order they ran.

    `notes` tell what was mended or left out before it is run again. `before` is run first, in
    every kernel, and belongs to no cell. `elsewhere`: the file does not lie where the session ran.
    """

    path: str
    page: tuple[str, ...]
    steps: tuple[RecordedStep, ...]
    notes: tuple[str, ...] = ()
    before: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class SessionRun:
    """A step of a session that has been run: the cell's id on the page, and what came of it.

    `result.cell` is the number of the text that ran (`session_file.Versions`).
    """

    step: int
    cell: str
    result: CellResult


@dataclass(frozen=True, slots=True)
class CleanRun:
    """A clean run of the latest texts in page order, past every error: the judge.

    `runs` are all that ran, in order; of a cell whose last run in the session raised, the last
    text that ran comes first. `holding` is what the kernel held in the end, `beside` what stood
    beside the names before the first run and after each.
    """

    runs: tuple[SessionRun, ...]
    holding: Holding
    beside: tuple[Mapping[str, str], ...]

    def last(self, cell: str) -> CellResult | None:
        """Return the result of a cell's latest text."""
        return next((run.result for run in reversed(self.runs) if run.cell == cell), None)

    def before(self, cell: str) -> Mapping[str, str]:
        """Return what stood beside the names before a cell's latest text ran."""
        places = self._places(cell)
        return self.beside[places[-1]] if places else {}

    def draws_by_chance(self, other: CleanRun, cell: str) -> bool:
        """Return whether a cell draws random numbers that another clean run does not repeat.

        The states of the sources tell it. One that is not there before was loaded only then.
        """
        sources, places = random_sources.load().kernel_states, self._places(cell)
        drawn = {
            source
            for place in places
            for source in sources
            if source in self.beside[place]
            and self.beside[place][source] != self.beside[place + 1].get(source)
        }
        return any(
            self.beside[place + 1].get(source) != other.beside[place + 1].get(source)
            for place in places
            if place < len(other.runs)
            for source in drawn
        )

    def _places(self, cell: str) -> list[int]:
        return [place for place, run in enumerate(self.runs) if run.cell == cell]


@dataclass(frozen=True, slots=True)
class SessionText:
    """What a text of a cell says: the names it may bind, surely binds again, and surely reads.

    Of those in `partly` it reads certain parts alone (`d["a"]`).

    Source: Macke et al. 2021, Def. 6 (`dead`).
    """

    source: str = ""
    makes: frozenset[str] = frozenset()
    dead: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    partly: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    """What the judge looks at: the session so far and what it holds, and one or two clean runs.

    `page` are the cells in page order, `last` the last run of each that ran, `texts` what is known
    of their texts by number.
    """

    page: tuple[str, ...]
    runs: tuple[SessionRun, ...]
    last: Mapping[str, SessionRun]
    now: Holding
    clean: CleanRun
    second: CleanRun | None = None
    texts: Mapping[int, SessionText] = field(default_factory=dict)

    def text(self, cell: str) -> SessionText:
        """Return what the latest text of a cell says that ran."""
        return self.texts.get(self.last[cell].result.cell, SessionText())

    def repeated(self, cell: str) -> CellResult | None:
        """Return what the second clean run, if there is one, made of a cell."""
        return self.second.last(cell) if self.second is not None else None

    def is_chance(self, cell: str) -> bool:
        """Return whether a cell draws random numbers from a source that nobody has seeded."""
        return self.second is not None and self.clean.draws_by_chance(self.second, cell)


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """What is said after a step of a session.

    `causes` says of each stale symbol why it is stale, `judged` whether a clean run decided.
    `unknown` are the symbols of which neither values nor lineage tell. The cells are ids.
    """

    step: int
    cell: str
    status: str
    stale_symbols: tuple[str, ...] = ()
    stale_cells: tuple[str, ...] = ()
    fresh_cells: tuple[str, ...] = ()
    refresher_cells: tuple[str, ...] = ()
    unrunnable_cells: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    causes: Mapping[str, str] = field(default_factory=dict)
    judged: bool = False
    reason: str = ""


# ------------------------------------------------------------------ what a run read and made


def flows(result: CellResult) -> Mapping[str, frozenset[str]]:
    """Return what each name that a run made was made from, in names as they were at its begin."""
    origins: dict[str, frozenset[str]] = {}

    def sources(names: frozenset[str]) -> frozenset[str]:
        return frozenset[str]().union(*(origins.get(name, frozenset({name})) for name in names))

    for record in result.records:
        new = {name: sources(parents) for name, parents in record.writes.items()}
        for name, inflow in record.mutates.items():
            more = frozenset[str]() if is_once(result.after.get(name)) else inflow
            new[name] = sources(more | {name}) | new.get(name, frozenset())
        origins.update(new)
    return origins


def is_once(value: Value | None) -> bool:
    """Return whether a value is used up as it is looked at: to use it makes it no other."""
    return value is not None and _ONCE.fullmatch(value.kind) is not None


@dataclass(frozen=True, slots=True)
class Contribution:
    """A run that made what a name holds: `place` in the list of runs, and the names it used."""

    place: int
    run: SessionRun
    inputs: frozenset[str]


def contributions(runs: Sequence[SessionRun], name: str) -> tuple[Contribution, ...]:
    """Return the run that last bound a name and those that changed its object since, in order."""
    latest_first: list[Contribution] = []
    for place in range(len(runs) - 1, -1, -1):
        result = runs[place].result
        inputs = flows(result).get(name)
        if inputs is None:
            continue
        latest_first.append(Contribution(place, runs[place], inputs))
        if name in result.bound:
            break
    return tuple(reversed(latest_first))


def last_runs(runs: Sequence[SessionRun]) -> Mapping[str, SessionRun]:
    """Return the last run of each cell."""
    return {run.cell: run for run in runs}


def status_of(result: CellResult) -> str:
    """Return the word for how a step ended."""
    words = {"ok": "ok", "skipped": "skipped", "not-reached": "skipped"}
    return words.get(result.status, "error")


def step_answer(  # each set of cells has its name
    page: Sequence[str],
    run: SessionRun,
    causes: Mapping[str, str],
    *,
    stale: Collection[str],
    fresh: Collection[str],
    refreshers: Collection[str],
    unrunnable: Collection[str],
) -> StepAnswer:
    """Return the answer after a run: the stale names with their causes, and the sets of cells."""

    def on_page(cells: Collection[str]) -> tuple[str, ...]:
        return tuple(cell for cell in page if cell in cells)

    return StepAnswer(
        run.step,
        run.cell,
        status_of(run.result),
        stale_symbols=tuple(sorted(causes)),
        stale_cells=on_page(stale),
        fresh_cells=on_page(fresh),
        refresher_cells=on_page(refreshers),
        unrunnable_cells=on_page(unrunnable),
        causes=causes,
        reason=run.result.reason,
    )
