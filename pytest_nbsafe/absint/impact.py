"""The impact domain: what is made again or left behind when a cell runs, and what mends it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pytest_nbsafe.absint.engine import Violation
from pytest_nbsafe.absint.summaries import NumberedCell, Numbering, bits_of, numbered, ones
from pytest_nbsafe.analysis.model import Graph, Use
from pytest_nbsafe.findings import Step
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.sentences import listed
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class ImpactState:
    """What the names hold, in sets of bits: one bit a name, a cell, or an output.

    An output is what one cell leaves of one name. By the number of each name, `sources` has the
    outputs that its value was made from, at any distance, and `makers` the cells that made it.
    `outdated` names hold a value made from an output that has been made again since; `changed`
    ones have got another value since the start; `moved` outputs would be other ones if their cell
    ran again, since an input has been made again.
    """

    sources: tuple[int, ...]
    makers: tuple[int, ...]
    outdated: int = 0
    changed: int = 0
    moved: int = 0


# -- what was run ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Past:
    """A notebook that was run: its state, and the state at the entry of each cell's last run."""

    order: tuple[int, ...]
    end: ImpactState
    entries: Mapping[int, ImpactState]


def past(known: Numbering, order: Sequence[int]) -> Past:
    """Return what running these cells one after another from nothing leaves."""
    empty = (0,) * len(known.names)
    state = ImpactState(empty, empty)
    entries: dict[int, ImpactState] = {}
    order = tuple(cell for cell in order if cell in known.cells)
    for cell in order:
        entries[cell] = state
        state = run(known, cell, state)
    return Past(order, state, entries)


def run(
    known: Numbering, cell: int, state: ImpactState, edited: int = 0, spared: int = 0
) -> ImpactState:
    """Return the state after a run of the cell; the `edited` outputs are made again in any case.

    That a `spared` name is outdated at the entry does not matter.

    A run whose inputs are what they were at the cell's last run gives what that gave.

    Source: NBLyzer, section 4.1.1, and nbsafety, Def. 4. Departs: a changed name is in the paper's
    set for good; here a value is outdated only while it was made from what is no longer there, so
    a cell that makes it again (from anything) mends it, and what a later cell makes of a name does
    not outdate what was made from an earlier one (`y = f(df); df = clean(df)`). That input is the
    same is judged by name: a name that was bound to another value and back counts as changed. A
    name that is bound on some paths only counts as made again.
    """
    numbered_cell = known.cells[cell]
    known.graph.budget.scan(len(numbered_cell.outs) + len(known.names))
    sources, makers = list(state.sources), list(state.makers)
    outdated, changed = state.outdated, state.changed
    remade = rebound = 0
    for out in numbered_cell.outs:
        old = state.sources[out.name]
        made_from = out.bit | out.through
        for name in ones(out.inputs):
            made_from |= state.sources[name]
        if (edited | state.moved) & out.bit:
            remade |= out.bit
            rebound |= 1 << out.name
        elif makers[out.name] & ~numbered_cell.bit or not makers[out.name]:
            rebound |= 1 << out.name
        how = out.output.how
        maybe = how == "may bind"
        sources[out.name] = 0 if how == "deletes" else made_from | old if maybe else made_from
        makers[out.name] = makers[out.name] | numbered_cell.bit if maybe else numbered_cell.bit
        stale = bool(out.inputs & state.outdated & ~spared) and how != "deletes"
        outdated = outdated | 1 << out.name if stale else outdated & ~(1 << out.name)
    changed |= rebound
    if remade:
        outdated |= _left_behind(known, numbered_cell, sources, remade)
    moved = state.moved & ~bits_of(out.number for out in numbered_cell.outs)
    for name in ones(rebound):
        moved |= known.readers.get(name, 0)
    return ImpactState(tuple(sources), tuple(makers), outdated, changed, moved)


def _left_behind(
    known: Numbering, numbered_cell: NumberedCell, sources: Sequence[int], remade: int
) -> int:
    """Return the names that still hold what was made from outputs that are made again now.

    A name that shares the object which is changed in place is as new as that.
    """
    outdated = 0
    for out in numbered_cell.outs:
        if not remade & out.bit:
            continue
        known.graph.budget.scan(len(sources))
        twins = known.twins.get(out.name, 0) if out.output.how == "changes" else 0
        left = ~(numbered_cell.leaves | twins)
        for name, had in enumerate(sources):
            if had & out.bit and left >> name & 1:
                outdated |= 1 << name
    return outdated


