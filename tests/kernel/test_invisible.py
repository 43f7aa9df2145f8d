"""What a notebook can do is the same under the tracer: every program runs traced and plain."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pairs import Pair, started

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with started(tmp_path_factory.mktemp("nb")) as found:
        yield found


def test_a_dict_that_holds_itself(pair: Pair) -> None:
    assert (
        pair.prints("x = {}\nx['a'] = x", "x['b'] = 1\nprint(sorted(x), x['a'] is x)")
        == "['a', 'b'] True"
    )


def test_functions_for_another_compiler(pair: Pair) -> None:
    """Their bytecode is what their text compiles to."""
    assert (
        pair.prints(
            "def njit(function):\n    return function.__code__.co_code",
            "@njit\ndef f(x):\n    y = x\n    return y + 1",
            "bare = {}\nexec('def f(x):\\n    y = x\\n    return y + 1', bare)",
            "print(f == bare['f'].__code__.co_code)",
        )
        == "True"
    )


@pytest.mark.corpus
def test_functions_made_before_the_compiler_came(pair: Pair) -> None:
    assert (
        pair.prints(
            "def f(x):\n    y = x\n    return y + 1\nf(1)",
            "import sys, types\nbare = {}\nexec('def f(x):\\n    y = x\\n    return y + 1', bare)",
            "missing = sys.modules.setdefault('numba', types.ModuleType('numba'))",
            "print(f.__code__.co_code == bare['f'].__code__.co_code, f(1))\n"
            "if not hasattr(missing, 'njit'):\n    del sys.modules['numba']",
        )
        == "True 2"
    )


@pytest.mark.corpus
def test_code_that_is_shown(tmp_path: Path) -> None:
    """From then on functions have no hooks: the kernel is one of its own."""
    text = "def f(x):\n    y = x\n    return y + 1"
    with started(tmp_path) as pair:
        pair.run(
            f"{text}\nf(1)",
            "class A:\n    def m(self):\n        n = 5\n        return n\nA().m()",
            "code = A.m.__code__\nprint(code.co_names, code.co_consts, code.co_stacksize)",
            "import dis\ndef steps(f):\n    return [s.opname for s in dis.get_instructions(f)]",
            f"bare = {{}}\nexec({text!r}, bare)\n{text.replace('f(', 'g(')}",
            "dis.dis(f)\ndis.show_code(g)",
        )
        pair.run("%prun -q f(1)")
        printed = pair.prints(
            "import cProfile, contextlib, io, re\n"
            "with contextlib.redirect_stdout(io.StringIO()) as said:\n    cProfile.run('f(1)')",
            "print(re.sub(r'\\d+\\.\\d{3}', '*', said.getvalue()))",  # but for what a clock says
        )
        assert "1(f)" in printed
        assert pair.prints("print(steps(f) == steps(g) == steps(bare['f']), f(2))") == "True 3"


def test_the_names_of_python(pair: Pair) -> None:
    said = pair.prints(
        "def f():\n    return 1", "import builtins\nprint(dir(builtins), dir(__builtins__))"
    )
    assert "'print'" in said


@pytest.mark.corpus
def test_functions_for_numba(pair: Pair) -> None:
    pytest.importorskip("numba")
    assert (
        pair.prints(
            "def plain(n):\n    return n * 2\n"
            "def outer(k):\n    def inner(n):\n        return n + k\n    return inner",
            "import numba\nfrom numba import njit",
            "@njit\ndef total(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s",
            "def later(n):\n    return total(n)\nfast = njit(later)",
            "print(total(10), [fast(100)], njit(plain)(3), njit(outer(4))(5))",
        )
        == "45 [4950] 6 9"
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="hooks are in the tree before 3.12")
def test_code_is_what_its_text_compiles_to(pair: Pair) -> None:
    assert (
        pair.prints(
            "def f(x):\n    '''Doc.'''\n    y = x\n    return y + 1\ng = lambda x: x",
            "import builtins, inspect\nbare = {}\nexec(inspect.getsource(f), bare)",
            "print(f.__code__.co_code == bare['f'].__code__.co_code,"
            " [n for n in dir(builtins) if 'nbsafe' in n])",
        )
        == "True []"
    )


TRACED = (
    "def traced(n):\n    total = n\n    for i in range(2):\n        total += i\n    return total"
)


def test_a_trace_function_of_ones_own(pair: Pair) -> None:
    """Before 3.12 a function's hook makes its first line come twice in a row."""
    again = (
        "" if sys.version_info >= (3, 12) else " if lines[-1:] != [(event, frame.f_lineno)] else 0"
    )
    assert (
        pair.prints(
            TRACED,
            "import sys\nlines = []\ndef follow(frame, event, arg):\n"
            "    if frame.f_code is traced.__code__:\n"
            f"        lines.append((event, frame.f_lineno)){again}\n        return follow",
            "sys.settrace(follow)\nfor i in range(2): traced(i)\nsys.settrace(None)",
            "print([line for _, line in lines], sys.gettrace())",
        )
        == f"{[1, 2, 3, 4, 3, 4, 3, 5, 5] * 2} None"
    )


