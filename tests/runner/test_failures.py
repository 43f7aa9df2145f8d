from __future__ import annotations

import signal

import pytest

from pytest_nbsafe.kernel.contract import CellRun, Incident
from pytest_nbsafe.runner.failures import as_failure, asks_exit, folded, plain
from pytest_nbsafe.runner.provision import KernelFolder, death


def test_plain_text() -> None:
    assert plain("\x1b[31;1mred\x1b[0m \x1b]0;title\x07x\x00\x08\n\ty") == "red x\n\ty"


@pytest.mark.parametrize(
    ("traceback", "line"),
    [
        ("Cell In[2], line 3\n----> 3 f()\n\nCell In[1], line 7, in f(x)\n", 7),
        ("Input In [4], in <cell line: 2>()\n", 2),
        ("File x.py:3, in f()\n", 0),
        ("", 0),
    ],
)
def test_the_line_in_a_traceback(traceback: str, line: int) -> None:
    reply = {"status": "error", "ename": "E", "evalue": "v", "traceback": [traceback]}
    failure = as_failure(reply, None, {})
    assert failure is not None
    assert (failure.ename, failure.evalue, failure.line) == ("E", "v", line)


def test_no_failure() -> None:
    assert as_failure({"status": "ok"}, None, {}) is None


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ("a b b b c", "a b b b c"),
        ("a b b b b c", "a b [... the frame above 3 times more ...] c"),
        ("a b c b c b c b c b", "a b c [... the 2 frames above 3 times more ...] b"),
        ("", ""),
    ],
)
def test_a_recursion_is_told_once(frames: str, told: str) -> None:
    assert " ".join(frame.strip() for frame in folded(frames.split())) == told


def test_a_result_that_cannot_be_shown() -> None:
    incident: Incident = {"kind": "captured", "line": 2, "message": "ValueError: in repr: x"}
    event: CellRun = {
        "run": 1,
        "raised": None,
        "statements": [],
        "before": {},
        "after": {},
        "bindings": {},
        "incidents": [incident],
        "evaluations": [],
        "copies": [],
        "cpu_s": 0.0,
        "inputs": None,
    }
    reply = {"status": "error", "ename": "NoneType", "evalue": "None", "traceback": []}
    failure = as_failure(reply, event, {})
    assert failure is not None
    assert (failure.ename, failure.evalue) == ("ValueError", "in repr: x")


def test_asking_for_the_end() -> None:
    assert asks_exit({"payload": [{"source": "ask_exit", "keepkernel": False}]})
    assert not asks_exit({"payload": [{"source": "ask_exit", "keepkernel": True}]})
    assert not asks_exit({"payload": [{"source": "page"}]})
    assert not asks_exit({})


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs Unix signals")
def test_how_a_process_ended() -> None:
    assert death(None) == "it does not answer any more"
    assert death(1) == "the kernel exited with code 1"
    assert death(-9) == "the kernel was killed by SIGKILL, perhaps because memory ran out"
    assert death(-250) == "the kernel was killed by signal 250"


@pytest.mark.parametrize(
    ("log", "line"),
    [
        (b"", ""),
        (
            b"x" * 3000 + b"\nFatal Python error: Aborted\n\nThread 1:\n",
            "Fatal Python error: Aborted",
        ),
        (
            b"the cell closed the connection of its kernel\nWARNING:tornado.general:Got events\n",
            "the cell closed the connection of its kernel",
        ),
        (b"Traceback\n  File x\nKeyError: 1\n", "KeyError: 1"),
    ],
)
def test_the_last_words_of_a_kernel(log: bytes, line: str) -> None:
    folder = KernelFolder()
    try:
        folder.log.write(log)
        assert folder.last_line() == line
    finally:
        folder.close()
