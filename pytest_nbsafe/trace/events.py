"""From the kernel's event of one run to lineage records (nbsafety, Table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from pytest_nbsafe.analysis.call_graph import last_binding
from pytest_nbsafe.analysis.model import CellAnalysis, Function, Statement
from pytest_nbsafe.analysis.state import is_state
from pytest_nbsafe.kernel.contract import ORDER, CellRun, Fingerprint, Position, StatementEvent
from pytest_nbsafe.libraries import random_sources
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.trace.lineage import statement_record
from pytest_nbsafe.trace.results import Record, Value
from pytest_nbsafe.values import dataclass, replace

_NOTHING: frozenset[str] = frozenset()
_IMMUTABLE = frozenset(
    {
        "int", "float", "complex", "bool", "str", "bytes", "NoneType", "frozenset", "range",
        "slice", "ellipsis", "builtin_function_or_method",
    }
)  # fmt: skip


@cache
def _unshared() -> frozenset[str]:
    """Return the kinds of objects of which it does not matter that several names hold them."""
    return _IMMUTABLE | words("kinds", "unshared")


def values(fingerprints: Mapping[str, Fingerprint]) -> dict[str, Value]:
    """Return what names held, as the host compares it: how it lies in memory is no value."""
    return {
        name: Value(held["hash"].partition(ORDER)[0], held["kind"], held["cause"], held["identity"])
        for name, held in fingerprints.items()
    }


def records(
    event: CellRun,
    step: int,
    cell: int,
    analyses: Mapping[int, CellAnalysis],
    run_cells: Mapping[int, int],
) -> tuple[Record, ...]:
    """Return the statements that a run executed, in order, with what flowed where.

    `run_cells` maps the kernel's run numbers to cells, for the functions that were called.

    Source: Macke et al. 2021, Table 1 and section 3.2. Departs: RET[f] is what the text of `f`
    may return, not the return that was taken; a change in place counts only where the value
    changed or cannot be compared; one that no text shows is found by its fingerprint.
    """
    analysis = analyses.get(cell)
    if analysis is None:
        return ()
    reader = _EventReader(event, analyses, run_cells)
    ran = [
        reader.record((step, ordinal), cell, done)
        for ordinal, done in enumerate(_executed(event, analysis), 1)
    ]
    _add_unseen_bindings(ran, event, analysis)
    _add_unseen_changes(ran, event)
    return tuple(ran)


@dataclass(frozen=True, slots=True)
class _Executed:
    """A statement that ran: its text's meaning and what the kernel saw of it."""

    statement: Statement
    done: bool
    called: tuple[Position, ...]
    bound: Mapping[str, int]


def _executed(event: CellRun, analysis: CellAnalysis) -> list[_Executed]:
    """Return the analysed statements that ran.

    Where the kernel saw none of them, though the run went on (the body of `%%prun`, a cell too
    long to be followed), they are all taken to have run.
    """
    executed = []
    for event_statement in event["statements"]:
        statement = _statement_at(event_statement, analysis)
        if statement is not None:
            called = tuple(event_statement["called"])
            executed.append(
                _Executed(statement, event_statement["done"], called, event_statement["bound"])
            )
    if event["raised"] is not None or not _is_unfollowed(executed, analysis):
        return executed
    called = tuple(
        position
        for event_statement in event["statements"]
        for position in event_statement["called"]
    )
    bound = {name: identity for name, identity in event["bindings"].items() if identity}
    return [
        _Executed(statement, done=True, called=called, bound=bound)
        for statement in analysis.statements
    ]


def _is_unfollowed(executed: list[_Executed], analysis: CellAnalysis) -> bool:
    """Tell whether the kernel saw nothing of a cell, or only the line of its magic."""
    if not executed:
        return True
    magic = executed[0].statement
    says_nothing = not (magic.reads or magic.writes or magic.mutates or magic.kind)
    return len(executed) == 1 and says_nothing and magic is analysis.statements[0]


def _statement_at(place: StatementEvent, analysis: CellAnalysis) -> Statement | None:
    """Return the statement that stands at a position; where one alone starts on a line, it."""
    line = [s for s in analysis.statements if s.span.line == place["line"]]
    exact = [s for s in line if s.span.column == place["offset"] + 1]
    if exact:
        return exact[0]
    return line[0] if len(line) == 1 else None


