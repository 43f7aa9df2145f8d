"""The inferred order: every recorded run in its place, and the earlier runs that they prove.

Before a cell that reads a name nothing has bound yet, the nearest definer is run first, and
before it what it needs itself. Each such run takes a free slot of the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from itertools import islice

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.order import chances, session_split
from pytest_nbsafe.order.definers import Definers
from pytest_nbsafe.order.overwritten_runs import overwritten_runs
from pytest_nbsafe.order.plan import Plan, Run, runnable
from pytest_nbsafe.order.readings import in_sequence, needed, sets_up
from pytest_nbsafe.order.saved_errors import missing_then
from pytest_nbsafe.sentences import ticked
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class _Draft:
    """A run of a plan in the making; `waiting` are the cells for whose sake it was put there.

    `certain`: no other session than its own comes into question. `chance`: how likely it is here.
    """

    cell: int
    session: int
    count: int | None
    recorded: bool
    reason: str
    waiting: frozenset[int] = frozenset()
    certain: bool = True
    chance: float = 1.0


_ANY = "*"
"""Stands among the names that are bound for those that nobody knows: of a star import, of exec."""
_Made = dict[str, tuple[int, int]]
"""The names that are bound before a run, each with the cell that bound it last, and its session."""
_Wants = dict[int, list[tuple[int, str]]]
"""The cells that must run first: for each, who reads what of it, as (cell, name)."""

_NONE: frozenset[int] = frozenset()


class _Drafts(list[_Draft]):
    """The runs of a plan in the making, in their order, and what is asked of them often.

    `taken` are the counts that stand for a run, by session. `put_for` are the cells that were put
    in for the sake of a cell, `in_vain` those of them that found no free count.
    """

    def __init__(self, known: Iterable[_Draft]) -> None:
        super().__init__(known)
        self.taken: dict[int, set[int | None]] = {}
        self.put_for: dict[int, list[AbstractSet[int]]] = {}
        self.in_vain: dict[int, set[int]] = {}
        for draft in self:
            self.taken.setdefault(draft.session, set()).add(draft.count)

    def put(self, index: int, draft: _Draft) -> None:
        """Add a run that was inferred before the one at the index."""
        self.insert(index, draft)
        self.taken.setdefault(draft.session, set()).add(draft.count)

    def note(self, waiting: Iterable[int], cells: Sequence[int], *, in_vain: bool) -> None:
        """Keep in mind for whose sake cells were put in, and whether no count was free."""
        put = frozenset(cells)
        for cell in waiting:
            self.put_for.setdefault(cell, []).append(put)
            if in_vain:
                self.in_vain.setdefault(cell, set()).update(put)


@kept
def plan(graph: Graph) -> Plan:
    """Return every recorded run, and before each the runs that make the names it misses.

    Source: the design, section 5.2. Runs that later ones overwrote come first
    (`overwritten_runs`). A definer takes the largest free count below its reader's: right before
    it where there is room, else in an earlier gap of the same session, where what the definer
    misses is looked for again. With too few free counts it must have run in another session; it is
    run all the same, right before the reader, since else the reader cannot run. Names that no cell
    defines are left to fail, as are those that a saved NameError says were missing. Below a star
    import or code that no one can read, a name is not taken to come from a cell further down.
    """
    page, bound_by = _Page(graph), dependencies.bound_by_cells(graph)
    drafts = _Drafts(_known(graph, runnable(graph)))
    made: list[_Made] = [{}]
    while len(made) <= len(drafts):
        position = len(made) - 1
        draft = drafts[position]
        wants = page.wants(draft, drafts.in_vain.get(draft.cell, _NONE), made[position])
        if wants:
            first = _insert(graph, drafts, position, wants)
            del made[first + 1 :]
        else:
            left = made[position].copy()
            for name in graph.cells[draft.cell].removed:
                left.pop(name, None)
            left.update(dict.fromkeys(bound_by[draft.cell], (draft.cell, draft.session)))
            if graph.cells[draft.cell].opaque:
                left[_ANY] = (draft.cell, draft.session)
            made.append(left)
    return Plan(
        "inferred",
        tuple(
            Run(step, d.cell, d.count, d.recorded, d.reason, d.session, d.chance)
            for step, d in enumerate(drafts, 1)
        ),
    )


def _known(graph: Graph, cells: Sequence[Cell]) -> list[_Draft]:
    """Return the recorded runs, and those that later ones overwrote, in their places."""
    split = session_split.split(graph, cells)
    session_of = split.of
    certain = split.number == 1 or split.by_times
    drafts = [
        _Draft(
            cell.number,
            session_of[cell.number],
            cell.count,
            recorded=True,
            reason=f"recorded as [{cell.count}]",
            certain=certain,
            chance=split.chance[cell.number],
        )
        for cell in cells
        if cell.count is not None
    ]
    drafts += _of_older_results(cells, drafts)
    counts = {draft.cell: draft for draft in drafts if draft.recorded}
    taken = {(draft.session, draft.count) for draft in drafts}
    for lost in overwritten_runs(graph, cells, session_of):
        if (lost.session, lost.count) in taken:
            continue
        first = lost.asked_by[0].reader
        names = dict.fromkeys(edge.name for edge in lost.asked_by if edge.reader == first)
        reason = _reason([(first, name) for name in names], counts[first], lost.count)
        drafts.append(
            _Draft(
                lost.cell,
                lost.session,
                lost.count,
                recorded=False,
                reason=reason,
                certain=certain,
                chance=_chance(graph, lost.cell, counts[first], lost.count),
            )
        )
    return sorted(drafts, key=lambda draft: (draft.session, draft.count, draft.cell))


def _of_older_results(cells: Sequence[Cell], drafts: Sequence[_Draft]) -> list[_Draft]:
    """Return the runs whose results the page still shows though their cells ran again since."""
    taken = {(draft.session, draft.count) for draft in drafts}
    own = {draft.cell: draft for draft in drafts}
    older: dict[tuple[int, int], _Draft] = {}
    for cell in cells:
        count = cell.result_count
        if cell.count is None or count is None or count >= cell.count:
            continue
        place = own[cell.number].session, count
        if place not in taken:
            reason = f"its saved result is of [{count}]"
            draft = replace(own[cell.number], count=count, recorded=False, reason=reason)
            older.setdefault(place, draft)
    return [*older.values()]


# --- which cells must run first --------------------------------------------------------------


class _Page:
    """What the cells of a page need, and who makes it: asked of each run of a plan."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._definers = Definers(graph)
        self._needed = {cell: needed(graph, cell) for cell in graph.cells}
        self._absent = {cell: missing_then(graph, cell) for cell in graph.cells}

    def wants(self, reader: _Draft, in_vain: AbstractSet[int], made: _Made) -> _Wants:
        """Return the definers of all that the run misses, and of what they miss in their turn.

        Not the cells that wait for the run themselves, nor those that ran before it `in_vain`.
        """

        def is_barred(cell: int) -> bool:
            return cell in reader.waiting or cell in in_vain or cell == reader.cell

        wants: _Wants = {}
        asking = [reader.cell]
        bound = made.keys()
        for cell in asking:  # which grows
            absent = self._absent[cell] if cell == reader.cell and reader.recorded else ()
            for name in self._needed[cell]:
                if name in absent or _is_there(name, made, reader, cell):
                    continue
                definer = self._definers.likeliest(name, cell, is_barred, bound)
                if definer is None or (definer > cell and _ANY in made):
                    continue
                if name in made and self._is_kept(name, made, definer):
                    continue
                if definer not in wants:
                    asking.append(definer)
                wants.setdefault(definer, []).append((cell, name))
        return wants

    def _is_kept(self, name: str, made: _Made, definer: int) -> bool:
        """Return whether what another session made may stand for what this one must have made.

        It does where the same cell would make it again, or one that changes what is there.
        """
        return made[name][0] == definer or name in self._needed[definer]


