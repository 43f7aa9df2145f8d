"""Cells that run in fresh kernels, where the plan's own cannot be forked."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import percent
import pytest
from tiers import by_hand

from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.app.run import run
from pytest_nbsafe.config import Config
from pytest_nbsafe.judge.trial import Rerun
from pytest_nbsafe.kernel.aside import in_place
from pytest_nbsafe.kernel.contract import SLOWER
from pytest_nbsafe.notebook.model import Cell, Output
from pytest_nbsafe.runner import fresh_kernels, kernel_session, live_kernel
from pytest_nbsafe.runner.inquiries import Inquiries, Limits
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.results import CellResult, Record, Value
from pytest_nbsafe.trace.side_runs import Counterfactual
from runner.fake_session import FakeSession
from runner.kernels import notebook

STALE = (
    "# %% [1]\nrate = 0.5\n# %% [3]\nrate = 0.25\n"
    "# %% [2]\nprice = 100 * (1 + rate)\n# %% [4]\ntotal = 3 * price\n"
)
OLD = "# %% [1]\na = 1\n# %% [4]\na = 2\n# %% [2]\nb = a\n# %% [3]\nc = b\n"


class Fake(FakeSession):
    """A kernel that cannot be forked; `answers` are values by what ran in it, and what is asked.

    `noise` is what each kernel holds otherwise.
    """

    def __init__(self, answers: Mapping[object, str], noise: str, status: str) -> None:
        super().__init__()
        self.ran: list[int] = []
        self.asked: list[tuple[tuple[int, ...], bool]] = []
        self.limit_s = 0.0
        self._answers = answers
        self._noise = noise
        self._status = status

    def close(self) -> None:
        self.alive = False

    def run(self, cell: Cell, step: int) -> CellResult:
        self.ran.append(cell.number)
        return self._result(cell, step, self._answers.get((cell.number,), "?"))

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool, at: int | None
    ) -> Counterfactual:
        assert limit_s > 0
        assert at is None
        if not here:
            return Counterfactual(cause="this system cannot fork", elsewhere=True)
        numbers = tuple(cell.number for cell in cells)
        self.asked.append((numbers, stir))
        key = "stirred" if stir and "stirred" in self._answers else numbers
        value = self._answers.get(key, "?")
        if value.startswith("it would"):
            return Counterfactual(cause=value)
        results = tuple(self._result(cell, i, value) for i, cell in enumerate(cells, 1))
        return Counterfactual(results, shown={"made": {"value": value}})

    def hurry(self, limit_s: float) -> None:
        self.limit_s = limit_s

    def _result(self, cell: Cell, step: int, value: str) -> CellResult:
        empty: frozenset[str] = frozenset()
        record = Record((step, 1), cell.number, 1, empty, {"made": empty}, {})
        return CellResult(
            step,
            cell.number,
            "ok" if self._status != f"raised {cell.number}" else "raised",
            reads={"noise": Value(self._noise)},
            after={"made": Value(value)},
            records=(record,),
            duration_s=0.5,
        )


def tried(
    text: str,
    answers: Mapping[object, str],
    *,
    noises: str = "aaaaaaaaa",
    status: str = "",
    settled: Sequence[int] = (),
    limits: Limits | None = None,
) -> tuple[Inquiries, list[Fake]]:
    """Run a plan whose kernel cannot be forked, then ask fresh ones; return all kernels, too."""
    facts, _ = static_facts(percent.parse(text), Config())
    made: list[Fake] = []

    def make() -> Fake:
        made.append(Fake(answers, noises[len(made)], status if made else ""))
        return made[-1]

    asking = Inquiries(facts.graph, facts.suspicions, limits)
    run = PlanRun(facts.graph, facts.plan, make)
    while not run.finished:
        asking.before(run)
        run.advance()
    asking.end(run)
    asking.elsewhere(
        lambda limit_s: PlanRun(facts.graph, facts.plan, make, limit_s), run.result(), settled
    )
    return asking, made


def kernels(made: Sequence[Fake]) -> list[tuple[list[int], list[tuple[tuple[int, ...], bool]]]]:
    return [(fake.ran, fake.asked) for fake in made]


def test_a_read_that_is_the_same_refreshed_needs_one_kernel() -> None:
    asking, made = tried(STALE, {(4,): "old", (3, 4): "old"}, settled=[3])
    assert kernels(made) == [([1, 3, 2, 4], []), ([1, 3, 2], [((3, 4), False)])]
    assert asking.reads[4].result == "same"


def test_a_difference_is_told_from_a_run_of_the_cell_alone_and_from_chance() -> None:
    asking, made = tried(STALE, {(4,): "old", (3, 4): "new"}, settled=[3])
    assert [fake.ran for fake in made[1:]] == [[1, 3, 2]] * 3
    asked = [fake.asked for fake in made[1:]]
    assert asked == [[((3, 4), False)], [((4,), False)], [((3, 4), True)]]
    found = asking.reads[4]
    assert (found.result, found.after) == ("differs", (3,))
    assert found.differences == ("`made` old -> new",)


def test_a_result_runs_again_from_the_end_of_the_plan() -> None:
    asking, made = tried(OLD, {(3,): "old", (4,): "?", (3, 4): "?"})
    assert [(fake.ran, fake.asked[0]) for fake in made[1:]] == [
        ([1, 3, 4, 2], ((3,), False)),
        ([1, 3, 4, 2], ((3, 4), False)),
    ]
    assert {cell: found.result for cell, found in asking.endings.items()} == {3: "same", 4: "same"}


def test_what_the_clean_run_has_settled_is_not_asked() -> None:
    _, made = tried(STALE, {}, settled=[3, 4])
    assert kernels(made) == [([1, 3, 2, 4], [])]


@pytest.mark.parametrize(
    ("answers", "noises", "status", "cause"),
    [
        ({(4,): "old", (3, 4): "new"}, "ab", "", "`noise` differs each time"),
        ({(4,): "old", (3, 4): "new"}, "aab", "", "`noise` differs each time"),
        ({(4,): "old", (3, 4): "new"}, "aaab", "", "`noise` differs each time"),
        ({(4,): "old", (3, 4): "new"}, "aa", "raised 3", "cell 3 does not end in the same way"),
        ({(4,): "old", (3, 4): "it would write 'a'"}, "aa", "", "it would write 'a'"),
    ],
)
def test_what_two_runs_of_the_plan_do_not_repeat_is_not_known(
    answers: Mapping[object, str], noises: str, status: str, cause: str
) -> None:
    noises = noises.ljust(9, noises[-1])
    asking, _ = tried(STALE, answers, noises=noises, status=status, settled=[3])
    found = asking.reads[4]
    assert found.result == "nothing-to-compare"
    assert cause in found.cause


def test_chance_within_the_cells_is_told_as_such() -> None:
    answers: Mapping[object, str] = {(4,): "old", (3, 4): "new", "stirred": "other"}
    asking, _ = tried(STALE, answers, settled=[3])
    assert asking.reads[4].result == "nondeterministic"


def test_each_cell_of_a_fresh_run_is_limited() -> None:
    _, made = tried(STALE, {(4,): "old", (3, 4): "old"}, settled=[3])
    assert [fake.limit_s for fake in made] == [0.0, Limits().one_elsewhere_s * SLOWER]


SHORT_S = fresh_kernels.START_S + 1


@pytest.mark.parametrize("limits", [Limits(elsewhere_s=SHORT_S), Limits(one_elsewhere_s=SHORT_S)])
def test_what_takes_too_long_is_not_asked(limits: Limits) -> None:
    answers: Mapping[object, str] = {(4,): "old", (3, 4): "new"}
    asking, made = tried(STALE, answers, settled=[3], limits=limits)
    assert asking.reads[4].cause == "it would take too long"
    assert len(made) == 1


# -- real kernels ----------------------------------------------------------------------------------

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rules"
SEEN_IN_FORKS = {"other_keys"}
"""A fork sees that other keys changed; no fresh kernel is asked for that, so a warning stays."""
JUDGED = [
    path
    for code in ("nbs103", "nbs201", "nbs202", "nbs205")
    for path in sorted((FIXTURES / code).glob("*.ipynb"))[::2]
    if path.stem not in SEEN_IN_FORKS
]


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.kernel
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
@pytest.mark.parametrize("path", by_hand(2, JUDGED), ids=stem)
def test_both_ways_give_the_same_findings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forked = run([path], {"notes": True}).findings
    monkeypatch.setattr(kernel_session, "FORKS", False)
    assert forked == run([path], {"notes": True}).findings


NOISY = (
    "# %% [1]\nimport os\nnoise, rate = os.getpid(), 0.5\n# %% [3]\nrate = 0.25\n"
    "# %% [2]\nprice = noise * (1 + rate)\n# %% [4]\ntotal = 3 * price\n"
)
WRITING = (
    "# %% [1]\nrate = 0.5\nopen('a', 'a').close()\n# %% [3]\nrate = 0.25\n"
    "# %% [2]\nprice = 100 * (1 + rate)\n"
    "# %% [4]\ntotal = 3 * price\nopen(f'{total}', 'w').close()\n"
)


def trial_of(tmp_path: Path, text: str) -> Mapping[int, Rerun]:
    """Return what came of the stale reads of a notebook, run in fresh kernels."""
    book = percent.parse(text)
    facts, _ = static_facts(book, Config())
    asking = Inquiries(facts.graph, facts.suspicions)

    def again(limit_s: float | None) -> PlanRun:
        make = lambda: KernelSession(book, cwd=tmp_path, timeout_s=60)  # noqa: E731
        return PlanRun(facts.graph, facts.plan, make, limit_s)

    run = again(None)
    try:
        while not run.finished:
            asking.before(run)
            run.advance()
        asking.end(run)
    finally:
        run.close()
    asking.elsewhere(again, run.result(), [])
    return asking.reads


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (NOISY, "`noise` differs each time the plan runs"),
        (WRITING, "it would write '375.0'"),
    ],
)
def test_in_real_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, cause: str
) -> None:
    monkeypatch.setattr(kernel_session, "FORKS", False)
    found = trial_of(tmp_path, text)[4]
    assert (found.result, found.cause) == ("nothing-to-compare", cause)
    assert {path.name for path in tmp_path.iterdir()} <= {"a", "450.0"}


# -- a kernel that answers itself ------------------------------------------------------------------


def asked(
    tmp_path: Path, before: str, *sources: str, limit_s: float = 20.0, margin_s: float = 5.0
) -> tuple[Counterfactual, bool]:
    """Return the answer of a kernel that ran one cell before, and whether it is of use still."""
    cells = notebook(before, *sources).cells
    made = KernelSession(notebook(""), cwd=tmp_path, timeout_s=60, margin_s=margin_s)
    with made as session:
        assert session.run(cells[0], 1).status == "ok"
        told = session.counterfactual(cells[1:], limit_s=limit_s, here=True)
        return told, session.alive


@pytest.mark.kernel
def test_a_kernel_runs_the_cells_itself(tmp_path: Path) -> None:
    told, alive = asked(
        tmp_path,
        "import sys\nx = 1",
        "x = 5\nprint('out')\nprint('err', file=sys.stderr)",
        "y = x * 2\ny",
    )
    assert (told.cause, alive) == ("", False)
    assert [(r.step, r.cell, r.status) for r in told.results] == [(1, 2, "ok"), (2, 3, "ok")]
    assert told.results[0].outputs == (
        Output("stream", name="stdout", text="out\n"),
        Output("stream", name="stderr", text="err\n"),
    )
    assert told.results[1].outputs == (Output("execute_result", text="10"),)
    assert told.shown == {"x": {"value": "5"}, "y": {"value": "10"}}
    assert {*told.results[1].reads, *told.results[1].after} == {"x", "y"}
    assert told.results[1].incidents == ()


ATTEMPTS = """\
import os, pathlib, shutil, socket, sqlite3, subprocess
attempts = [
    lambda: open('made', 'w'), lambda: pathlib.Path('folder').mkdir(), lambda: os.remove('kept'),
    lambda: os.rename('kept', 'made'), lambda: subprocess.run(['touch', 'made']),
    lambda: os.system('touch made'), lambda: sqlite3.connect('base'),
    lambda: socket.create_connection(('127.0.0.1', port), 1), lambda: shutil.copy('kept', 'made'),
]"""


@pytest.mark.kernel
def test_what_cannot_be_undone_is_not_done_here_either(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        trying = (
            f"port = {server.getsockname()[1]}\nfor attempt in attempts:\n"
            "    try:\n        attempt()\n    except BaseException:\n        pass"
        )
        told, alive = asked(tmp_path, ATTEMPTS, "1", trying)
        with pytest.raises(TimeoutError):
            server.accept()
    assert (told.cause, told.results, alive) == ("it would write 'made'", (), False)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "kept"


ANOTHER_SYSTEM = (
    "import os\nfrom _nbsafe.aside import seal\n"
    "seal._landlock = lambda *_: False\ndel os.fork\nx = 1"
)


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_system_without_forks_and_landlock(tmp_path: Path) -> None:
    told, _ = asked(tmp_path, ANOTHER_SYSTEM, "x += 1", "print(x)\n" * 3000)
    assert told.cause == ""
    assert told.results[1].outputs == (Output("stream", name="stdout", text="2\n" * 3000),)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("before", "source", "cause"),
    [
        (
            ANOTHER_SYSTEM,
            "x.to_parquet('made')",
            "it could not be run: CannotSeal('`to_parquet` may write a file')",
        ),
        ("log = open('log', 'w')", "log.write('b')", "the notebook has a file open for writing"),
        (
            "import socket\nhere, there = socket.socketpair()",
            "here.send(b'hello')",
            "the notebook has a connection open",
        ),
        pytest.param(
            "x = 1",
            "while True: pass",
            "the kernel was killed by SIGXCPU, for it computed for too long",
            marks=[
                pytest.mark.corpus,
                pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit"),
            ],
        ),
        ("import time", "time.sleep(60)", "the kernel did not answer, and was stopped"),
    ],
)
def test_what_gives_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, source: str, cause: str
) -> None:
    if "sleep" in source:
        monkeypatch.setattr(live_kernel, "SLOWER", 1)
    limit_s = 1.0 if "sleep" in source or "while" in source else 20.0
    margin_s = 0.5 if "sleep" in source else 60.0
    told, alive = asked(tmp_path, before, source, limit_s=limit_s, margin_s=margin_s)
    assert (told.cause, told.results, alive) == (cause, (), False)


def test_what_python_knows_to_be_open_for_writing(tmp_path: Path) -> None:
    before = in_place.written_by_python()
    with (tmp_path / "log").open("w") as log:
        with (tmp_path / "log").open() as read:
            assert sorted(in_place.written_by_python()) == sorted([*before, log.fileno()])
            assert log.fileno() != read.fileno()
        if sys.platform != "win32":
            assert log.fileno() in in_place.written()
    assert sorted(in_place.written_by_python()) == sorted(before)
