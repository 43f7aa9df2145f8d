from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import inspect
import io
import itertools
import linecache
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.kernel.contract import StatementEvent
from pytest_nbsafe.kernel.tracing import instrument
from pytest_nbsafe.kernel.tracing.monitor import Monitor
from pytest_nbsafe.kernel.tracing.recorder import Recorder

PROGRAMS = dict(
    part.split("\n", 1)
    for part in (Path(__file__).parent / "programs.txt").read_text().split("\n== ")[1:]
)


def normal(namespace: dict[str, Any]) -> dict[str, str]:
    plain = (int, str, list, tuple, dict, set, float, type(None))
    return {
        n: repr(v) if isinstance(v, plain) and " at 0x" not in repr(v) else type(v).__name__
        for n, v in namespace.items()
        if n not in {"__builtins__", "__doc__"}  # IPython compiles each statement by itself
    }


@contextlib.contextmanager
def hooked(recorder: Recorder) -> Iterator[None]:
    hooks: dict[str, object] = {
        instrument.BEGIN: recorder.begin,
        instrument.FLAGS: recorder.flags,
        instrument.HITS: recorder.hits,
    }
    for name, hook in hooks.items():
        setattr(builtins, name, hook)
    try:
        yield
    finally:
        for name in hooks:
            delattr(builtins, name)


MODES = ["tree", "statements"] + (["monitored"] if sys.version_info >= (3, 12) else [])


def execute(source: str, namespace: dict[str, Any], recorder: Recorder, mode: str) -> None:
    """Run a program as a kernel does: at once (`tree`), or one statement after another."""
    tree = ast.parse(source)
    plan = instrument.TreeHooks()
    monitor = Monitor(recorder.begin, recorder.enter)
    if mode == "monitored":
        monitor.install()
        assert monitor.alive
        recorder.rearm = monitor.rearm
    if "plain" not in mode:
        direct, monitored = mode != "tree", mode == "monitored"
        plan = instrument.plan(tree, recorder, 1, lambda n: n, direct=direct, monitored=monitored)
    plan.apply()
    ast.fix_missing_locations(tree)
    try:
        if mode in {"tree", "plain tree"}:
            exec(compile(tree, "<cell>", "exec"), namespace)
            return
        flags = 0
        for node, top in itertools.zip_longest(tree.body, plan.tops):
            code = compile(ast.Module([node], []), "<cell>", "exec", flags, dont_inherit=True)
            flags |= code.co_flags & __future__.annotations.compiler_flag
            if monitor.alive:
                monitor.watch(code, top.lines, plan.entries)
            if top and top.hook >= 0:
                recorder.begin(top.hook)
            exec(code, namespace)
    finally:
        remove(monitor)


def remove(monitor: Monitor) -> None:
    """Give the monitor's place among the interpreter's tools back."""
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitor.alive:
        for event in (monitoring.events.LINE, monitoring.events.PY_START):
            monitoring.register_callback(monitor.tool, event, None)
        monitoring.free_tool_id(monitor.tool)