class _EventReader:
    """Turns executed statements into records, keeping track of which object each name holds."""

    def __init__(
        self,
        event: CellRun,
        analyses: Mapping[int, CellAnalysis],
        run_cells: Mapping[int, int],
    ) -> None:
        self._event = event
        self._analyses = analyses
        self._run_cells = run_cells
        self._kinds = _kinds(event)
        self._identities = {name: f["identity"] for name, f in event["before"].items()}
        self._outdated = _outdated(event)

    def record(self, at: tuple[int, int], cell: int, ran: _Executed) -> Record:
        """Return the record of one statement."""
        whole = statement_record(at, cell, ran.statement, tuple(self._called(ran)))
        states = {name for name in ran.statement.writes if ran.done and is_state(name)}
        self._identities.update(ran.bound)
        record = replace(
            whole,
            writes={n: p for n, p in whole.writes.items() if n in ran.bound or n in states},
            mutates={n: p for n, p in whole.mutates.items() if _may_have_changed(n, self._event)},
            deletes=whole.deletes if ran.done else _NOTHING,
            aliases=(*self._aliases(ran.bound), *_holders(ran.statement)),
        )
        gone = {name for name, held in ran.bound.items() if self._outdated.get(name) == held}
        for name in gone | record.deletes:
            self._identities.pop(name, None)
        return record

    def _called(self, ran: _Executed) -> Iterator[Function]:
        """Yield the user functions that ran during a statement.

        Lambdas and functions of a foreign compiler are not seen by the kernel: those count that
        the statement calls by name. What a generator does, it does when it is asked to.
        """
        by_name: dict[str, Function] = {}
        for position in ran.called:
            function = self._function_at(position)
            if function is not None:
                by_name.setdefault(function.name, function)
        for name in sorted(ran.statement.calls - by_name.keys()):
            function = self._function_named(name)
            if function is not None and ran.done and not function.later:
                by_name[name] = function
        return iter(by_name.values())

    def _function_at(self, position: Position) -> Function | None:
        analysis = self._analyses.get(self._run_cells.get(position["run"], 0))
        place = (position["line"], position["offset"] + 1)
        around = [
            function
            for function in (analysis.functions.values() if analysis else ())
            if _start(function) <= place <= (function.span.end_line, function.span.end_column)
        ]
        return max(around, key=_start, default=None)

    def _function_named(self, name: str) -> Function | None:
        ran = (self._run_cells[run] for run in sorted(self._run_cells, reverse=True))
        home = last_binding(name, (self._analyses[cell] for cell in ran if cell in self._analyses))
        return home.functions.get(name) if home else None

    def _aliases(self, bound: Mapping[str, int]) -> Iterator[frozenset[str]]:
        """Yield the groups of names that hold one object, as far as this statement made them."""
        for identity in sorted(set(bound.values())):
            group = frozenset(n for n, held in self._identities.items() if held == identity)
            kind = self._kinds.get(identity, "")
            if len(group) > 1 and kind and kind not in _unshared():
                yield group


def _holders(statement: Statement) -> Iterator[frozenset[str]]:
    """Yield what holds together though it is no object: a file and the name of its handle."""
    if any(map(is_state, statement.same)):
        yield statement.same


def _start(function: Function) -> tuple[int, int]:
    return (function.span.line, function.span.column)


def _outdated(event: CellRun) -> dict[str, int]:
    """Return the objects that names were told to hold last, but did not when the run ended.

    In a loop the first turn tells. The object may be gone, and another may have its identity; what
    the last turn made may even have that of what the name held before the run.
    """
    last = {name: held for told in event["statements"] for name, held in told["bound"].items()}
    before = {name: found["identity"] for name, found in event["before"].items()}
    ended = {**before, **event["bindings"]}
    return {name: held for name, held in last.items() if ended.get(name, held) != held}


def _kinds(event: CellRun) -> dict[int, str]:
    fingerprints = (*event["before"].values(), *event["after"].values())
    return {fingerprint["identity"]: fingerprint["kind"] for fingerprint in fingerprints}


def _may_have_changed(name: str, event: CellRun) -> bool:
    """Tell whether the object of a name may differ from what it was when the run began."""
    before, after = event["before"].get(name), event["after"].get(name)
    if after is not None and after["kind"] in _IMMUTABLE:
        return False
    if before is None or after is None or before["identity"] != after["identity"]:
        return True
    return not before["hash"] or before["hash"] != after["hash"]


def _has_changed(name: str, event: CellRun) -> bool:
    """Tell whether the object of a name surely changed in place during the run."""
    before, after = event["before"].get(name), event["after"].get(name)
    if before is None or after is None or before["identity"] != after["identity"]:
        return False
    return bool(before["hash"] and after["hash"]) and before["hash"] != after["hash"]


def _add_unseen_bindings(ran: list[Record], event: CellRun, analysis: CellAnalysis) -> None:
    """Give bindings that no text shows (`%run`, star imports, `exec`) to a statement that may."""
    known = _NOTHING.union(*(record.writes.keys() | record.deletes for record in ran))
    unseen = sorted(name for name, i in event["bindings"].items() if i and name not in known)
    if not unseen or not ran:
        return
    lines = {line for o in analysis.opaque for line in range(o.span.line, o.span.end_line + 1)}
    index = max((i for i, r in enumerate(ran) if r.line in lines), default=len(ran) - 1)
    record = ran[index]
    writes = {**record.writes, **{name: record.reads - {name} for name in unseen}}
    ran[index] = replace(record, writes=writes)


def _add_unseen_changes(ran: list[Record], event: CellRun) -> None:
    """Give changes that no text shows to the last statement that read the name."""
    kinds = {name: f["kind"] for name, f in (*event["before"].items(), *event["after"].items())}
    shown = _NOTHING.union(*(record.writes.keys() | record.mutates.keys() for record in ran))
    objects = {event["after"][name]["identity"] for name in shown if name in event["after"]}
    for name in sorted(event["after"]):
        if not _has_changed(name, event) or event["after"][name]["identity"] in objects:
            continue
        index = max((i for i, r in enumerate(ran) if name in r.reads), default=-1)
        if index < 0:
            continue
        record = ran[index]
        inflow = frozenset(n for n in record.reads - {name} if kinds.get(n, "") not in _unshared())
        if kinds[name].startswith(random_sources.load().generator_kinds):
            inflow = _NOTHING  # drawing numbers: the arguments do not flow into the source
        ran[index] = replace(record, mutates={**record.mutates, name: inflow})
