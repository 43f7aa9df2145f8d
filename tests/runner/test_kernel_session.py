from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import IPython
import pytest
import tiers

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, NoSuchKernel
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import exception
from runner.kernels import RunCells, notebook, process_of

pytestmark = pytest.mark.kernel


def _is_kernel(pid: int) -> bool:
    try:
        return b"ipykernel" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_plain_cell(run_cells: RunCells) -> None:
    (result,) = run_cells("x = 1\nprint(x)\nx + 1")
    assert result.status == "ok"
    assert result.outputs == (
        Output("stream", name="stdout", text="1\n"),
        Output("execute_result", text="2"),
    )
    assert result.cpu_s > 0
    assert result.after["x"].kind == "int"
    assert not result.incidents


def test_a_kernel_needs_one_thread(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    with KernelSession(notebook("0"), cwd=tmp_path) as session:
        assert session.alive
        came = {*threading.enumerate()} - before
    kinds = sorted(type(thread).__name__ for thread in came)
    assert [kind for kind in kinds if kind != "GarbageCollectorThread"] == ["Thread"]  # of pyzmq


def test_what_python_keeps_beside_the_names_is_no_name(run_cells: RunCells) -> None:
    (result,) = run_cells("import warnings\nx: int = 1\nwarnings.warn('look')")
    assert {name for record in result.records for name in record.writes} == {"warnings", "x"}
    assert result.after.keys() == {"warnings", "x"}


def test_a_cell_that_raises_names_its_lines(run_cells: RunCells) -> None:
    first, second, third = run_cells(
        "def half(x):\n    return 1 / x", "y = 1\n\nhalf(0)\ny = 2", "y"
    )
    assert first.status == "ok"
    assert second.status == "raised"
    failure = second.failure
    assert failure is not None
    assert (failure.ename, failure.evalue) == ("ZeroDivisionError", "division by zero")
    assert failure.line == 3
    assert failure.frames == ((2, 3), (1, 2))
    assert "\x1b" not in failure.traceback
    assert "half(0)" in failure.traceback
    assert third.outputs[0].text == "1"


@pytest.mark.parametrize(
    ("source", "ename", "line"),
    [
        ("x = 1\nx = ", "SyntaxError", 2),
        ("\n\nif True:\nx", "IndentationError", 4),
        ("y = 1\ninput()", "StdinNotImplementedError", 2),
        ("import sys\nsys.exit(3)", "SystemExit", 2),
        ("q = 1\n\n%nosuchmagic here", "UsageError", 3),
        ("%%nosuchmagic\nx", "UsageError", 1),
        ("%%bash\nexit 4", "CalledProcessError", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
    ],
)
def test_ways_to_raise(shared: KernelSession, source: str, ename: str, line: int) -> None:
    result = shared.run(notebook(source).cell(1), 1)
    assert result.status == "raised"
    assert result.failure is not None
    assert (result.failure.ename, result.failure.line) == (ename, line)
    assert shared.alive


def test_what_a_timed_cell_raises(shared: KernelSession) -> None:
    result = shared.run(notebook("%%time\nz = 1\n1 / 0").cell(1), 1)
    failure = exception(result)
    assert failure is not None
    assert (failure.ename, failure.line) == ("ZeroDivisionError", 3)
    swallows = IPython.version_info[0] < 9  # IPython 8 shows it and reports success
    assert result.status == ("ok" if swallows else "raised")
    assert len(result.incidents) == swallows


@pytest.mark.parametrize(
    ("source", "kind", "line", "message"),
    [
        ("x = 1\n!exit 3", "shell", 2, "`!exit 3` exited with code 3"),
        ("x = !exit 5", "shell", 1, "`!exit 5` exited with code 5"),
        ("get_ipython().system('exit 3')", "shell", 1, "`!exit 3` exited with code 3"),
        ("%%capture\nx = 1\n1 / 0", "captured", 3, "ZeroDivisionError: division by zero"),
        (
            (
                "import threading\ndef work():\n    raise ValueError('no')\n"
                "t = threading.Thread(target=work, name='w')\nt.start()\nt.join()"
            ),
            "thread",
            3,
            "in w: ValueError: no",
        ),
        ("get_ipython().run_cell('1/0')\n0", "captured", 1, "ZeroDivisionError: division by zero"),
        ("%%capture\n%nosuch", "magic", 2, "UsageError: Line magic function `%nosuch` not found."),
    ],
)
def test_incidents(shared: KernelSession, source: str, kind: str, line: int, message: str) -> None:
    result = shared.run(notebook(source).cell(1), 1)
    assert result.status == "ok"
    assert [(i.kind, i.line, i.message) for i in result.incidents] == [(kind, line, message)]


def test_good_commands_are_no_incident(shared: KernelSession) -> None:
    source = "!true\n!false || true\nx = !echo hi\nprint(x)"
    result = shared.run(notebook(source).cell(1), 1)
    assert result.incidents == ()
    assert result.outputs[0].text == "['hi']\n"


@pytest.mark.corpus
def test_an_interrupted_kernel_goes_on(run_cells: RunCells) -> None:
    first, slow, last = run_cells("x = 1", "print('on')\nwhile True:\n    pass", "x", timeout_s=2)
    assert first.status == "ok"
    assert slow.status == "timed-out"
    assert slow.failure is not None
    assert slow.failure.line in {2, 3}
    assert slow.reason == "not done after 2 s; interrupted"
    assert slow.outputs[0].text == "on\n"
    assert last.status == "ok"


@pytest.mark.corpus
def test_a_deaf_kernel_is_killed(run_cells: RunCells) -> None:
    deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(60)"
    started = time.monotonic()
    (result,) = run_cells(deaf, "1", timeout_s=2)
    assert result.status == "timed-out"
    assert result.reason == "not done after 2 s, and did not react to the interrupt; it was killed"
    assert time.monotonic() - started < 30


@pytest.mark.corpus
def test_a_kernel_that_an_interrupt_ends(run_cells: RunCells) -> None:
    frail = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\ntime.sleep(60)"
    (result,) = run_cells(frail, "1", timeout_s=2)
    assert result.status == "timed-out"
    assert result.reason == "not done after 2 s; the interrupt ended it"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\nos._exit(3)", "the kernel exited with code 3"),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
            "the kernel was killed by SIGKILL, perhaps because memory ran out",
        ),
        pytest.param(
            "import ctypes\nctypes.string_at(0)",
            "the kernel was killed by SIGSEGV, a crash inside compiled code",
            marks=pytest.mark.corpus,
        ),
    ],
)
def test_a_kernel_that_dies(run_cells: RunCells, source: str, reason: str) -> None:
    started = time.monotonic()
    (result,) = run_cells(f"print('last', flush=True)\n{source}", "1")
    assert result.status == "died"
    assert result.reason.startswith(reason)
    assert time.monotonic() - started < 20


