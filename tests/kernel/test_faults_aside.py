"""A fault anywhere in what runs cells on the side harms nobody, and is told as ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sabotage
from runner.kernels import notebook
from tiers import by_hand, spread

from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.side_runs import Counterfactual

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]

START = (
    "import sys, random, numpy, pandas\nx, held = 1, [1]\n"
    "frame = pandas.DataFrame({'a': [1.0, 2.0]})"
)
WORK = (
    "x += 1\nheld.append(x)\nprint(x)",
    (
        "%matplotlib inline\nframe['b'] = x\narray = frame.to_numpy()\nlong = [*range(50)]\n"
        "display(x)\nprint(held, file=sys.stderr)\nframe"
    ),
)
HARM = "print(1)\ntry:\n    open('made', 'w')\nexcept BaseException:\n    pass\nprint(2)"
STATE = "x, held, frame.shape, 'array' in globals(), random.getstate()[1][-2:]"
BREAK = """\
import importlib
def point():
    found = importlib.import_module("_nbsafe.{module}")
    for part in "{path}".split("."):
        found = vars(found)[part]
    return found
def broken(*args, **kwargs):
    raise RuntimeError("sabotage")
def closed():
    super = __class__ = None
    def broken(*args, **kwargs):
        __class__
        raise RuntimeError("sabotage")
    return broken
sound = point().__code__
point().__code__ = (closed() if sound.co_freevars else broken).__code__"""
MEND = "point().__code__ = sound\ndel point, broken, closed, sound"
MODULES = """
    aspects aside.child aside.fork aside.orphans aside.seal parts.access_calls
    parts.access_log parts.access_sites parts.access_steps parts.access_tracking parts.aliases
    parts.follower
"""
SILENT = frozenset(
    {
        "aspects:_plain",  # of what cannot be described there is nothing to say
        "aspects:mean",
        "aspects:cut",
        "aspects:aspects",
    }
)


class Kernel:
    """A kernel whose island is broken at one point after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = KernelSession(notebook("0"), cwd=folder, timeout_s=60)

    def run(self, source: str) -> str:
        result = self.session.run(notebook(source).cells[0], 1)
        assert result.status == "ok", result.failure
        assert [i for i in result.incidents if i.kind == "tracer"] == []
        return "".join(output.text for output in result.outputs)

    def ask(self, *sources: str, here: bool = False) -> Counterfactual:
        return self.session.counterfactual(notebook(*sources).cells, limit_s=20, here=here)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    found = Kernel(tmp_path_factory.mktemp("nb"))
    with found.session:
        found.run(START)
        yield found


def essence(told: Counterfactual) -> object:
    return [
        (result.status, [(o.kind, o.name, o.text) for o in result.outputs], sorted(result.after))
        for result in told.results
    ]


@pytest.fixture(scope="module")
def expected(kernel: Kernel) -> object:
    told = kernel.ask(*WORK)
    assert (told.cause, len(told.results)) == ("", 2)
    return essence(told)


def is_ours(told: Counterfactual) -> bool:
    """Tell whether an answer that gives nothing says that this is not the notebook's fault."""
    return told.results == () and (
        "sabotage" in told.cause or told.cause.startswith("it ended the process with code")
    )


@pytest.mark.parametrize("point", spread(400, 16, sabotage.points(MODULES)))
def test_a_fault_of_a_fork_harms_nobody(kernel: Kernel, expected: object, point: str) -> None:
    module, path = point.split(":")
    state = kernel.run(STATE)
    kernel.run(BREAK.format(module=module, path=path))
    told, harmful = kernel.ask(*WORK), kernel.ask(HARM)
    kernel.run(MEND)
    assert is_ours(told) or expected == essence(told)
    if told.results and point not in SILENT:
        assert told.shown["x"] == {"value": "2"}
    assert harmful.results == ()
    assert is_ours(harmful) or harmful.cause == "it would write 'made'"
    assert list(kernel.folder.iterdir()) == []
    assert state == kernel.run(STATE)
    assert expected == essence(kernel.ask(*WORK))


HERE = [p for p in sabotage.points("aside.in_place aside.child aside.seal") if "_Forked" not in p]
HERE = HERE[::2]  # seven seconds each, and a fork is tried at all of them


@pytest.mark.parametrize("point", [HERE[0], *by_hand(8, HERE[1:])])
def test_a_fault_in_place_of_a_fork_harms_nobody(tmp_path: Path, point: str) -> None:
    module, path = point.split(":")
    found = Kernel(tmp_path)
    with found.session:
        found.run(START)
        found.run(BREAK.format(module=module, path=path))
        told = found.ask(*WORK, HARM, here=True)
    gone = {"the kernel exited with code 70", "the kernel did not answer, and was stopped"}
    assert told.results == ()
    assert is_ours(told) or told.cause in {"it would write 'made'", *gone}
    assert list(tmp_path.iterdir()) == []