def test_a_profile_function_of_ones_own(pair: Pair) -> None:
    assert (
        pair.prints(
            TRACED,
            "import sys\nevents = []\ndef note(frame, event, arg):\n"
            "    if frame.f_code is traced.__code__ and event in ('call', 'return'):\n"
            "        events.append(event)",
            "sys.setprofile(note)\ntraced(1); traced(2)\nsys.setprofile(None)",
            "print(events)",
        )
        == "['call', 'return', 'call', 'return']"
    )


@pytest.mark.corpus
def test_a_debugger(pair: Pair) -> None:
    """Before 3.12 a step more is needed at a function's first line, see above."""
    steps = "s\\nn\\n" if sys.version_info >= (3, 12) else ""
    printed = pair.prints(
        TRACED,
        f"import io, pdb\nsaid = io.StringIO()\norders = io.StringIO('{steps}p n + 4\\nc\\n')\n"
        "debugger = pdb.Pdb(stdin=orders, stdout=said, nosigint=True)\n"
        "debugger.use_rawinput = False\nresult = debugger.runcall(traced, 3)",
        "print(result, said.getvalue())",
    )
    assert printed.startswith("4 ")
    assert "7\n" in printed


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_tools_of_the_interpreter(pair: Pair) -> None:
    """A notebook may use `sys.monitoring`, and may even take the places that we like."""
    assert (
        pair.prints(
            "import sys\nmonitoring = sys.monitoring\nseen = []\nstarted = []\n"
            "monitoring.use_tool_id(1, 'own')\nevents = monitoring.events",
            "def f(a):\n    b = a\n    return b",
            "def note(code, line):\n    seen.append(line)\n    return monitoring.DISABLE\n"
            "def start(code, offset):\n    started.append(code.co_name)\n"
            "monitoring.register_callback(1, events.LINE, note)\n"
            "monitoring.register_callback(1, events.PY_START, start)\n"
            "monitoring.set_local_events(1, f.__code__, events.LINE)",
            TRACED + "\nmonitoring.set_local_events(1, traced.__code__, events.PY_START)",
            "f(1); f(2); traced(1)\nmonitoring.free_tool_id(1)",
            "print(seen, started)",
        )
        == "[2, 3] ['traced']"
    )


def test_methods_with_side_effects(pair: Pair) -> None:
    assert (
        pair.prints(
            "calls = []\nclass L:\n"
            "    def __len__(self): calls.append('len'); return 0\n"
            "    def __eq__(self, other): calls.append('eq'); return True\n"
            "    def __hash__(self): calls.append('hash'); return 1\n"
            "    def __bool__(self): calls.append('bool'); return False\n"
            "    def __iter__(self): calls.append('iter'); return iter(())\n"
            "    def __repr__(self): calls.append('repr'); return ''\n"
            "    def __getattr__(self, name): calls.append(name); raise AttributeError(name)\n"
            "    def __getstate__(self): calls.append('state'); return {}\n"
            "    def __del__(self): pass\n",
            "l = L()\nheld = [l, (l,)]\nkeys = {l: 1}\nunique = {l}\n"
            "frozen = frozenset([l])\ncalls.clear()",
            "l, held, keys, unique, frozen;\nm = l",
            "print(calls)",
        )
        == "[]"
    )


