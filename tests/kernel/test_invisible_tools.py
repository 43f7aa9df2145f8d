"""Tools that look at running code see in a traced kernel what they see in a plain one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from pairs import Pair, started
from tiers import every

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with started(tmp_path_factory.mktemp("nb")) as found:
        yield found


HELPERS = """\
def low(n):
    return n - 1

def high(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += low(i)
    return total
"""


@pytest.mark.corpus
def test_jitted_functions_from_cell_to_cell(pair: Pair) -> None:
    pytest.importorskip("numba")
    assert (
        pair.prints(
            HELPERS,
            "import numba\nimport numpy as np\nlow = numba.njit(low)",
            "fast = numba.njit(high)\nfirst = fast(6)",
            "@numba.njit\ndef outer(n):\n    return fast(n) + low(n)",
            "@numba.vectorize\ndef twice(x):\n    return 2 * x",
            "@numba.jit(nopython=True, parallel=False)\ndef sums(a):\n    s = 0.0\n"
            "    for row in range(a.shape[0]):\n        for v in a[row]:\n            s += v\n"
            "    return s",
            "for n in range(3):\n    second = outer(n + 6)",
            "def low(n):\n    return n + 100\nagain = outer(6), high(6)",
            "@numba.njit\ndef bad(x):\n    return x.nothing",
            "try:\n    bad(1)\nexcept numba.TypingError as error:\n"
            "    print('nothing' in str(error), 'line 3' in str(error) or 'bad' in str(error))",
            "print(first, second, again, twice(np.arange(3)), sums(np.ones((2, 3))),"
            " outer.py_func(6), len(outer.signatures))",
        )
        == "6 19 (11, 309) [0 2 4] 6.0 112 1"
    )


COVERED = """\
def choose(n):
    if n > 1:
        a = 1
    else:
        a = 2
    return a

for i in range(3):
    b = choose(0)
if b == 1:
    c = 1
d = [choose(0) for _ in range(2)]
"""


@pytest.mark.parametrize("core", every(3, ["ctrace", "pytrace", "sysmon"]))
def test_coverage_started_in_a_cell(pair: Pair, core: str) -> None:
    pytest.importorskip("coverage")
    if core == "sysmon" and sys.version_info < (3, 12):
        pytest.skip("there is no sys.monitoring")
    lines = pair.prints(
        f"import coverage, os\nos.environ['COVERAGE_CORE'] = {core!r}\n"
        "cov = coverage.Coverage(data_file=None, include=['*'], config_file=False)\ncov.start()",
        COVERED,
        "choose(5)",
        "cov.stop()\ndata = cov.get_data()\nfiles = [f for f in data.measured_files()"
        " if 'def choose' in ''.join(__import__('linecache').getlines(f))]",
        "print(sorted(sorted(data.lines(f)) for f in files))",
    )
    assert lines == "[[1], [1, 2, 3, 5, 6, 8, 9, 10, 12]]"


@pytest.mark.parametrize("cell", ["%prun -q -T {file} high(50)", "%%prun -q -T {file}\nhigh(50)"])
def test_profilers(pair: Pair, cell: str) -> None:
    counted = (
        "[line.split() for line in open(file) if 'low' in line or 'high' in line or 'loop' in line]"
    )
    printed = pair.prints(
        HELPERS,
        "file = 'profile.txt'",
        cell.format(file="profile.txt"),
        f"seen = {counted}\nprint([(row[0], row[-1].split('(')[1]) for row in seen])",
    )
    assert sorted(eval(printed)) == [("1", "high)"), ("25", "low)")]


def test_a_profile_of_ones_own(pair: Pair) -> None:
    assert (
        pair.prints(
            HELPERS,
            "import cProfile, pstats\nprofile = cProfile.Profile()\nprofile.enable()",
            "high(10)\nhigh(4)",
            "profile.disable()\nseen = pstats.Stats(profile).stats\n"
            "print(sorted((n, c[0]) for (f, l, n), c in seen.items() if n in ('low', 'high')))",
        )
        == "[('high', 2), ('low', 7)]"
    )


def test_lines_traced_in_a_cell(pair: Pair) -> None:
    """Before 3.12 the hooks of a module's inner statements share the line of what follows."""
    assert (
        pair.prints(
            HELPERS,
            "import sys\nlines = set()\n"
            "def follow(frame, event, arg):\n"
            "    if frame.f_code.co_name in ('low', 'high') and event == 'line':\n"
            "        lines.add((frame.f_code.co_name, frame.f_lineno))\n"
            "    return follow\n"
            "sys.settrace(follow)\nhigh(4)\nfor i in range(2):\n    low(i)\nsys.settrace(None)",
            "sys.settrace(follow)\ntry:\n    low('a')\nexcept TypeError:\n    pass\n"
            "finally:\n    sys.settrace(None)",
            "print(sorted(lines), sys.gettrace())",
        )
        == "[('high', 5), ('high', 6), ('high', 7), ('high', 8), ('high', 9), ('low', 2)] None"
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_all_tools_of_the_interpreter_are_taken(pair: Pair) -> None:
    """Also the place that we had: what follows is then not seen by line, but runs."""
    assert (
        pair.prints(
            "import sys\nm = sys.monitoring\nm.free_tool_id(4) if m.get_tool(4) else 0\n"
            "m.free_tool_id(3) if m.get_tool(3) else 0\ncounts = {}",
            "for tool in range(6):\n    m.use_tool_id(tool, f'own {tool}')\n"
            "    m.register_callback(tool, m.events.PY_START, lambda code, at, tool=tool:"
            " counts.update({tool: counts.get(tool, 0) + (code.co_name == 'low')}))\n"
            "    m.set_events(tool, m.events.PY_START)",
            HELPERS,
            "high(6)\nfor i in range(2):\n    low(i)",
            "for tool in range(6):\n    m.set_events(tool, 0)\n    m.free_tool_id(tool)",
            "high(4)",
            "print(*sorted(counts.items()))",
        )
        == "(0, 5) (1, 5) (2, 5) (3, 5) (4, 5) (5, 5)"
    )


@pytest.mark.corpus
def test_post_mortem(pair: Pair) -> None:
    printed = pair.prints(
        "def fail(a):\n    b = a * 2\n    return b / 0\n",
        "import io, pdb, sys\nsaid = io.StringIO()\ntry:\n    for i in range(3):\n        fail(i)\n"
        "except ZeroDivisionError as error:\n    caught = error\n"
        "debugger = pdb.Pdb(stdin=io.StringIO('p b + 40\\nw\\nu\\np i\\nl\\nq\\n'), stdout=said,"
        " nosigint=True)\ndebugger.use_rawinput = False",
        "debugger.reset()\ndebugger.interaction(None, caught.__traceback__)",
        "import re\nprint(re.sub(r'ipykernel_\\d+/\\d+|\\x1b\\[[\\d;]*m', '', said.getvalue()))",
    )
    assert "40\n" in printed
    assert "return b / 0" in printed
    assert "fail(i)" in printed


def test_the_collector_of_garbage(pair: Pair) -> None:
    assert (
        pair.prints(
            "import gc\nclass Node: pass\nphases = []\n"
            "gc.callbacks.append(lambda phase, info: phases.append(phase))",
            "gc.collect()\nphases.clear()\na, b = Node(), Node()\na.b, b.a = b, a\ndel a, b",
            "found = sum(type(o) is Node for o in gc.get_objects())\ngc.collect();",
            "gc.callbacks.clear()\nleft = sum(type(o) is Node for o in gc.get_objects())\n"
            "print(found, left, phases[:2], gc.isenabled(), gc.get_threshold())\n"
            "gc.disable()\nx = [Node() for _ in range(5)]",
            "print(gc.isenabled(), len(gc.get_referrers(x[0])), gc.garbage)\ngc.enable()",
        )
        == "False 1 []"
    )


def test_memory_that_is_traced(pair: Pair) -> None:
    assert (
        pair.prints(
            "import tracemalloc\ntracemalloc.start(3)",
            "kept = [bytes(1000) for _ in range(1000)]",
            "seen = tracemalloc.take_snapshot().statistics('lineno')[0]\n"
            "where = tracemalloc.get_object_traceback(kept[5])\ntracemalloc.stop()",
            "print(round(seen.size, -5), seen.traceback[0].lineno, where[-1].lineno)",
        )
        == "1000000 1 1"
    )
