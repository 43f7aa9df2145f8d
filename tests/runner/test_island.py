"""The island in real kernels: invisible to the notebook, and right about what ran."""

from __future__ import annotations

import importlib.util
import sys

import IPython
import pytest

from pytest_nbsafe.runner import island
from pytest_nbsafe.runner.failures import plain
from pytest_nbsafe.trace.results import CellResult
from runner.kernels import RunCells

pytestmark = pytest.mark.kernel

CELLS = (
    "import sys, inspect, asyncio\nlimit = sys.getrecursionlimit()",
    "def f(x):\n    '''Doc.'''\n    # kept\n    return x + 1\nf(1)",
    "print(inspect.getsource(f), f.__doc__, f.__code__.co_firstlineno)",
    "sorted(n for n in dir() if not n.startswith('_i') and not n[1:].isdigit())",
    "[n for n in globals() if 'nbsafe' in n], len(In), sorted(Out), _",
    "%who",
    "def deep(n):\n    return 0 if n == 0 else 1 + deep(n - 1)\ndeep(int(limit * 0.9))",
    "def fail(x):\n\n    return f(x) / 0\nfor i in range(2):\n    y = i\n    fail(y)",
    "await asyncio.sleep(0)\n[j async for j in aiter_()] if False else 'awaited'",
    "%%time\ntotal = 0\nfor i in range(3):\n    total += i\n1 / 0",
    "%load_ext autoreload\n%autoreload 2",
    "%%timeit -n1 -r1 -o -q\nf(1)",
    (
        "@staticmethod\ndef s(): pass\nclass A:\n    '''A doc.'''\n    __private = 1\n"
        "    def m(self): return self.__private\nA().m(), A.__doc__"
    ),
    "g = (f(i) for i in range(3))\nnext(g), list(g)",
    "import warnings; warnings.warn('here')",
    "from __future__ import annotations\ndef typed(x: NoSuch) -> None: ...\ntyped.__annotations__",
    "x = 5;",
    "x\n\n# a comment at the end",
    "try:\n    raise ValueError('a')\nexcept ValueError as e:\n    raise KeyError('b') from e",
    "print(_exit_code) if '_exit_code' in globals() else None",
    "exec('1/0')",
)


def shown(traceback: tuple[str, ...]) -> tuple[str, ...]:
    """Return a traceback as far as it can be equal.

    Before Python 3.11 the expression that failed is found by its bytecode, which the hooks change,
    and so is not highlighted.
    """
    return traceback if sys.version_info >= (3, 11) else tuple(map(plain, traceback))


def essence(result: CellResult) -> object:
    outputs = [
        (o.kind, o.name, o.text, o.ename, o.evalue, shown(o.traceback)) for o in result.outputs
    ]
    text = repr(outputs)
    if "CPU times" in text or "ms" in text or "TimeitResult" in text:
        return result.status, result.failure and result.failure.ename
    return result.status, result.failure and result.failure.traceback, outputs


def test_traced_cells_behave_as_plain_ones(run_cells: RunCells) -> None:
    traced = run_cells(*CELLS)
    untraced = run_cells(*CELLS, trace=False)
    hidden = "ipykernel_"
    for cell, with_trace, without in zip(CELLS, traced, untraced, strict=True):
        if hidden in repr(essence(with_trace)):
            assert with_trace.status == without.status
            continue
        assert essence(with_trace) == essence(without), cell
    incidents = [incident.kind for result in traced for incident in result.incidents]
    swallows = IPython.version_info[0] < 9  # %%time shows what is raised and reports success
    assert incidents == (["captured"] if swallows else [])


@pytest.mark.parametrize("magic", [importlib.util.MAGIC_NUMBER, b"another"])
def test_the_island_is_compiled_where_python_is_another(
    run_cells: RunCells, monkeypatch: pytest.MonkeyPatch, magic: bytes
) -> None:
    packed = {**island._packed(), "magic": magic.hex()}
    monkeypatch.setattr(island, "_packed", lambda: packed)
    told = "m.Tracer.install.__code__.co_filename, len(m.__loader__.codes) > 0"
    result, _ = run_cells(f"import sys\nm = sys.modules['_nbsafe.tracer']\nprint({told})", "x = 1")
    same = magic == importlib.util.MAGIC_NUMBER
    assert result.outputs[0].text == f"<_nbsafe.tracer> {same}\n"
    assert not result.incidents
    assert [sorted(record.writes) for record in result.records] == [["sys"], ["m"], []]