def test_a_cell_that_quits(run_cells: RunCells) -> None:
    results = run_cells("exit()", "1")
    assert [(r.status, r.reason) for r in results] == [
        ("died", "the cell asked the kernel to shut down (exit or quit)")
    ]


def test_huge_outputs_are_cut(run_cells: RunCells) -> None:
    (result,) = run_cells("print('x' * 50_000_000)")
    assert result.status == "ok"
    assert len(result.outputs[0].text) == 1_000_000
    assert (
        result.outputs[1].text == "[nbsafe: 49,000,001 more characters of output were not kept]\n"
    )


@pytest.mark.corpus
def test_a_flood_of_messages_loses_no_event(run_cells: RunCells) -> None:
    (result,) = run_cells(
        "from IPython.display import display\nfor i in range(5000):\n    display(i)\nx = 1"
    )
    assert result.status == "ok"
    assert result.after["x"].hash
    assert result.incidents == ()
    assert len(result.outputs) == 2_001


def test_odd_text_comes_through(shared: KernelSession) -> None:
    source = r"print('\x1b[31mred\x1b[0m \x00 \udc80'.encode('utf-8', 'surrogateescape'))"
    result = shared.run(notebook(source).cell(1), 1)
    assert result.status == "ok"
    result = shared.run(notebook(r"raise ValueError('\x1b[31mred\x00')").cell(1), 1)
    assert result.failure is not None
    assert result.failure.evalue == "red"
    result = shared.run(notebook(r"raise ValueError('\ud800')").cell(1), 1)
    assert result.failure is not None
    assert result.failure.ename == "UnicodeEncodeError"  # as in a plain kernel


def test_half_a_character_in_a_text_fails_the_cell_alone(shared: KernelSession) -> None:
    result = shared.run(notebook("x = '\ud800'").cell(1), 1)
    assert result.status == "raised"
    assert result.failure is not None
    assert result.failure.ename == "UnicodeEncodeError"  # as where Python compiles it
    assert result.incidents == ()
    assert shared.run(notebook("x = 1").cell(1), 2).status == "ok"