def edits(known: Numbering, cell: int, change: str | None = None) -> int:
    """Return the outputs of the cell that a change of it (of one of its names) makes again."""
    outs = known.cells[cell].outs
    if change is None:
        return bits_of(out.number for out in outs if not out.output.imported)
    own = sum(out.bit for out in outs if out.output.name == change)
    return own | sum(out.bit for out in outs if out.through & own)


def affected(known: Numbering, before: Past, cell: int, edited: int) -> Mapping[int, Use]:
    """Return the cells whose run in that past read what was made from the edited outputs.

    Each with its first such read, in page order; the cell itself is left out.
    """
    first_reads: dict[int, Use] = {}
    for reader in sorted(before.entries):
        entry, reads = before.entries[reader], known.cells[reader].uses
        uses = [u for n, u in reads.items() if entry.sources[known.numbers[n]] & edited]
        if uses and reader != cell:
            first_reads[reader] = min(uses, key=lambda use: (use.span.line, use.span.column))
    return first_reads


# -- the domain ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Impact:
    """The domain of code impact for one notebook, one past, and one change.

    Before the what-if the notebook was run as `before` says, and all is taken to fit together
    then: what was outdated already is not its subject. The first run is that of `source`, which
    makes the `edited` outputs again. The `affected` cells read what was made from these, at any
    distance, when they ran last, or do on `page`, in page order.

    Source: NBLyzer, section 4.1.
    """

    known: Numbering
    before: Past
    page: Past
    source: int
    edited: int
    affected: frozenset[int]

    def initial(self) -> ImpactState:
        """Return the end of the past, with nothing outdated, changed or moved yet."""
        return replace(self.before.end, outdated=0, changed=0, moved=0)

    def transfer(self, cell: int, state: ImpactState) -> ImpactState:
        """Return the state after a run of the cell: the first one makes the change."""
        first = cell == self.source and not state.changed
        edited = self.edited if first else 0
        return run(self.known, cell, state, edited, self._refitted(cell, state))

    def stale(self, cell: int, state: ImpactState) -> int:
        """Return the outdated names that a run of the cell from this state would read."""
        outdated = self.known.cells[cell].reads & state.outdated
        return outdated & ~self._refitted(cell, state) if outdated else 0

    def _refitted(self, cell: int, state: ImpactState) -> int:
        """Return the names that are outdated by nothing but what this cell fitted them on.

        What the estimator was made from before that fit has not changed.
        """
        numbered_cell, entry = self.known.cells[cell], self.before.entries.get(cell)
        return bits_of(
            out.name
            for out in numbered_cell.outs
            if out.output.refitted
            and entry is not None
            and state.makers[out.name] == numbered_cell.bit
            and not entry.sources[out.name] & ~out.bit & self.edited
        )

    def widen(self, old: ImpactState, new: ImpactState) -> ImpactState:
        """Return the union, name by name: the sets are finite, so chains of these end."""
        return ImpactState(
            tuple(x | y for x, y in zip(old.sources, new.sources, strict=True)),
            tuple(x | y for x, y in zip(old.makers, new.makers, strict=True)),
            old.outdated | new.outdated,
            old.changed | new.changed,
            old.moved | new.moved,
        )

    def covers(self, old: ImpactState, new: ImpactState) -> bool:
        """Return whether each name of `new` is outdated in `old`, or made from no more there.

        What would move further in `new` must not matter: the names made from it are outdated in
        `old`. Then no run from `new` reads what is outdated unless it does from `old`.
        """
        if new.outdated & ~old.outdated:
            return False
        further = new.moved & ~old.moved
        for number, (mine, theirs) in enumerate(zip(new.sources, old.sources, strict=True)):
            if not old.outdated >> number & 1 and (mine & ~theirs or mine & further):
                return False
        return True

    def phi(self, state: ImpactState, cell: int) -> bool:
        """Return whether the cell reads a changed or outdated name, and is one of the `affected`.

        Source: NBLyzer, section 4.1.1. Departs: where many cells use one name for different
        things, only the cells count that read what the source makes, not whatever has that name.
        """
        reads = self.known.cells[cell].reads
        return cell in self.affected and bool(reads & (state.outdated | state.changed))

    def check(self, cell: int, entry: ImpactState, after: ImpactState) -> Iterator[Violation]:  # noqa: ARG002 - what is read counts
        """Yield each read of an outdated name."""
        for number in ones(self.stale(cell, entry)):
            yield self._stale_read(cell, number, entry)

    def _stale_read(self, cell: int, number: int, entry: ImpactState) -> Violation:
        name = self.known.names[number]
        use = self.known.cells[cell].uses[name]
        maker, line = made_at(self.known, entry, number)
        inputs = old_inputs(self.known, entry.sources[number] & self.edited, name)
        old = called_old(inputs)
        run = f"is run again and makes {inputs or 'its result'} again"
        through = f" {use.via}" if use.via else ""
        return Violation(
            cell,
            use.span,
            name,
            f"reads `{name}`{through}, which cell {maker} made from {old}",
            (
                Step(self.source, _first_line(self.known, self.source, self.edited), run),
                Step(maker, line, f"has made `{name}` from {old}, and is not run again"),
                Step(cell, use.span.line, f"reads `{name}`{through}"),
            ),
        )