def test_statements_that_ran(run_cells: RunCells) -> None:
    first, second, third = run_cells(
        "k = 3\ndef scaled(x):\n    return x * k",
        "if k > 5:\n    a = 1\nelse:\n    b = scaled(2)\nfor i in []:\n    c = i\nd = b",
        "del d\nb += 1\n1 / 0\ne = 1",
    )
    assert [sorted(r.writes) for r in first.records] == [["k"], ["scaled"]]
    written = {n: p for r in second.records for n, p in r.writes.items()}
    assert written == {"b": frozenset({"scaled", "k"}), "d": frozenset({"b"})}
    assert next(r.deletes for r in third.records) == {"d"}
    assert "e" not in {n for r in third.records for n in r.writes}


def test_equal_work_gives_equal_values_in_another_kernel(run_cells: RunCells) -> None:
    cells = (
        (
            "import numpy as np, pandas as pd\nrng = np.random.default_rng(0)\n"
            "df = pd.DataFrame({'a': rng.normal(size=5), 's': list('abcde')})\n"
            "def f(x): return x\nclass A:\n    def __init__(self): self.s = {'x', 'y', 'z'}\n"
            "a = A()\nh = lambda q: q + 1\nm = a.__init__"
        ),
    )
    one, two = run_cells(*cells), run_cells("0", *cells)
    first = {name: (v.hash, v.cause) for name, v in one[0].after.items()}
    second = {name: (v.hash, v.cause) for name, v in two[1].after.items()}
    assert first == second
    assert all(found for found, _ in first.values())


def test_changes_in_place(run_cells: RunCells) -> None:
    results = run_cells(
        "import random\na = [1]\nb = a\nc = [2]\nrng = random.Random(0)\n"
        "def push(x):\n    x.append(1)",
        "push(a)\nc.sort()\nz = rng.random()",
    )
    assert results[0].records[2].aliases == (frozenset({"a", "b"}),)
    pushed, sorted_, drawn = results[1].records
    assert set(pushed.mutates) == {"a"}
    assert set(sorted_.mutates) == set()
    assert drawn.mutates == {"rng": frozenset()}


def test_functions_run_in_processes_that_have_no_hooks(run_cells: RunCells) -> None:
    (result,) = run_cells(
        "import marshal, subprocess, sys\n"
        "def f(x):\n    return x + 1\n"
        "code = marshal.dumps(f.__code__)\n"
        "text = f'import marshal, types; f = types.FunctionType(marshal.loads({code}), {{}})'\n"
        "done = subprocess.run([sys.executable, '-c', text + '; print(f(1))'], stdout=-1)\n"
        "print(done.stdout.decode())"
    )
    assert result.outputs[0].text.strip() == "2"


@pytest.mark.corpus
@pytest.mark.parametrize("point", ["recorder.begin", "snapshot.look", "_transform", "_end"])
def test_a_fault_of_ours_hurts_nobody(run_cells: RunCells, point: str) -> None:
    sabotage = (
        "import gc\nt = next(o for o in gc.get_objects() if type(o).__name__ == 'Tracer')\n"
        f"def broken(*a, **k): raise RuntimeError('sabotage')\nt.{point} = broken"
    )
    results = run_cells(sabotage, "x = 1\nprint(x)\nx", "1 / 0")
    _, second, third = results
    assert second.status == "ok"
    assert [o.text for o in second.outputs] == ["1\n", "1"]
    assert third.status == "raised"
    assert {i.kind for i in second.incidents} == {"tracer"}
    assert "sabotage" in second.incidents[0].message


def test_a_self_referencing_dict_and_side_effects(run_cells: RunCells) -> None:
    (_, result, counted) = run_cells(
        "class L:\n    n = 0\n    def __len__(self): L.n += 1; return 1\n"
        "    def __eq__(self, o): L.n += 1; return True\n    __hash__ = None\n"
        "    def __reduce__(self): L.n += 1; return (L, ())\n"
        "    def __getattr__(self, name): L.n += 1; raise AttributeError(name)\n"
        "    @property\n    def p(self): L.n += 1\n"
        "x = {}\nx['a'] = x\nl = L(); m = [l, x]",
        "x, m[1], l is l;",
        "print(L.n)",
    )
    assert result.status == "ok"
    assert result.after["x"].hash
    assert counted.outputs[0].text == "0\n"