def _is_there(name: str, made: _Made, reader: _Draft, cell: int) -> bool:
    """Return whether a run of this session bound the name.

    Which cells were of this session is inferred, where there are several. A run of a cell further
    down is then no reason to doubt that a cell above made the name, as the page says.
    """
    if name not in made:
        return False
    maker, session = made[name]
    return session == reader.session and (maker < cell or reader.certain)


def _in_order(wants: _Wants) -> list[int]:
    """Return the wanted cells, each before those that read it, else in page order."""
    missing = {cell: set[int]() for cell in wants}
    for definer, readers in wants.items():
        for reader, _ in readers:
            if reader in missing:
                missing[reader].add(definer)
    free = [cell for cell, others in missing.items() if not others]
    heapify(free)
    done: list[int] = []
    while missing:
        # Cells that need one another have no right order: the first of the page then starts.
        cell = heappop(free) if free else min(missing)
        del missing[cell]
        done.append(cell)
        for reader, _ in wants[cell]:
            if reader in missing and cell in missing[reader]:
                missing[reader].discard(cell)
                if not missing[reader]:
                    heappush(free, reader)
    return done


# --- where they go ---------------------------------------------------------------------------


def _insert(graph: Graph, drafts: _Drafts, position: int, wants: _Wants) -> int:
    """Put the wanted cells before the run at `position`; return the first place that changed."""
    cells = _in_order(wants)
    reader = drafts[position]
    waiting = reader.waiting | {reader.cell} | frozenset(cells)
    graph.budget.scan(len(cells) * len(waiting) // 2)
    # A definer in an earlier gap is in vain when its name is deleted on the way to the reader.
    retried = not all(put.isdisjoint(cells) for put in drafts.put_for.get(reader.cell, ()))
    slots = _free_slots(drafts, reader, len(cells), retried=retried)
    drafts.note(waiting, cells, in_vain=None in slots)
    first = position
    at = position
    for cell, slot in zip(reversed(cells), slots, strict=True):
        reason = _reason(wants[cell], reader, slot)
        if slot is not None:
            at = _place(drafts, at, slot)
        draft = _Draft(
            cell,
            reader.session,
            slot,
            recorded=False,
            reason=reason,
            waiting=waiting,
            certain=reader.certain,
            chance=_chance(graph, cell, reader, slot),
        )
        drafts.put(at, draft)
        first = min(first, at)
    return first


def _chance(graph: Graph, cell: int, reader: _Draft, slot: int | None) -> float:
    count = graph.notebook.cell(cell).count
    known = reader.certain and count is not None and reader.count is not None
    return chances.ran_before(
        (count or 0) - (reader.count or 0) if known else None,
        slot=slot is not None,
        in_sequence=in_sequence(graph, cell),
        sets_up=sets_up(graph, cell),
        is_counted=count is not None,
    )


def _free_slots(drafts: _Drafts, reader: _Draft, wanted: int, *, retried: bool) -> list[int | None]:
    """Return the largest free counts below the reader's, downwards; None for all if too few."""
    if reader.count is None or retried:
        return [None] * wanted
    taken = drafts.taken[reader.session]
    free = (count for count in range(reader.count - 1, 0, -1) if count not in taken)
    slots: list[int | None] = list(islice(free, wanted))
    return slots if len(slots) == wanted else [None] * wanted


def _place(drafts: Sequence[_Draft], at: int, slot: int) -> int:
    """Return the place of a free slot: before the first run of its session with a higher count.

    `at` is the place of such a run; those of one session stand together, by their counts.
    """
    place = at
    for index in range(at - 1, -1, -1):
        draft = drafts[index]
        if draft.session != drafts[at].session:
            break
        if draft.count is not None:
            if draft.count < slot:
                break
            place = index
    return place


def _reason(readers: Sequence[tuple[int, str]], waiting: _Draft, slot: int | None) -> str:
    first = readers[0][0]
    names = ticked(name for reader, name in readers if reader == first)
    asked = f"defines {names}, which cell {first} needs"
    if first != waiting.cell:
        asked += " in its turn"
    elif waiting.recorded:
        asked += f" at [{waiting.count}]"
    if slot is None:
        why = "it ran in an earlier session, or code that is gone did this"
        return f"{asked}; too few counts are free before it: {why}"
    return f"{asked}; count {slot} is free"