def domain(graph: Graph, plan: Plan, run: int, change: str | None = None) -> Impact:
    """Return the domain for a run of one cell, or a change of one name that it binds."""
    known = numbered(graph)
    before, edited = past(known, plan.cells), edits(known, run, change)
    page = past(known, sorted(graph.cells))
    reached = {*affected(known, before, run, edited), *affected(known, page, run, edited)}
    return Impact(known, before, page, run, edited, frozenset(reached))


def made_at(known: Numbering, state: ImpactState, number: int) -> tuple[int, int]:
    """Return the cell that made what a name holds, of several the lowest on the page, and where."""
    makers = (
        (cell, out.output.line)
        for cell, numbered_cell in known.cells.items()
        if numbered_cell.bit & state.makers[number]
        for out in numbered_cell.outs
        if out.name == number
    )
    return max(makers)


def old_inputs(known: Numbering, outputs: int, name: str) -> str:
    """Return "`d`" for the names of outputs that are made again, empty if there is only `name`."""
    inputs = sorted({known.outputs[number][1].name for number in ones(outputs)} - {name})
    shown = [f"`{input_name}`" for input_name in inputs[:3]]
    if len(inputs) > 3:
        shown[-1] = f"{len(inputs) - 2} more"
    return listed(shown)


def called_old(inputs: str) -> str:
    """Return "the old `d`", what a sentence calls inputs that were made again since."""
    return f"the old {inputs}" if inputs else "an older one"


def _first_line(known: Numbering, cell: int, outputs: int) -> int:
    lines = [out.output.line for out in known.cells[cell].outs if out.bit & outputs]
    return min(lines, default=1)


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A state to start from, and the past that says what each cell read."""

    known: Numbering
    then: Past
    now: ImpactState

    def needed(self, cell: int, names: int | None = None) -> tuple[int, ...]:
        """Return the cells to run before this one, in the order of the past.

        Without them it would not read what it read then, of all its names or of these: the name
        is outdated now, or holds what other cells made.
        """
        makers: set[int] = set()
        todo = [(cell, self.known.cells[cell].reads if names is None else names)]
        while todo:
            reader, wanted = todo.pop()
            for name in ones(wanted):
                for maker in self._makers(reader, name):
                    if maker not in makers:
                        makers.add(maker)
                        todo.append((maker, self.known.cells[maker].reads))
        return self.in_order(makers - {cell})

    def _makers(self, reader: int, name: int) -> Iterator[int]:
        """Yield the cells that had a part in what the name held then, none if it is as it was."""
        then = self.then.entries.get(reader)
        outdated = self.now.outdated >> name & 1
        if then is None:
            had = self.now.sources[name] if outdated else 0
        else:
            had = then.sources[name]
            same = had == self.now.sources[name] and then.makers[name] == self.now.makers[name]
            had = had if outdated or not same else 0
        for number in ones(had):
            cell, out = self.known.outputs[number]
            if self.known.numbers[out.name] == name and not out.imported:
                yield cell

    def in_order(self, cells: Collection[int]) -> tuple[int, ...]:
        """Return the cells as they ran last, those that never ran behind them in page order."""
        last = {cell: step for step, cell in enumerate(self.then.order)}
        return tuple(sorted(cells, key=lambda cell: (last.get(cell, len(last)), cell)))


def is_safe(domain: Impact, sequence: Sequence[int]) -> bool:
    """Return whether no run of the sequence, which the source begins, reads an outdated name."""
    state = domain.initial()
    for cell in sequence:
        if domain.stale(cell, state):
            return False
        state = domain.transfer(cell, state)
    return True


def state_before_last(domain: Impact, sequence: Sequence[int]) -> ImpactState:
    """Return the state in which the last run of the sequence begins."""
    state = domain.initial()
    for cell in sequence[:-1]:
        state = domain.transfer(cell, state)
    return state
