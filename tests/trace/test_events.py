"""Events written by hand, against the records they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.kernel.contract import CellRun, Fingerprint, Position, StatementEvent
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.trace.events import records, values
from pytest_nbsafe.trace.results import Record


def ran(
    line: int,
    *bound: str,
    offset: int = 0,
    done: bool = True,
    called: tuple[Position, ...] = (),
    ids: Mapping[str, int] | None = None,
) -> StatementEvent:
    known = ids or {}
    return {
        "line": line,
        "offset": offset,
        "done": done,
        "called": list(called),
        "bound": {name: known.get(name, 1000 + sum(map(ord, name))) for name in bound},
    }


def held(text: str, identity: int = 1, kind: str = "list") -> Fingerprint:
    return {"hash": text, "cause": "" if text else "why", "kind": kind, "identity": identity}


def event(
    *statements: StatementEvent,
    before: dict[str, Fingerprint] | None = None,
    after: dict[str, Fingerprint] | None = None,
    bindings: dict[str, int] | None = None,
    run: int = 1,
) -> CellRun:
    return {
        "run": run,
        "raised": None,
        "statements": list(statements),
        "before": before or {},
        "after": after or {},
        "bindings": bindings or {},
        "incidents": [],
        "evaluations": [],
        "copies": [],
        "cpu_s": 0.0,
        "inputs": None,
    }


def read(
    cells: list[str], seen: CellRun, run_cells: Mapping[int, int] | None = None
) -> tuple[Record, ...]:
    """The records of the last cell."""
    numbered = (Cell(CellId(str(n)), n, "code", text) for n, text in enumerate(cells, 1))
    analyses = build(Notebook("nb.ipynb", tuple(numbered))).cells
    return records(seen, 7, len(cells), analyses, run_cells or {1: len(cells)})


def writes(*found: Record) -> list[dict[str, str]]:
    return [{n: " ".join(sorted(p)) for n, p in r.writes.items()} for r in found]


def test_table_1() -> None:
    found = read(
        ["a = b + c\na = a + b\na += c\nfor i in b:\n    d = i\nclass K(c):\n    pass\nimport os"],
        event(
            ran(1, "a"), ran(2, "a"), ran(3, "a"), ran(4, "i"), ran(5, "d", offset=4), ran(6, "K"),
            ran(8, "os"),
        ),
    )  # fmt: skip
    assert writes(*found) == [
        {"a": "b c"}, {"a": "a b"}, {"a": "a c"}, {"i": "b"}, {"d": "i"}, {"K": "c"}, {"os": ""},
    ]  # fmt: skip
    assert [r.at for r in found] == [(7, n) for n in range(1, 8)]
    assert [r.imports for r in found] == [False] * 6 + [True]


def test_what_did_not_run_is_not_there() -> None:
    found = read(
        ["if x:\n    a = 1\nelse:\n    b = 2\nc = 3"], event(ran(1), ran(4, "b", offset=4))
    )
    assert writes(*found) == [{}, {"b": ""}]


def test_a_statement_that_raised_writes_what_was_bound() -> None:
    found = read(["a = 1\nb = f(a)\ndel a"], event(ran(1, "a"), ran(2, done=False)))
    assert writes(*found) == [{"a": ""}, {}]
    found = read(["a = 1\ndel a"], event(ran(1, "a"), ran(2, done=False)))
    assert found[1].deletes == frozenset()


def test_what_a_called_function_returns_and_writes() -> None:
    cells = ["def f(x):\n    global g\n    g = h\n    return x + k", "a = f(b)"]
    called: Position = {"run": 3, "line": 2, "offset": 4}
    (found,) = read(cells, event(ran(1, "a", "g", called=(called,)), run=4), {3: 1, 4: 2})
    assert writes(found) == [{"a": "b f k", "g": "h k"}]
    assert found.reads == {"f", "b", "h", "k"}


def test_a_generator_that_is_made_has_read_nothing() -> None:
    text = "def f(x):\n    yield x + k"
    (found,) = read([text, "a = f(b)"], event(ran(1, "a"), run=2), {1: 1, 2: 2})
    assert found.writes == {"a": {"b", "f"}}
    text = "async def f(x):\n    return x + k"
    (found,) = read([text, "a = f(b)"], event(ran(1, "a"), run=2), {1: 1, 2: 2})
    assert found.reads == {"b", "f"}


def test_false_negative_what_a_generator_reads_when_it_goes_on() -> None:
    """The kernel tells where a function is entered; a run aside tells more, but of what is over."""
    text = "def f():\n    yield 1\n    yield k"
    (found,) = read([text, "b = next(a)"], event(ran(1, "b"), run=2), {1: 1, 2: 2})
    assert found.reads == {"a"}


def test_a_lambda_counts_by_its_name() -> None:
    (found,) = read(["f = lambda x: x + k", "a = f(b)"], event(ran(1, "a"), run=2), {1: 1, 2: 2})
    assert writes(found) == [{"a": "b f k"}]


def test_statements_on_one_line() -> None:
    found = read(["a = 1; b = a"], event(ran(1, "a"), ran(1, "b", offset=7)))
    assert writes(*found) == [{"a": ""}, {"b": "a"}]


def test_a_change_in_place_counts_where_the_value_changed() -> None:
    text = ["a.append(x)\nb.sort()\nc.sort()"]
    names = ("a", "b", "c")
    before = {"a": held("1", 1), "b": held("2", 2), "c": held("", 3)}
    after = {"a": held("9", 1), "b": held("2", 2), "c": held("", 3)}
    found = read(text, event(ran(1), ran(2), ran(3), before=before, after=after))
    assert [n for n in names if any(n in r.mutates for r in found)] == ["a", "c"]
    assert found[0].mutates == {"a": frozenset({"x"})}


def test_a_change_that_no_text_shows() -> None:
    before = {"a": held("1", 1), "x": held("2", 2), "b": held("3", 3), "np": held("4", 4, "module")}
    after = {**before, "a": held("9", 1)}
    found = read(
        ["b\nnp.shuffle(a, x)\nb"], event(ran(1), ran(2), ran(3), before=before, after=after)
    )
    assert [dict(r.mutates) for r in found] == [{}, {"a": frozenset({"x"})}, {}]


def test_drawing_numbers_takes_nothing_in() -> None:
    kind = "numpy.random._generator.Generator"
    before = {"rng": held("1", 1, kind), "n": held("2", 2)}
    after = {**before, "rng": held("9", 1, kind)}
    (found,) = read(["x = rng.normal(n)"], event(ran(1, "x"), before=before, after=after))
    assert found.mutates == {"rng": frozenset()}


def test_names_of_one_object() -> None:
    before = {"a": held("1", 5), "n": held("2", 6, "int")}
    after = {**before, "b": held("1", 5), "m": held("2", 6, "int")}
    ids = {"b": 5, "m": 6}
    one, two = read(
        ["b = a\nm = n"],
        event(ran(1, "b", ids=ids), ran(2, "m", ids=ids), before=before, after=after),
    )
    assert one.aliases == (frozenset({"a", "b"}),)
    assert two.aliases == ()


def test_an_object_of_the_first_turn_of_a_loop_may_be_gone() -> None:
    after = {"a": held("1", 7), "b": held("2", 5)}
    first = {"a": 5}
    told = event(
        ran(1, "n", "a", ids=first),
        ran(2, "a", offset=4, ids=first),
        ran(3, "b", ids={"b": 5}),
        after=after,
        bindings={"n": 1, "a": 7, "b": 5},
    )
    *_, last = read(["for n in m:\n    a = n.copy()\nb = n.copy()"], told)
    assert last.writes.keys() == {"b"}
    assert last.aliases == ()


def test_an_object_of_the_last_turn_may_lie_where_the_first_one_lay() -> None:
    told = event(
        ran(1, "n", "a", ids={"a": 5}),
        ran(2, "a", offset=4, ids={"a": 5}),
        ran(3, "b", ids={"b": 5}),
        before={"a": held("1", 3)},
        after={"a": held("1", 3), "b": held("2", 5)},
        bindings={"n": 1, "b": 5},
    )
    *_, last = read(["for n in m:\n    a = n.copy()\nb = n.copy()"], told)
    assert last.writes.keys() == {"b"}
    assert last.aliases == ()


def test_a_name_that_was_deleted_holds_nothing() -> None:
    told = event(
        ran(1), ran(2, "b", ids={"b": 5}), before={"a": held("1", 5)}, after={"b": held("2", 5)}
    )
    *_, last = read(["del a\nb = [3]"], told)
    assert last.aliases == ()


def test_bindings_that_no_text_shows() -> None:
    found = read(
        ["x = 1\n%run other.py\ny = 2"],
        event(ran(1, "x"), ran(2), ran(3, "y"), bindings={"x": 1, "y": 2, "z": 3}),
    )
    assert [sorted(w) for w in writes(*found)] == [["x"], ["z"], ["y"]]


def test_a_body_that_was_not_followed_is_taken_whole() -> None:
    found = read(["%%prun\na = b\nc = a"], event(ran(1), bindings={"a": 1, "c": 2}))
    assert writes(*found) == [{}, {"a": "b"}, {"c": "a"}]


def test_values() -> None:
    assert values({"a": held("1", 5)})["a"].hash == "1"
    assert values({"a": held("")})["a"].cause == "why"


def test_an_unknown_cell_leaves_nothing() -> None:
    assert records(event(ran(1, "a")), 1, 9, {}, {}) == ()