def test_displays_are_updated_and_cleared(shared: KernelSession) -> None:
    source = (
        "from IPython.display import clear_output, display\nprint('gone')\nclear_output()\n"
        "h = display('a', display_id=True)\nh.update('b')\nprint('kept')"
    )
    result = shared.run(notebook(source).cell(1), 1)
    assert [o.text for o in result.outputs] == ["'b'", "kept\n"]


def test_an_unknown_kernel(tmp_path: Path) -> None:
    with pytest.raises(NoSuchKernel) as caught:
        KernelSession(notebook("1"), kernel="nope", cwd=tmp_path).start()
    assert caught.value.name == "nope"
    assert "python3" in caught.value.available


@pytest.mark.corpus
def test_a_kernel_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tmp_path / "kernels" / "broken"
    spec.mkdir(parents=True)
    argv = f'["{sys.executable}", "-c", "import nosuchmodule"]'
    text = f'{{"argv": {argv}, "display_name": "b", "language": "python"}}'
    (spec / "kernel.json").write_text(text)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    with pytest.raises(KernelStartFailed, match="No module named 'nosuchmodule'"):
        KernelSession(notebook("1"), kernel="broken", cwd=tmp_path).start()


def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    async def inside() -> str:
        with KernelSession(notebook("6 * 7"), cwd=tmp_path) as session:
            return session.run(notebook("6 * 7").cell(1), 1).outputs[0].text

    assert asyncio.run(inside()) == "42"


def test_the_working_directory(tmp_path: Path, run_cells: RunCells) -> None:
    (result,) = run_cells("import os\nprint(os.getcwd())")
    assert result.outputs[0].text.strip() == str(tmp_path)


def test_close_leaves_nothing_behind(tmp_path: Path) -> None:
    session = KernelSession(notebook("1"), cwd=tmp_path)
    session.start()
    process = process_of(session)
    folder = process.folder.path
    assert process.pid is not None
    assert _is_kernel(process.pid)
    session.close()
    session.close()
    assert not _is_kernel(process.pid)
    assert not folder.exists()


@pytest.mark.parametrize("how", tiers.every(2, [signal.SIGINT, signal.SIGTERM]))
def test_a_stopped_host_leaves_no_kernel(tmp_path: Path, how: signal.Signals) -> None:
    script = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from pathlib import Path
        from runner.kernels import notebook
        from pytest_nbsafe.runner.kernel_session import KernelSession
        book = notebook("import time; time.sleep(60)")
        with KernelSession(book, cwd=Path({str(tmp_path)!r})) as session:
            print(session.kernel.process.pid, flush=True)
            session.run(book.cell(1), 1)
    """)
    host = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert host.stdout is not None
    kernel = int(host.stdout.readline())
    time.sleep(0.5)
    host.send_signal(how)
    host.wait(20)
    host.stdout.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _is_kernel(kernel):
        time.sleep(0.1)
    assert not _is_kernel(kernel)


def test_without_tracing_incidents_are_still_seen(run_cells: RunCells) -> None:
    first, second = run_cells("x = [1]\n!exit 3", "x.append(1)\n1/0", trace=False)
    assert [i.kind for i in first.incidents] == ["shell"]
    assert first.records == ()
    assert first.after == {}
    assert second.failure is not None
    assert second.failure.line == 2


DETACHED = """\
import os, subprocess, sys
plain = subprocess.Popen(["sleep", "60"])
subprocess.run("nohup sleep 60 >/dev/null 2>&1 & echo $! > nohup.pid", shell=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("daemon.pid", "w").write(str(os.getpid()))
        os.execvp("sleep", ["sleep", "60"])
    os._exit(0)
open("plain.pid", "w").write(str(plain.pid))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
@pytest.mark.parametrize(
    "last", ["", pytest.param("import os; os._exit(0)", marks=pytest.mark.corpus)]
)
def test_processes_that_a_notebook_has_started_end_with_it(
    run_cells: RunCells, tmp_path: Path, last: str
) -> None:
    run_cells(DETACHED, "import time; time.sleep(0.3)", *filter(None, [last]))
    started = [(tmp_path / f"{name}.pid").read_text() for name in ("plain", "nohup", "daemon")]
    deadline = time.monotonic() + 10  # who is killed may not be reaped yet
    while any(map(is_running, started)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [is_running(pid) for pid in started] == [False] * 3


def is_running(pid: str) -> bool:
    try:
        return Path("/proc", pid.strip(), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
