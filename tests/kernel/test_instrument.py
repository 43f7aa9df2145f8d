from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import io
import linecache
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_nbsafe.kernel import instrument
from pytest_nbsafe.kernel.contract import StatementEvent
from pytest_nbsafe.kernel.recorder import Recorder

PROGRAMS = {
    "docstrings": 'def f():\n    """F."""\nclass A:\n    """A."""\n    def m(self):\n        """m"""\nprint(f.__doc__, A.__doc__, A.m.__doc__, f())',
    "global": "n = 0\ndef f():\n    global n\n    n += 1\n    return n\nprint(f(), f(), n)",
    "nonlocal": "def outer():\n    a = 1\n    def inner():\n        nonlocal a\n        a += 1\n        return a\n    return inner(), a\nprint(outer())",
    "generators": "def g():\n    x = yield 1\n    yield x\n    return 3\ndef h():\n    r = yield from g()\n    print('r', r)\nit = h()\nprint(next(it), it.send(5), list(it))",
    "loop else": "for i in range(3):\n    if i == 5:\n        break\nelse:\n    print('else')\nwhile True:\n    break\nelse:\n    print('no')",
    "continue": "out = []\nfor i in range(5):\n    if i % 2:\n        continue\n    out.append(i)\n    i += 10\nprint(out, i)",
    "try": "def f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError as e:\n        return repr(e)\n    else:\n        return 2\n    finally:\n        print('finally', x)\ntry:\n    print(f(0), f(1))\n    raise KeyError('k')\nexcept (KeyError, ValueError) as error:\n    print(type(error))\nfinally:\n    print('end')",
    "with": "import contextlib\n@contextlib.contextmanager\ndef cm(n):\n    print('in', n)\n    yield n\n    print('out', n)\nwith cm(1) as a, cm(2) as b:\n    c = a + b\n    print(c)",
    "decorators": "import functools\ndef twice(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n        return f(f(*a, **k))\n    return inner\n@twice\n@functools.lru_cache(None)\ndef inc(x):\n    return x + 1\nprint(inc(1), inc.__name__)",
    "classes": "class Base:\n    reg = []\n    def __init_subclass__(cls):\n        Base.reg.append(cls.__name__)\n    __secret = 4\n    def get(self):\n        return self.__secret\nclass C(Base):\n    x = [i for i in range(3)]\n    @property\n    def p(self):\n        return super().get()\n    @staticmethod\n    def s(): return 's'\n    @classmethod\n    def c(cls): return cls.__name__\nprint(C().p, C.s(), C.c(), Base.reg, C.x, C.__qualname__, C.p.fget.__qualname__)",
    "lambdas": "k = 2\nf = lambda x, *, y=1: x * k + y\nprint(sorted([3, 1, 2], key=lambda t: -t), f(3), f.__name__)",
    "comprehensions": "print([x * y for x in range(3) for y in range(x) if y], {a: b for a, b in zip('ab', [1, 2])}, {z for z in 'aab'}, sum(i for i in range(4)))\nprint(any((last := v) > 2 for v in [1, 2, 3, 4]), last)",
    "walrus": "if (n := 10) > 5:\n    print(n)\nwhile (m := n - 9) > 1:\n    pass\nprint(m)",
    "match": "def kind(x):\n    match x:\n        case {'a': v, **rest}:\n            return v, rest\n        case [first, *others] if first:\n            return first, others\n        case str() as s:\n            return s\n        case _:\n            return None\nmatch 3:\n    case int(q):\n        w = q\nprint(kind({'a': 1, 'b': 2}), kind([1, 2]), kind('s'), kind(0), w)",
    "async": "import asyncio\nasync def agen():\n    for i in range(3):\n        await asyncio.sleep(0)\n        yield i\nasync def main():\n    async with asyncio.Lock():\n        return [x async for x in agen()]\nprint(asyncio.run(main()))",
    "star": "a, *b = range(4)\n(c, d), e = (1, 2), 3\nx = y = []\ndel c\nprint(a, b, d, e, x is y)",
    "future": "from __future__ import annotations\ndef f(x: Missing) -> Other: ...\nprint(f.__annotations__)",
    "recursion": "import sys\ndef deep(n):\n    return 0 if n == 0 else 1 + deep(n - 1)\nprint(deep(500))\ndef forever(): return forever()\ntry:\n    forever()\nexcept RecursionError:\n    print('caught')",
    "ellipsis": "def f(): ...\nclass A: pass\nasync def g(): ...\nprint(f())",
    "assert and raise": "try:\n    assert 1 == 2, 'm'\nexcept AssertionError as e:\n    print(e)\ndef r():\n    raise ValueError('x') from None\ntry:\n    r()\nexcept ValueError as e:\n    print(e.__cause__, e.__suppress_context__)",
    "locals": "def f(a):\n    b = 2\n    return sorted(locals())\nprint(f(1), f.__code__.co_varnames, f.__code__.co_argcount)",
    "closures in loops": "fs = []\nfor i in range(3):\n    def f(i=i):\n        return i\n    fs.append(f)\n    if i == 1:\n        def g(): return i\nprint([f() for f in fs], g())",
    "nested module blocks": "for i in range(2):\n    with open(__import__('os').devnull) as h:\n        try:\n            if i:\n                v = i\n            else:\n                raise OSError\n        except OSError:\n            v = 'e'\n        finally:\n            print(v)",
    "fstrings": "x = 3\nprint(f'{x!r:>5} {x=} {(lambda y: y + x)(1)}')",
    "annotations": "x: int = 1\ny: str\nprint(x, __annotations__)"
    if sys.version_info < (3, 14)
    else "x: int = 1",
    "exec": "d = {}\nexec('a = 1\\ndef q(): return a', d)\nprint(d['q']())",
    "signature": "import inspect\ndef f(a, /, b, *c, d=1, **e): pass\nprint(inspect.signature(f), inspect.isgeneratorfunction(f), f.__code__.co_firstlineno)",
    "raises": "def f(x):\n    y = 1\n    return x / 0\n\nfor i in range(3):\n    z = i\n    if i == 2:\n        f(i)",
    "raises at once": "x = 1\n\n\nundefined_name",
    "one line": "a = 1; b = 2; print(a, b)\nif a: c = 3; d = 4\nfor i in range(2): e = i; f = e\nprint(c, d, e, f)",
}


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


