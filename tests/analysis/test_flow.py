from __future__ import annotations

from typing import Any

import paths
import pytest
from analysiscase import cell, dead, live
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

FIGURE_4 = """
    if num % 3 == 0:
        foobar = True
        s = 'foobar'
    elif num % 3 == 1:
        foo = True
        s = 'foo'
    else:
        s = 'bar'
    print(s, foobar)
"""


def test_nbsafety_figure_4() -> None:
    assert live(FIGURE_4) == "num foobar?"
    assert dead(FIGURE_4) == "s"


NAMES = st.sampled_from(["a", "b", "c", "d"])
NAMED = NAMES.map(lambda n: ("name", n))
EXPRESSIONS = st.recursive(
    NAMED,
    lambda inner: st.one_of(
        st.tuples(st.just("call"), inner),
        st.tuples(st.just("call"), inner, inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        st.tuples(st.just("not"), inner),
        st.tuples(st.just("if"), inner, inner, inner),
        st.tuples(st.just("walrus"), NAMES, inner),
        st.tuples(st.just("await"), inner),
    ),
    max_leaves=3,
)
COMPREHENSIONS = st.one_of(
    st.tuples(st.just("each"), EXPRESSIONS, EXPRESSIONS),
    st.tuples(st.just("filter"), NAMED, NAMED, EXPRESSIONS),
)
SIMPLE = st.one_of(
    st.tuples(st.just("assign"), NAMES, EXPRESSIONS),
    st.tuples(st.just("augment"), NAMES, EXPRESSIONS),
    st.tuples(st.just("expr"), EXPRESSIONS),
    st.tuples(st.just("assign"), NAMES, COMPREHENSIONS),
    st.tuples(st.just("expr"), COMPREHENSIONS),
    st.tuples(st.just("del"), NAMES),
    st.just(("raise",)),
)


def bodies(statement: st.SearchStrategy[Any], size: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(statement, max_size=size).map(_reached)


def _reached(body: list[paths.Node]) -> tuple[paths.Node, ...]:
    """Leave out what follows a jump."""
    jump = next((i for i, s in enumerate(body) if s[0] in ("raise", "break", "continue")), None)
    return tuple(body if jump is None else body[: jump + 1])


PATTERNS = st.one_of(
    st.just(("value",)),
    st.tuples(st.just("sequence"), st.sets(NAMES, max_size=2).map(sorted).map(tuple)),
)
LAST = st.tuples(st.just("capture"), st.one_of(NAMES, st.just("_")))
NONE = st.none()


def compound(inner: st.SearchStrategy[Any], jumps: st.SearchStrategy[Any]) -> Any:
    body, looped = bodies(inner, 2), bodies(st.one_of(inner, jumps), 2)
    attempts = st.one_of(
        st.tuples(st.just("try"), looped, looped, body, body),
        st.tuples(st.just("try"), looped, NONE, body, st.just(())),
    )
    either = st.sampled_from(["", "async "])
    case = st.tuples(PATTERNS, st.one_of(NONE, NAMED), body)
    last = st.tuples(LAST, NONE, body)
    return st.one_of(
        st.tuples(st.just("if"), EXPRESSIONS, body, body),
        st.tuples(st.just("try"), body, body, body, body),
        st.tuples(st.just("try"), body, NONE, body, st.just(())),
        st.tuples(either.map("{}with".format), EXPRESSIONS, st.one_of(NONE, NAMES), body),
        st.tuples(st.just("suppress"), body),
        st.tuples(st.just("match"), EXPRESSIONS, st.tuples(case, case)),
        st.tuples(st.just("match"), EXPRESSIONS, st.tuples(case, last)),
        st.tuples(st.just("while"), EXPRESSIONS, looped, body),
        st.tuples(either.map("{}for".format), NAMES, EXPRESSIONS, looped, body),
        st.tuples(st.just("for"), NAMES, NAMED, attempts.map(lambda s: (s,)), body),
    )


JUMPS = st.sampled_from([("break",), ("continue",)])
PROGRAMS = bodies(st.one_of(SIMPLE, compound(st.one_of(SIMPLE, compound(SIMPLE, JUMPS)), JUMPS)))
BRANCH = st.tuples(st.just("if"), EXPRESSIONS, bodies(SIMPLE, 2), bodies(SIMPLE, 2))
STRAIGHT = bodies(st.one_of(SIMPLE, BRANCH), 5)


def hold(program: tuple[paths.Node, ...]) -> None:
    """Compare the analysis of a random program with what its paths say."""
    try:
        walked = paths.walk(program)
    except paths.TooManyPathsError:
        reject()
    assume(any(outcome == "normal" for _, outcome in walked))
    compare(program, walked)


def compare(program: tuple[paths.Node, ...], walked: tuple[paths.Path, ...]) -> None:
    """Compare the analysis of a program with what these paths through it say."""
    source = "\n".join(paths.render(program))
    found = cell(source)
    live_names = {use.name for use in found.uses}
    certain = {use.name for use in found.uses if use.certain}
    sure, leaves, removed = paths.ends(walked)
    # a read after `del` raises, so that such a path has no normal end
    feasible = [path for path in walked if paths.is_feasible(path[0])]
    ends = any(outcome == "normal" for _, outcome in feasible)
    # never wrong ...
    assert paths.live(walked) <= live_names, source
    assert found.dead <= paths.dead(walked), source
    assert found.sure <= sure, source
    assert leaves <= found.leaves, source
    assert found.removed <= removed, source
    assert not ends or certain <= paths.surely_read(feasible), source
    # ... and exact, but where a `break` and an exception share the copy of a `finally`
    if "finally" not in source or not ("break" in source or "continue" in source):
        assert paths.live(walked) == live_names, source
        assert sure == found.sure, source
        assert leaves == found.leaves, source
        assert removed == found.removed, source
        assert paths.surely_read(walked) <= certain, source
        if ":=" not in source:  # DEF - USE is one for all paths through a statement
            assert paths.dead(walked) == found.dead, source


@pytest.mark.corpus
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(STRAIGHT)
def test_programs_without_loops_against_every_path(program: tuple[paths.Node, ...]) -> None:
    hold(program)


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(PROGRAMS)
def test_programs_against_every_path(program: tuple[paths.Node, ...]) -> None:
    hold(program)


WORKING = ("assign", "c", ("name", "d"))
"""A statement that cannot raise, as far as the analysis knows."""


@pytest.mark.parametrize(
    "program",
    [
        # the iterator of a loop raises after a turn, so that the `del` is not reached
        (
            "try",
            (("for", "a", ("name", "b"), (WORKING,), ()), ("del", "c")),
            (),
            (),
            (),
        ),
        # `match b: case b` does not overwrite `b` independently of what it was
        (
            "match",
            ("name", "b"),
            (
                (("value",), None, (("assign", "b", ("name", "a")),)),
                (("capture", "b"), None, ()),
            ),
        ),
    ],
)
def test_programs_that_were_once_taken_wrong(program: paths.Node) -> None:
    compare((program,), paths.walk((program,)))
