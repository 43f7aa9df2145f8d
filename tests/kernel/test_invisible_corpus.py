"""The notebooks of the corpus that may be run give the same traced as plain.

Each eighth of them is tried; all, when the environment has NBSAFE_WHOLE_CORPUS (some ten minutes).
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import shutil
from pathlib import Path

import pytest
from tiers import by_hand, every

from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook, Output
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult

CORPUS = Path(__file__).parents[3] / "shared" / "notebooks"
FIXTURES = Path(__file__).parents[2] / "fixtures"

LIMIT_S = 120
STREAMS = ("stdout", "stderr")
FIRST = "import random, numpy\nrandom.seed(0)\nnumpy.random.seed(0)"
LAST = (
    "list(map(str, In[:-1]))",
    "sorted(map(str, Out))[:-1]",
    "[repr(type(name)) for name in (_, __, ___)]",
    "[(name, type(value).__name__) for name, value in list(globals().items()) if name != '_i']",
)
_PASSING = re.compile(
    r"0x[0-9a-f]{6,}|ipykernel_\d+|/\d{6,}\.py|\d+(\.\d+)?(e\+\d+)? ?(n|m|µ|μ|u)?s(ec|econds)?\b"
    r"|\d\d:\d\d(:\d\d)?(\.\d+)?|\bid=\d+|[0-9a-f]{8}-[0-9a-f-]{27}"
)


def runnable() -> list[Path]:
    """Return the notebooks to try."""
    if not CORPUS.is_dir():
        return []
    named = (CORPUS / "runnable.txt").read_text(encoding="utf-8").split("\n")
    found = [*sorted((CORPUS / "gold").glob("*.ipynb")), *(CORPUS / n for n in named if n.strip())]
    return found if os.environ.get("NBSAFE_WHOLE_CORPUS") else found[::8]


def outcome(path: Path, folder: Path, *, trace: bool) -> list[tuple[str, str]]:
    """Return what each cell gives, and then what the session holds, passing things left out."""
    notebook = load.read(path)
    last = [Cell(CellId(f"last{n}"), 1001 + n, "code", source) for n, source in enumerate(LAST)]
    first = Cell(CellId("first"), 1000, "code", FIRST)
    found = []
    with KernelSession(
        notebook, kernel="python3", cwd=folder, timeout_s=LIMIT_S, trace=trace
    ) as session:
        for step, cell in enumerate([first, *sources(notebook), *last], 1):
            if not session.alive:
                break
            found.append((cell.source, essence(session.run(cell, step))))
    return found


def sources(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook.code_cells if "skip-execution" not in cell.tags]


def essence(result: CellResult) -> str:
    """Return what a run gives, passing things left out.

    Two streams are flushed by a timer each, so that where they meet differs from run to run.
    """
    outputs = []
    for kind, together in itertools.groupby(result.outputs, key=lambda output: output.kind):
        some = list(together)
        if kind == "stream":
            texts = {name: "".join(o.text for o in some if o.name == name) for name in STREAMS}
            some = [Output(kind, name=name, text=text) for name, text in texts.items() if text]
        outputs += [(o.kind, o.name, o.text, o.ename, o.evalue, o.traceback) for o in some]
    return _PASSING.sub("*", repr((result.status, outputs)))


@pytest.mark.kernel
@pytest.mark.skipif(not runnable(), reason="the corpus is not here")
@pytest.mark.parametrize("path", by_hand(5, runnable()), ids=lambda path: path.stem)
def test_a_notebook_gives_the_same(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a cell gives something else, two runs of each kind must do so: else it is chance."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # the order of sets
    folder = tmp_path / "page"
    shutil.copytree(path.parent, folder, ignore=shutil.ignore_patterns("*.ipynb"))
    run = functools.partial(outcome, path, folder)
    traced, plain = run(trace=True), run(trace=False)
    if traced != plain:
        plain_again, traced_again = run(trace=False), run(trace=True)
        assert len(plain) == len(traced)
        rows = zip(plain, plain_again, traced, traced_again, strict=False)
        unlike = [row[::2] for row in rows if row[0] == row[1] and row[0] not in row[2:]]
        assert unlike == []


@pytest.mark.kernel
@pytest.mark.parametrize(
    "name",
    every(
        2,
        [
            "bad/captured_raise",
            "bad/does_not_parse",
            "bad/raises",
            "bad/thread_raises",
            "rules/nbs103/redefined_above",
            "rules/nbs201/edited_function",
        ],
    ),
)
def test_a_fixture_gives_the_same(name: str, tmp_path: Path) -> None:
    path = FIXTURES / f"{name}.ipynb"
    assert outcome(path, tmp_path, trace=False) == outcome(path, tmp_path, trace=True)