def run(source: str, *, traced: bool) -> tuple[object, list[StatementEvent]]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    recorder = Recorder(namespace)
    tree = ast.parse(source)
    if traced:
        instrument.plan(tree, recorder, 1, lambda line: line).apply()
        ast.fix_missing_locations(tree)
    printed, raised = io.StringIO(), ""
    with hooked(recorder) if traced else contextlib.nullcontext():
        recorder.start_run()
        line = None
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(tree, "<cell>", "exec"), namespace)  # noqa: S102
            except Exception as error:
                trail = traceback.extract_tb(error.__traceback__)[1:]
                raised = repr(error) + repr([(f.name, f.lineno) for f in trail])
                line = trail[0].lineno
        recorder.finish(line)
    return (printed.getvalue(), raised, normal(namespace)), recorder.events


@pytest.mark.parametrize("name", PROGRAMS)
def test_hooks_change_nothing(name: str) -> None:
    source = PROGRAMS[name]
    if name == "match" and sys.version_info < (3, 10):
        pytest.skip("needs match")
    assert run(source, traced=False)[0] == run(source, traced=True)[0]


def ran(source: str) -> list[str]:
    """The events of a program: line, `!` when it did not end, names bound, lines of calls."""
    return [
        f"{e['line']}{'' if e['done'] else '!'}"
        f"{' ' if e['bound'] else ''}{','.join(e['bound'])}"
        f"{''.join(' >' + str(c['line']) for c in e['called'])}"
        for e in run(textwrap.dedent(source).strip(), traced=True)[1]
    ]


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


def test_a_function_is_seen_once_in_each_statement() -> None:
    source = "def f(n):\n    return n and f(n - 1)\nfor i in range(5):\n    f(i); f(i)\nx = f(2)"
    assert ran(source) == ["1 f", "3 i", "4 >2", "4 >2", "5 x >2"]


def test_code_for_another_compiler_is_left_alone() -> None:
    recorder = Recorder({})
    for text in (
        "@njit\ndef f(x):\n    return x",
        "@numba.jit(nopython=True)\ndef f(x):\n    return x",
        "import numba\ndef f(x):\n    return x",
        "from numba import njit\ndef f(x):\n    return x",
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
        exec(compile(tree, "<source>", "exec"), namespace)  # noqa: S102
    function: Callable[..., object] = namespace["f"].__func__
    assert inspect.getsource(function) == source.lstrip("\n")


def test_a_huge_cell() -> None:
    source = "\n".join(f"x{i} = {i}" for i in range(3000)) + "\ny = " + "+".join(["1"] * 500)
    assert len(run(source, traced=True)[1]) == 3001
