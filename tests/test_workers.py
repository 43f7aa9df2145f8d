"""Worker processes of a static check: their answers, their ends, what they import."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_nbsafe import workers
from pytest_nbsafe.errors import NbsafeError

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def test_results_keep_the_order_of_the_tasks() -> None:
    assert list(workers.results(abs, [-3, 2, -1, 0], 2)) == [3, 2, 1, 0]


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(workers.results(int, ["1", "one"], 2))


def test_a_misuse_keeps_its_hint() -> None:
    from pytest_nbsafe.keys import matching

    with pytest.raises(NbsafeError, match="did you mean NBS101") as caught:
        list(workers.results(matching, ["NBS1O1"], 1))
    assert caught.value.slug == "unknown-code"


@posix
def test_a_process_that_is_killed_is_told() -> None:
    with pytest.raises(NbsafeError, match=r"ended \(exit code 3\)"):
        list(workers.results(os._exit, [3], 1))


@posix
def test_a_function_that_computes_for_too_long_is_ended() -> None:
    worker = workers.Worker()
    with pytest.raises(workers.EndedError, match=f"signal {signal.SIGVTALRM.value}"):
        worker.ask(pow, 3, 10**9, cpu_s=0.2)  # one instruction of Python
    worker.end()


def test_a_limit_goes_for_one_question_only() -> None:
    worker = workers.Worker()
    assert worker.ask(abs, -1, cpu_s=0.5) == 1
    assert worker.ask(sum, range(20_000_000)) > 0
    worker.end()


def test_what_is_printed_there_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(workers.results(print, ["a text"], 1)) == [None]
    assert capfd.readouterr() == ("", "a text\n")


def test_the_working_folder_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend("")
    Path("nbformat.py").write_text("raise SystemExit('the stranger runs')\n")
    ((first, *_),) = workers.results(eval, ["__import__('sys').path"], 1)
    assert first not in {"", str(tmp_path)}
    (name,) = workers.results(eval, ["__import__('nbformat').__name__"], 1)
    assert name == "nbformat"


@posix
def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    script = (
        "import os, time\nfrom pytest_nbsafe import workers\n"
        'list(workers.results(eval, [\'print(__import__("os").getpid(), flush=True)'
        ' or __import__("time").sleep(60)\'] * 4, 2))\n'
    )
    file = tmp_path / "pids"
    with file.open("w") as stream:
        process = subprocess.Popen([sys.executable, "-c", script], stderr=stream)
    while len(file.read_text().split()) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    for pid in map(int, file.read_text().split()[:2]):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
