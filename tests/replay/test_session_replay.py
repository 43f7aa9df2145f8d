"""`nbsafe replay` with real kernels: sessions that were labelled by hand, and what may go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tiers import by_hand, every, sampled

from pytest_nbsafe.app.replay import replay
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.reports.replay_report import ReplayReport
from pytest_nbsafe.runner import kernel_session

pytestmark = pytest.mark.kernel

FIXTURES = Path(__file__).parents[2] / "fixtures" / "staleness"
CASES = {
    case["name"]: case
    for file in sorted(FIXTURES.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
}
QUICK = (
    "order_swapped_mutators", "phantom_function", "file_phantom", "unseeded_but_edited",
    "exception_in_mutation", "del_then_reader", "lru_cache_hides", "generator_made_anew_ok",
    "initialiser_rerun_alone", "async_gather", "package_module_edited", "generator_begun_old_k",
)  # fmt: skip
Steps = Iterable[tuple[str, str]]


def replayed(
    folder: Path, steps: Steps, *, page: list[str] | None = None, **options: Any
) -> ReplayReport:
    path = folder / "session.jsonl"
    lines: list[object] = [{"page": page}] if page else []
    lines += [{"cell": cell, "source": source} for cell, source in steps]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings = {"timeout": options.pop("timeout")} if "timeout" in options else {}
    return replay(path, settings, **options)


def hold(folder: Path, case: dict[str, Any]) -> None:
    steps = [(step["cell"], step["source"]) for step in case["steps"]]
    report = replayed(folder, steps, page=case["page"])
    last, expected = report.answers[-1], case["expect"]
    assert last.judged, report.notes
    told = {
        "stale_symbols": list(last.stale_symbols),
        "stale_cells_after": list(last.stale_cells),
        "fresh_cells_after": list(last.fresh_cells),
        "unrunnable_cells": list(last.unrunnable_cells),
    }
    assert {key: sorted(expected[key]) for key in told} == told, case["why"]


@pytest.mark.parametrize("name", every(4, QUICK))
def test_sessions_labelled_by_hand(tmp_path: Path, name: str) -> None:
    hold(tmp_path, CASES[name])


MORE = sorted(CASES.keys() - set(QUICK))


@pytest.mark.parametrize("name", by_hand(24, MORE))
def test_more_sessions_labelled_by_hand(tmp_path: Path, name: str) -> None:
    hold(tmp_path, CASES[name])


FORKLESS = tuple(dict.fromkeys(("csv_stale_file", *MORE[::80])))


@pytest.mark.parametrize("name", sampled(FORKLESS, lambda name: name == "csv_stale_file"))
def test_sessions_are_judged_without_forks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_session, "FORKS", False)
    hold(tmp_path, CASES[name])


@pytest.mark.corpus
def test_a_clean_run_after_each_step(tmp_path: Path) -> None:
    steps = [("c1", "a = 1"), ("c3", "a = 50"), ("c2", "b = a + 1"), ("c2", "b = 2")]
    report = replayed(tmp_path, steps, page=["c1", "c2", "c3"], judge_each=True)
    assert [answer.judged for answer in report.answers] == [True] * 4
    assert [answer.stale_symbols for answer in report.answers] == [(), (), ("b",), ()]
    assert [answer.stale_cells for answer in report.answers] == [(), (), ("c2",), ()]


def test_between_lineage_tells(tmp_path: Path) -> None:
    steps = [("c1", "a = 1"), ("c2", "b = a + 1"), ("c3", "print(b)"), ("c1", "a = 2")]
    steps += [("c2", "b = a + 1"), ("c3", "print(b)")]
    report = replayed(tmp_path, steps)
    edited, mended, last = report.answers[3:]
    assert not edited.judged
    assert edited.stale_symbols == ("b",)
    assert edited.stale_cells == ("c3",)
    assert edited.fresh_cells == ("c2",)
    assert edited.refresher_cells == ("c2",)
    assert mended.stale_symbols == ()
    assert mended.fresh_cells == ("c3",)
    assert last.judged
    assert (last.stale_symbols, last.fresh_cells) == ((), ())


def test_refreshers_of_the_end_may_be_stale_themselves(tmp_path: Path) -> None:
    steps = [("c1", "n = 0"), ("c2", "n += 5"), ("c3", "m = n"), ("c1", "n = 0")]
    last = replayed(tmp_path, steps).answers[-1]
    assert last.stale_cells == ("c2", "c3")
    assert last.refresher_cells == ("c2",)


def test_causes_are_told(tmp_path: Path) -> None:
    steps = [("c1", "a = 1\nk = 2"), ("c2", "b = a + 1"), ("c1", "a = 2")]
    last = replayed(tmp_path, steps).answers[-1]
    assert last.causes == {
        "b": "cell c2 in step 2 made it from `a`, which cell c1 in step 3 has made again since",
        "k": "left over: made by cell c1 in step 1, and no cell makes it any more",
    }


def test_the_folder_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("7", encoding="utf-8")
    steps = [
        ("c1", "n = int(open('data.txt').read())"),
        ("c2", "open('data.txt', 'w').write('8'); open('new.txt', 'w').write('9')"),
        ("c3", "import os\nnames = sorted(f for f in os.listdir() if f.endswith('.txt'))"),
    ]
    report = replayed(tmp_path, steps)
    assert report.answers[-1].stale_symbols == ()
    assert (tmp_path / "data.txt").read_text(encoding="utf-8") == "7"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.txt", "session.jsonl"]


@pytest.mark.corpus
def test_a_kernel_that_dies_is_told(tmp_path: Path) -> None:
    steps = [("c1", "a = 1"), ("c2", "import os\nos._exit(3)"), ("c3", "a")]
    report = replayed(tmp_path, steps)
    assert [answer.status for answer in report.answers] == ["ok", "error", "skipped"]
    assert "exited with code 3" in report.answers[1].reason
    assert report.answers[2].reason == "the kernel is gone"
    assert report.notes == ("not judged after step 2: the session's kernel is gone",)


@pytest.mark.corpus
def test_a_clean_run_that_dies_is_told(tmp_path: Path) -> None:
    killing = "import os\nif a == 2:\n    os._exit(3)"
    steps = [("c1", "a = 1"), ("c2", killing), ("c1", "a = 2")]
    report = replayed(tmp_path, steps)
    assert not report.answers[-1].judged
    assert report.notes == ("not judged after step 3: the clean run ended early",)


@pytest.mark.corpus
def test_a_cell_without_end_is_stopped(tmp_path: Path) -> None:
    steps = [("c1", "a = 1"), ("c2", "while True:\n    pass"), ("c1", "a = 1")]
    report = replayed(tmp_path, steps, timeout=2)
    assert [answer.status for answer in report.answers] == ["ok", "error", "ok"]
    assert report.answers[1].reason.startswith("not done after 2 s")


def test_a_kernel_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"cell": "a", "source": "1"}\n', encoding="utf-8")
    with pytest.raises(NbsafeError, match="no kernel 'nowhere'"):
        replay(path, {"kernel": "nowhere"})


@pytest.mark.corpus
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_an_interrupt_leaves_no_kernel_behind(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    mark = tmp_path / "at-work"
    source = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    path.write_text(json.dumps({"cell": "a", "source": source}) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest_nbsafe", "replay", str(path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 60
        while not (mark.exists() and mark.read_text(encoding="utf-8")):
            assert running.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        kernel = int(mark.read_text(encoding="utf-8"))
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


X_IS_STALE = [("c9", "x += 1"), ("c9", "x += 1")]


@pytest.mark.parametrize(
    "case",
    every(
        3,
        [
            (["x = 1", "fs = [lambda: x]", "y = fs[0]()"], ["c3", "c9"]),
            (["x = 1", "flag = False", "y = x if flag else 0"], ["c9"]),
            (["x = 1", "def f(deep):\n    return x if deep else 0", "y = f(False)"], ["c9"]),
            (["x = 1", "def f(deep):\n    return x if deep else 0", "y = f(True)"], ["c3", "c9"]),
            (["x = 1", "y = 0 and x"], ["c9"]),
            (["x = 1", "g = (x * i for i in range(3))", "s = sum(g)"], ["c9"]),
            (["x = 1", "exec('y = x')"], ["c2", "c9"]),
            (["x = 1", "y = globals()['x']"], ["c2", "c9"]),
        ],
    ),
)
def test_what_a_cell_would_really_read(tmp_path: Path, case: tuple[list[str], list[str]]) -> None:
    sources, stale = case
    steps = [(f"c{number}", source) for number, source in enumerate(sources, 1)]
    last = replayed(tmp_path, [*steps, *X_IS_STALE]).answers[-1]
    assert "x" in last.stale_symbols
    assert list(last.stale_cells) == stale


def test_false_negative_a_text_that_raises_after_a_change_that_adds_up(tmp_path: Path) -> None:
    """On the page c2 appends 2 once; the text before counts too, since the page's raises."""
    steps = [("c1", "xs = [1]"), ("c2", "xs.append(2)"), ("c2", "xs.append(2)\nint('x')")]
    last = replayed(tmp_path, steps).answers[-1]
    assert last.judged
    assert last.stale_symbols == ()
