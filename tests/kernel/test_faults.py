"""A fault anywhere in the island changes no result, and is told as ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sabotage
from runner.kernels import notebook
from tiers import spread

from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult

pytestmark = pytest.mark.kernel

ISLAND = """
    adapters.matplotlib adapters.numpy adapters.pandas adapters functions.reach
    hashing.builtin_kinds hashing.bulk hashing.function_texts hashing.hasher
    hashing.instances hashing.snapshot tracer tracing.names tracing.cell_positions
    tracing.incidents tracing.instrument
    tracing.monitor tracing.name_fingerprints tracing.read_only_uses tracing.recorder
"""
OUTERMOST = frozenset(
    {
        "tracing.incidents:guarded",  # makes the guards, once
    }
)

BREAK = """\
import functools, importlib, sys
def point():
    found = importlib.import_module("_nbsafe.{module}")
    for part in "{path}".split("."):
        found = vars(found)[part]
    found = getattr(found, "fget", None) or getattr(found, "func", None) or found
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found
def broken(*args, **kwargs):
    __import__("sys").modules["_nbsafe"].broken = True
    raise RuntimeError("sabotage")
sys.modules["_nbsafe"].broken = False
sound, point().__code__ = point().__code__, broken.__code__
"""
MEND = "point().__code__ = sound\nprint(sys.modules['_nbsafe'].broken)"
WORK = (
    """\
def double(x):
    global calls
    calls += 1
    return 2 * x
class A:
    def __init__(self):
        self.items = [(i, str(i)) for i in range(50)]
calls, a, text, table = 0, A(), list("abcdefghij"), {i: i for i in range(30)}
frame = array = None
if "numpy" in sys.modules:
    array = sys.modules["numpy"].arange(1000.0)
for i in range(3):
    if i:
        b = double(i)
    try:
        c = [j for j in text]
    except ValueError: pass
print(b, calls, len(a.items))
b""",
    "%%time\nd = sum(table.values()) + double(1)\nprint(len(text), array is None)\nd",
    "def fail(x):\n    return double(x) / 0\nfor i in range(2):\n    fail(i)",
    "x = (",
    "!exit 3",
)


class Kernel:
    """A traced kernel whose island is broken at one point after another."""

    def __init__(self, folder: Path) -> None:
        self.session = KernelSession(notebook("0"), cwd=folder, timeout_s=60)
        self.step = 0
        self.expected: list[object] = []

    def run(self, source: str) -> CellResult:
        self.step += 1
        cell = Cell(CellId(f"c{self.step}"), 100 + self.step, "code", source)
        return self.session.run(cell, self.step)

    def work(self) -> list[CellResult]:
        return [self.run(source) for source in WORK]


def essence(result: CellResult) -> object:
    outputs = [
        (o.kind, o.name, o.text, o.ename, o.evalue)
        for o in result.outputs
        if "CPU times" not in o.text
    ]
    return result.status, outputs


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    found = Kernel(tmp_path_factory.mktemp("nb"))
    with found.session:
        found.run("import numpy, sys")
        found.run("get_ipython().displayhook.cache_size = 10**6")  # it warns where `Out` is full
        found.expected = [essence(result) for result in found.work()]
        yield found


@pytest.mark.parametrize("point", spread(120, 10, sabotage.points(ISLAND, OUTERMOST)))
def test_a_fault_changes_no_result(kernel: Kernel, point: str) -> None:
    module, path = point.split(":")
    broken = kernel.run(BREAK.format(module=module, path=path))
    results = kernel.work()
    mended = kernel.run(MEND)
    assert (broken.status, mended.status) == ("ok", "ok")
    assert kernel.expected == [essence(result) for result in results]
    everything = (broken, *results, mended)
    incidents = [i for result in everything for i in result.incidents]
    told = [i for i in incidents if i.kind == "tracer"]
    unknown = [v for result in everything for v in result.after.values() if "sabotage" in v.cause]
    reached = mended.outputs[0].text == "True\n"
    assert reached == bool(told or unknown)
    assert {i.kind for i in incidents if "sabotage" in i.message} <= {"tracer"}
    sound = kernel.work()
    assert kernel.expected == [essence(result) for result in sound]
    assert [i for r in sound[1:] for i in r.incidents if i.kind == "tracer"] == []