def test_objects_are_freed_at_once(pair: Pair) -> None:
    assert (
        pair.prints(
            "import weakref\nclass Big: pass\nfreed = []\nbig = Big()\nbig.data = [0] * 10_000\n"
            "big.me = [big.data]\nref = weakref.ref(big)",
            "big.data.append(1)\ndel big\nfreed.append(ref() is None)",
            "def local():\n    found = Big()\n    return weakref.ref(found)\n"
            "freed.append(local()() is None)",
            "big = Big(); ref = weakref.ref(big); big = 1\nfreed.append(ref() is None)",
            "for i in range(3):\n    big = Big()\n    ref = weakref.ref(big)\n    del big",
            "freed.append(ref() is None)\nprint(freed)",
        )
        == "[True, True, True, True]"
    )


def test_private_names(pair: Pair) -> None:
    assert (
        pair.prints(
            "class A:\n    __x = 1\n    def get(self):\n        __y = 2\n"
            "        return self.__x + __y\n"
            "    class __B:\n        __z = 3",
            "print(A().get(), hasattr(A, '_A__x') and hasattr(A._A__B, '_B__z'))",
        )
        == "3 True"
    )


@pytest.mark.corpus
def test_the_depth_of_the_stack(pair: Pair) -> None:
    pair.run(
        "import inspect, sys\ndef deep(n):\n    return 0 if n == 0 else 1 + deep(n - 1)",
        "def most():\n    low, high = 1, 2 * sys.getrecursionlimit()\n"
        "    while low < high - 1:\n        middle = (low + high) // 2\n"
        "        try:\n            deep(middle); low = middle\n"
        "        except RecursionError:\n            high = middle\n    return low",
        "print(sys.getrecursionlimit(), most(), len(inspect.stack()))",
        "deep(10_000)",
    )


def test_sources_and_doctests(pair: Pair) -> None:
    assert (
        pair.prints(
            'def twice(x):\n    """\n    >>> twice(2)\n    4\n    """\n    return 2 * x  # kept',
            "import inspect\nprint(inspect.getsource(twice), inspect.getsourcelines(twice)[1])",
            "import doctest\nprint(doctest.testmod(__import__('__main__')))",
        )
        == "TestResults(failed=0, attempted=1)"
    )


def test_warnings_once_per_place(pair: Pair) -> None:
    for result in pair.run(
        "import warnings\nfor i in range(3):\n    warnings.warn('here')",
        "def old():\n    warnings.warn('old', DeprecationWarning)\nfor i in range(3):\n    old()",
        "old()\nprint(sorted(map(str, globals().get('__warningregistry__', {}))))",
    ):
        assert result.status == "ok"


def test_annotations(pair: Pair) -> None:
    pair.run(
        "x: int = 1\ny: 'str'",
        "print(globals().get('__annotations__'))",
        "from __future__ import annotations\ndef f(a: NoSuch) -> Other: ...\nf.__annotations__",
        "class A:\n    a: Missing = 1\nA.__annotations__, '__annotations__' in vars(A)",
    )


def test_asynchronous_code(pair: Pair) -> None:
    assert (
        pair.prints(
            "import asyncio\nasync def one():\n    await asyncio.sleep(0)\n    return 1",
            "a = await one()\nasync def gen():\n    for i in range(3):\n        yield i",
            "class M:\n    async def __aenter__(self): return 6\n"
            "    async def __aexit__(self, *a): pass",
            "async with M() as m:\n    await asyncio.sleep(0)\n"
            "b = [i async for i in gen()]\nc = []\n"
            "async for i in gen():\n    if i != 1: c.append(i)\n"
            "task = asyncio.ensure_future(one())\nawait task",
            "print(a, b, c, m)",
        )
        == "1 [0, 1, 2] [0, 2] 6"
    )


def test_code_made_of_text(pair: Pair) -> None:
    assert (
        pair.prints(
            "exec('def made(x):\\n    return x * 2\\nz = made(4)')\n"
            "exec(compile('q = 1', '<own>', 'exec'))\nglobals()['w'] = eval('z - 3')",
            "print(z, q, w)",
        )
        == "8 1 5"
    )


