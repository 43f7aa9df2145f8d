"""Notebooks that patch Python: they pass where they pass without us, and the kernel goes on."""

from __future__ import annotations

import pytest
from tiers import every

from pytest_nbsafe.trace.results import CellResult
from runner.kernels import RunCells

pytestmark = pytest.mark.kernel

PATCHES = {
    "streams": "import sys\nsys.stdout = object()\nsys.stderr = None",
    "json": "import json\njson.dumps = json.loads = lambda *a, **k: 1 / 0",
    "encoder": "json.JSONEncoder.encode = lambda *a, **k: 1 / 0\ndel json.JSONEncoder.iterencode",
    "decoder": "json.JSONDecoder.decode = lambda *a, **k: 1 / 0",
    "time": "import time\ntime.time = time.perf_counter = time.process_time = lambda: 1 / 0",
    "os": "import os\nos.fork = os.fstat = os.stat = lambda *a: 1 / 0",
    "parsers": "import ast, hashlib\nast.parse = ast.walk = hashlib.sha256 = lambda *a, **k: 1 / 0",
    "gc": "import gc, tracemalloc\ngc.collect = lambda *a: 1 / 0\ntracemalloc.start(9)",
    "builtins": "import builtins\nbuiltins.hash = lambda *a: 1 / 0\ndel builtins.vars",
    "modules": "import sys\nfor n in [n for n in sys.modules if 'nbsafe' in n or n == 'json']:\n"
    "    del sys.modules[n]",
    "limits": "import sys\nsys.setrecursionlimit(200)",
}
"""What one notebook patches, one thing a cell; none is taken back."""
CHECK = (
    "total = 0\nfor number in (1, 2, 3):\n    total += number",
    "def twice(x):\n    return 2 * x\nkept = {'a': [twice(total)]}",
    "assert kept == {'a': [12]}",
)
STILL_BENT = """
methods = json.JSONEncoder().encode, json.JSONDecoder().decode
for patched in (json.dumps, *methods, time.time, os.fork, ast.parse, gc.collect, hash):
    try:
        patched()
    except ZeroDivisionError:
        continue
    raise AssertionError(patched)
assert not hasattr(json.JSONEncoder, "iterencode")
assert type(sys.stdout) is object and sys.stderr is None
assert 'json' not in sys.modules and sys.getrecursionlimit() == 200
"""


def failures(results: list[CellResult]) -> list[object]:
    return [
        (result.cell, result.status, result.failure and result.failure.evalue, result.incidents)
        for result in results
        if result.status != "ok" or result.incidents
    ]


def test_bent_python_stays_with_the_cells(run_cells: RunCells) -> None:
    cells = [text for patch in PATCHES.values() for text in (patch, *CHECK)]
    results = run_cells(*cells, STILL_BENT)
    assert failures(results) == []
    last = results[-2]
    assert last.reads["kept"].hash
    assert any(result.after.get("kept") for result in results)


def test_what_breaks_ipython_fails_its_cell_at_once(run_cells: RunCells) -> None:
    results = run_cells("import builtins\nbuiltins.isinstance = lambda *a: 1 / 0", "a = 1")
    assert [result.status for result in results] != ["ok", "ok"]
    assert "timed-out" not in {result.status for result in results}


FAILS = """
async def fails(self, *args, **kwargs):
    1 / 0
type(get_ipython().kernel).do_execute = fails
"""
PASSED_ON = """
kernel = get_ipython().kernel
def wrapped(original):
    async def do(*args, **kwargs):
        return await original(*args, **kwargs) if True else later
    return do
    later = 1
kernel.do_execute = wrapped(kernel.do_execute)
import builtins
builtins.isinstance = (lambda kept: lambda *args: kept(*args))(isinstance)
builtins.__import__ = (lambda kept: lambda *args, **kwargs: kept(*args, **kwargs))(__import__)
"""


def test_what_passes_on_to_the_own_one_goes_on(run_cells: RunCells) -> None:
    results = run_cells(PASSED_ON, "import json\na = 1", "assert a == 1")
    assert failures(results) == []


@pytest.mark.parametrize(
    "case",
    every(
        3,
        [
            ("get_ipython().kernel.shell_stream.close()", "the cell closed the connection"),
            ("get_ipython().kernel.iopub_thread.socket.close()", "the cell closed the connection"),
            ("get_ipython().kernel.shell = None", "the cell replaced the shell"),
            ("get_ipython().kernel.do_execute = None", "the cell replaced what runs the cells"),
            (FAILS, "the cell replaced what runs the cells"),
            ("get_ipython().kernel.shell_handlers.clear()", "the cell removed what runs the cells"),
            (
                "import json\njson.JSONEncoder.encode = lambda *args: 'junk'\n1",
                "the kernel sent what is no message",
            ),
        ],
    ),
)
def test_a_kernel_that_cannot_answer_ends_at_once(
    run_cells: RunCells, case: tuple[str, str]
) -> None:
    text, says = case
    results = run_cells("a = 1", text)
    assert [result.status for result in results] == ["ok", "died"]
    assert says in results[-1].reason