def run(source: str, mode: str = "tree") -> tuple[object, list[StatementEvent]]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    recorder = Recorder(namespace)
    printed, raised = io.StringIO(), ""
    with hooked(recorder) if "plain" not in mode else contextlib.nullcontext():
        recorder.start_run()
        line = None
        with contextlib.redirect_stdout(printed):
            try:
                execute(source, namespace, recorder, mode)
            except Exception as error:  # noqa: BLE001  # it must be the same, whatever it is
                trail = traceback.extract_tb(error.__traceback__)[2:]
                raised = repr(error) + repr([(f.name, f.lineno) for f in trail])
                line = trail[0].lineno
        recorder.finish(line)
    return (printed.getvalue(), raised, normal(namespace)), recorder.events


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_hooks_change_nothing(name: str, mode: str) -> None:
    source = PROGRAMS[name]
    plain = "plain tree" if mode == "tree" else "plain statements"
    assert run(source, plain)[0] == run(source, mode)[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_of_hooking_tells_the_same(name: str) -> None:
    assert ran(PROGRAMS[name])


def ran(source: str) -> list[str]:
    """The events of a program: line, `!` when it did not end, names bound, lines of calls."""
    program = textwrap.dedent(source).strip()
    first, *others = (list(map(shown, run(program, mode)[1])) for mode in MODES)
    for other in others:
        assert first == other
    return first


def shown(event: StatementEvent) -> str:
    end = "" if event["done"] else "!"
    bound = f" {','.join(event['bound'])}" if event["bound"] else ""
    return f"{event['line']}{end}{bound}{''.join(' >' + str(c['line']) for c in event['called'])}"


def test_only_what_ran_is_recorded() -> None:
    assert ran(
        """
        a = 1
        if a:
            b = 2
        else:
            c = 3
        for i in range(3):
            d = i
            e = d
        for j in []:
            f = j
        """
    ) == ["1 a", "2", "3 b", "6 i", "7 d", "8 e", "9"]


def test_functions_are_seen_when_called() -> None:
    assert ran(
        """
        def f(x):
            '''Doc.'''
            global g
            g = x
            return x
        a = f(1)
        for i in range(3):
            b = f(i)
            c = i * 2
        class A:
            def m(self):
                return f(0)
        A().m()
        """
    ) == ["1 f", "6 a,g >3", "7 i", "8 b,g >3", "9 c", "10 A", "13 >12 >3"]


def test_a_statement_that_raises() -> None:
    assert ran("a = 1\nb = 1 / 0\nc = 2") == ["1 a", "2!"]
    assert ran("for i in range(3):\n    a = i\n    b = 1 / (1 - i)\nc = 1") == [
        "1 i",
        "2 a",
        "3! b",
    ]
    assert ran("def f():\n    global g\n    g = 1\n    return 1 / 0\nx = f()") == ["1 f", "5! g >2"]


def test_a_statement_that_calls_nothing_in_a_loop_is_given_no_calls() -> None:
    source = "def f(x):\n    return x\nfor i in range(3):\n    a = f(i)\n    b = i\n"
    assert ran(source) == ["1 f", "3 i", "4 a >2", "5 b"]


def test_what_is_called_in_later_turns_alone_is_of_the_statements_that_call() -> None:
    functions = "def g(x):\n    return x\ndef f(x):\n    return x and g(x)\n"
    loop = "for i in range(3):\n    a = f(i)\n    b = i\n"
    assert ran(functions + loop) == ["1 g", "3 f", "5 i", "6 a >4 >2", "7 b"]
    several = "for i in range(3):\n    c = f(0)\n    a = abs(f(i))\n    print\n    b = i\n"
    assert ran(functions + several)[3:] == ["6 c >4 >2", "7 a >4 >2", "8", "9 b"]
    nobody_else = "for i in range(3):\n    c = abs(i)\n    b = i\nd = f(1)\n"
    assert ran(functions + nobody_else)[3:] == ["6 c", "7 b", "8 d >4 >2"]


def test_what_an_operator_calls_is_of_the_statement_that_has_it() -> None:
    source = """
        class A:
            def __iadd__(self, other):
                return self
        def f(x):
            return x
        a = A()
        for i in range(3):
            b = f(i)
            a += b
        """
    assert ran(source) == ["1 A", "4 f", "6 a", "7 i", "8 b >5", "9 a >3"]


def test_what_a_generator_does_is_of_the_statement_that_asks_it() -> None:
    source = """
        def g():
            yield 1
        def f(x):
            return x
        it = g()
        for i in range(2):
            a = f(i)
            b = [*it]
        """
    assert ran(source)[2:] == ["5 it", "6 i", "7 a >4", "8 b >2"]


def test_a_function_is_seen_once_in_each_statement() -> None:
    source = "def f(n):\n    return n and f(n - 1)\nfor i in range(5):\n    f(i); f(i)\nx = f(2)"
    assert ran(source) == ["1 f", "3 i", "4 >2", "4 >2", "5 x >2"]


def test_code_for_another_compiler_is_left_alone() -> None:
    recorder = Recorder({})
    for text in (
        "@njit\ndef f(x):\n    return x",
        "@numba.jit(nopython=True)\ndef f(x):\n    return x",
        "@nb.experimental.jitclass(s)\nclass A:\n    def m(self):\n        return 1",
    ):
        tree = ast.parse(text)
        instrument.plan(tree, recorder, 1, lambda line: line).apply()
        assert instrument.FLAGS not in ast.dump(tree), text


def test_a_failing_plan_leaves_the_tree_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ast.parse("def f():\n    pass\nx = f()")
    before = ast.dump(tree)

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(instrument._Planner, "function", broken)
    with pytest.raises(RuntimeError):
        instrument.plan(tree, Recorder({}), 1, lambda line: line)
    assert before == ast.dump(tree)


def test_source_is_found() -> None:
    source = "\n\n@staticmethod\ndef f(x):\n    # comment\n    return x\n"
    linecache.cache["<source>"] = (len(source), None, source.splitlines(keepends=True), "<source>")
    tree = ast.parse(source)
    instrument.plan(tree, Recorder({}), 1, lambda line: line).apply()
    namespace: dict[str, Any] = {}
    with hooked(Recorder({})):
        namespace[instrument.BEGIN] = lambda _: None
        exec(compile(tree, "<source>", "exec"), namespace)
    function: Callable[..., object] = namespace["f"].__func__
    assert inspect.getsource(function) == source.lstrip("\n")


def test_a_huge_cell() -> None:
    source = "\n".join(f"x{i} = {i}" for i in range(3000)) + "\ny = " + "+".join(["1"] * 500)
    assert len(run(source, "tree")[1]) == 3001
