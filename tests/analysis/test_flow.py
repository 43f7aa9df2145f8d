from __future__ import annotations

from typing import Any

import paths
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
EXPRESSIONS = st.recursive(
    NAMES.map(lambda n: ("name", n)),
    lambda inner: st.one_of(
        st.tuples(st.just("call"), inner),
        st.tuples(st.just("call"), inner, inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        st.tuples(st.just("not"), inner),
        st.tuples(st.just("if"), inner, inner, inner),
        st.tuples(st.just("walrus"), NAMES, inner),
    ),
    max_leaves=3,
)
SIMPLE = st.one_of(
    st.tuples(st.just("assign"), NAMES, EXPRESSIONS),
    st.tuples(st.just("augment"), NAMES, EXPRESSIONS),
    st.tuples(st.just("expr"), EXPRESSIONS),
    st.tuples(st.just("expr"), st.tuples(st.just("each"), EXPRESSIONS, EXPRESSIONS)),
    st.tuples(st.just("del"), NAMES),
    st.just(("raise",)),
)


def bodies(statement: st.SearchStrategy[Any], size: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(statement, max_size=size).map(_reached)


def _reached(body: list[paths.Node]) -> tuple[paths.Node, ...]:
    """Leave out what follows a jump."""
    jump = next((i for i, s in enumerate(body) if s[0] in ("raise", "break", "continue")), None)
    return tuple(body if jump is None else body[: jump + 1])


def compound(inner: st.SearchStrategy[Any], jumps: st.SearchStrategy[Any]) -> Any:
    body, looped = bodies(inner, 2), bodies(st.one_of(inner, jumps), 2)
    return st.one_of(
        st.tuples(st.just("if"), EXPRESSIONS, body, body),
        st.tuples(st.just("try"), body, body, body),
        st.tuples(st.just("while"), EXPRESSIONS, looped, body),
        st.tuples(st.just("for"), NAMES, EXPRESSIONS, looped),
        st.tuples(
            st.just("for"),
            NAMES,
            EXPRESSIONS,
            st.tuples(st.tuples(st.just("try"), looped, looped, body)),
        ),
    )


JUMPS = st.sampled_from([("break",), ("continue",)])
PROGRAMS = bodies(st.one_of(SIMPLE, compound(st.one_of(SIMPLE, compound(SIMPLE, JUMPS)), JUMPS)))
BRANCH = st.tuples(st.just("if"), EXPRESSIONS, bodies(SIMPLE, 2), bodies(SIMPLE, 2))
STRAIGHT = bodies(st.one_of(SIMPLE, BRANCH), 5)


def hold(program: tuple[paths.Node, ...]) -> None:
    """Compare the analysis of a program with what its paths say."""
    try:
        walked = paths.walk(program)
    except paths.TooManyPathsError:
        reject()
    assume(any(outcome == "normal" for _, outcome in walked))
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


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(STRAIGHT)
def test_programs_without_loops_against_every_path(program: tuple[paths.Node, ...]) -> None:
    hold(program)


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(PROGRAMS)
def test_programs_against_every_path(program: tuple[paths.Node, ...]) -> None:
    hold(program)