def test_pickles(pair: Pair) -> None:
    assert (
        pair.prints(
            "import pickle\nclass P:\n    def __init__(self, v):\n        self.v = v\n"
            "def f(x):\n    return x",
            "one, same, cls = pickle.loads(pickle.dumps([P(1), f, P]))",
            "print(one.v, same is f, cls is P)",
        )
        == "1 True True"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_processes(pair: Pair) -> None:
    assert (
        pair.prints(
            "import multiprocessing, os, warnings\nwarnings.simplefilter('ignore')\n"
            "context = multiprocessing.get_context('fork')\ndef work(x):\n    return x * x",
            "with context.Pool(2) as pool:\n    squares = pool.map(work, range(4))",
            "child = os.fork()\nif child == 0:\n    work(3)\n    os._exit(7)\n"
            "status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])",
            "print(squares, status)",
        )
        == "[0, 1, 4, 9] 7"
    )


def test_threads(pair: Pair) -> None:
    assert (
        pair.prints(
            "import threading\nfrom concurrent.futures import ThreadPoolExecutor\ndone = []\n"
            "def add(n):\n    for i in range(1000):\n        done.append(n)",
            "threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]\n"
            "for t in threads:\n    t.start()\nfor t in threads:\n    t.join()",
            "sizes = [len(done)]\ndone.clear()\nwith ThreadPoolExecutor(4) as pool:\n"
            "    list(pool.map(add, range(4)))\nsizes.append(len(done))",
            "print(sizes)",
        )
        == "[4000, 4000]"
    )


def test_history_and_namespace(pair: Pair) -> None:
    pair.run(
        "1 + 1",
        "_ + 1",
        "len(In), list(Out)[-2:], _, __, ___",
        "[n for n in globals() if not n.startswith('_')]",
        "globals() is locals(), [n for n in globals() if 'nbsafe' in n], __name__",
        "%who_ls",
        "for n in (): pass\nprint([n for n in dir() if n == 'n'])",
        "%%time\nn = 1\n1 / 0",
        "%%capture said\nprint('x')\n1 + 1",
        "%timeit -n1 -r1 -q sum(range(3))",
        "def (",
        "return 1",
        "x = ;",
    )


def test_errors_and_their_places(pair: Pair) -> None:
    pair.run(
        "def fail(x):\n\n    return 1 / x\n\nfor i in (1, 0):\n    fail(\n        i\n    )",
        "try:\n    fail(0)\nexcept ZeroDivisionError as error:\n    raise KeyError(\n"
        "        'a'\n    ) from error",
        "import sys\nprint(sys._getframe().f_lineno,\n      sys._getframe().f_lineno)\n"
        "assert 1 == 2, 'no'",
        "x = 1; y = fail(0); z = 2",
        "'z' in globals()",
        "class A:\n    def m(self):\n        raise ValueError\nif True: A().m()",
        "with open('no such file') as f: pass",
        "raise SystemExit(3)",
        "import traceback\ntry:\n    A().m()\nexcept ValueError:\n    traceback.print_exc()",
    )


@pytest.mark.corpus
def test_a_long_loop_takes_no_memory_of_ours(pair: Pair) -> None:
    assert (
        pair.prints(
            "import tracemalloc\ndef step(x):\n    return x",
            "tracemalloc.start()\ntotal = 0\nfor i in range(1_000_000):\n    total += 1\n"
            "for i in range(10_000):\n    step(i)\n",
            "held = tracemalloc.take_snapshot()\ntracemalloc.stop()\n"
            "ours = held.filter_traces([tracemalloc.Filter(True, '*_nbsafe*')])\n"
            "print(sum(s.size for s in ours.statistics('filename')) < 1_000_000)",
        )
        == "True"
    )


@pytest.mark.corpus
def test_cells_do_not_grow_dearer(pair: Pair) -> None:
    """What is looked at for the last cell is what was looked at for an early one."""
    sources = [f"late{i} = {i}\nlater{i} = late{i} + 1" for i in range(60)]
    results = pair.run(*sources)
    sizes = {(len(r.reads), len(r.after)) for r in results[10:]}
    assert sizes == {(0, 2)}
