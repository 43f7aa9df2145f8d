"""Cells on the side: what a forked child of a real kernel does, and that it leaves no trace."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tiers import every, every_row

from pytest_nbsafe.notebook.model import Cell, Output
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import Counterfactual
from runner.kernels import notebook

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]

OWN_OS = """\
import os, types, _nbsafe.aside.fork as island
island.os = types.SimpleNamespace(**vars(os))
"""
"""Gives the island an `os` of its own: what a cell puts into the real one does not reach it."""
START = "import os, sys, random, threading, warnings\nrandom.seed(7)\nx = 1\nheld = [1, 2]\nx"
CONNECTED = "import time; time.sleep(0.5)"
"""The channels that no cell needs are connected a moment after the others; each is a file."""
STATE = (
    "x, held, random.getstate()[1][-3:], Out, In, get_ipython().execution_count, _, "
    "sorted(globals())"
)
MORE = (
    "len(os.listdir('/dev/fd')), sorted(os.environ), [t.name for t in threading.enumerate()], "
    "sys.dont_write_bytecode, warnings.filters, os.getcwd() == os.path.abspath(''), "
    "sys.getrecursionlimit(), random.random()"
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[KernelSession]:
    with KernelSession(notebook(""), cwd=tmp_path, timeout_s=60) as started:
        yield started


@pytest.fixture(scope="module")
def started(shared: KernelSession) -> KernelSession:
    run(shared, START)
    return shared


def cells(*sources: str) -> tuple[Cell, ...]:
    return notebook(*sources).cells


def run(session: KernelSession, source: str) -> CellResult:
    return session.run(cells(source)[0], 1)


def ask(session: KernelSession, *sources: str, limit_s: float = 20) -> Counterfactual:
    return session.counterfactual(cells(*sources), limit_s=limit_s)


def text(session: KernelSession, source: str) -> str:
    return run(session, source).outputs[-1].text


def test_cells_run_one_after_another(started: KernelSession) -> None:
    told = ask(started, "x = 5", "y = x * 2\nprint(y)\ny")
    assert told.cause == ""
    assert [(r.step, r.cell, r.status) for r in told.results] == [(1, 1, "ok"), (2, 2, "ok")]
    assert told.results[1].outputs == (
        Output("stream", name="stdout", text="10\n"),
        Output("execute_result", text="10"),
    )
    assert told.shown == {"x": {"value": "5"}, "y": {"value": "10"}}
    assert text(started, "x, 'y' in globals()") == "(1, False)"


SAYING = [
    "x + 1",
    "print('a', end='')\nprint('b', file=sys.stderr)\nprint('c')\nx",
    "from IPython.display import display, HTML\ndisplay(HTML('<b>'), display_id='k')\nx",
    "h = display(1, display_id='d')\nh.update(2)",
    "from IPython.display import clear_output\nprint(1)\nclear_output()\nprint(2)",
    "%time z = 3\nz",
    "%%capture c\nprint(5)",
    "import threading\nt = threading.Thread(target=lambda: print('t'))\nt.start()\nt.join()",
    "import asyncio as a\nasync def f():\n    await a.sleep(0.001)\nawait a.gather(f(), f())",
    "import logging\nlogging.getLogger('n').warning('w')",
    "warnings.warn('w')",
    "random.random()",
    "held.append(3)\nlen(held)",
    "b'\\xff', float('nan')",
    "x = 1\n1 / 0",
    "input()",
    "q = = 3",
    "%nosuchmagic",
    "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])",
    "print('x' * 3_000_000)",
]


@pytest.mark.parametrize("source", every(6, SAYING))
def test_it_says_what_the_kernel_itself_would(tmp_path: Path, source: str) -> None:
    with KernelSession(notebook(""), cwd=tmp_path, timeout_s=60) as session:
        run(session, START)
        told = ask(session, source)
        (aside,) = told.results
        real = run(session, source)
    assert told.cause == ""
    assert real.status == aside.status
    assert seen(real) == seen(aside)
    assert {n: v.hash for n, v in real.after.items()} == {n: v.hash for n, v in aside.after.items()}
    assert [r.line for r in real.records] == [r.line for r in aside.records]
    assert real.incidents == aside.incidents


def seen(result: CellResult) -> list[Output]:
    """Return the outputs without what no two runs share, and the streams as one text each."""
    texts: dict[str, str] = {}
    found = []
    for output in result.outputs:
        if output.kind == "stream":
            lines = [
                line
                for line in output.text.split("\n")
                if not re.search("times?: ", line, re.IGNORECASE)
            ]
            texts[output.name] = texts.get(output.name, "") + "\n".join(lines)
        elif output.kind == "error":
            found.append(replace(output, traceback=()))
        else:
            found.append(output)
    return [*found, *(Output("stream", name=name, text=texts[name]) for name in sorted(texts))]


HARMFUL = [
    ("while True: pass", "it was not done after 1 s"),
    ("import time\nwhile True: time.sleep(60)", "it was not done after 1 s"),
    ("import signal\nsignal.signal(signal.SIGTERM, lambda *_: 0)\nwhile True: pass", "not done"),
    ("os._exit(3)", "it ended the process with code 3"),
    ("os.abort()", "it was killed by SIGABRT"),
    ("import ctypes\nctypes.string_at(0)", "it was killed by SIGSEGV"),
    ("os.fork()", "it would start a process"),
    ("import asyncio\nawait asyncio.new_event_loop().create_future()", "a different loop"),
    ("import subprocess\nsubprocess.run('ls')", "it would start 'ls'"),
    ("!touch made", "it would start"),
    ("%%bash\ntouch made", "it would start"),
    ("import multiprocessing\nmultiprocessing.get_context('fork').Pool(1)", "it would start a"),
    ("open('made', 'w')", "it would write 'made'"),
    ("try:\n    open('made', 'a')\nexcept BaseException:\n    pass", "it would write 'made'"),
    ("import pathlib\npathlib.Path('made').mkdir()", "it would make 'made'"),
    ("os.remove('kept')", "it would remove 'kept'"),
    ("os.makedirs('.', exist_ok=True)\nos.mkdir('made')", "it would make 'made'"),
    ("import shutil\nshutil.rmtree('.')", "it would remove '.'"),
    ("%%writefile made\nx", "it would write 'made'"),
    ("import sqlite3\nsqlite3.connect('made')", "it would open 'made'"),
    ("import urllib.request\nurllib.request.urlopen('http://localhost:1')", "it would reach"),
    ("import socket\nsocket.socket().connect(('127.0.0.1', 1))", "it would use the network"),
    ("os.kill(os.getppid(), 9)", "it would send a signal to a process"),
]


@pytest.mark.parametrize(("source", "cause"), every_row(3, HARMFUL))
def test_what_cannot_be_undone_is_not_done(
    started: KernelSession, tmp_path: Path, source: str, cause: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    run(started, f"os.chdir({str(tmp_path)!r})")
    limit_s = 1 if "while" in source else 20
    told = ask(started, source, limit_s=limit_s)
    assert told.results == ()
    assert cause in told.cause
    assert list(tmp_path.iterdir()) == [kept]
    assert kept.read_text() == "kept"
    assert text(started, "x") == "1"


def test_what_compiled_code_writes_by_itself_is_kept_off(
    started: KernelSession, tmp_path: Path
) -> None:
    run(started, f"os.chdir({str(tmp_path)!r})")
    (tmp_path / "kept").write_text("kept")
    source = (
        "import ctypes\nc = ctypes.CDLL(None)\nc.fopen.restype = ctypes.c_void_p\n"
        "bool(c.fopen(b'made', b'w')), bool(c.fopen(b'kept', b'w')), bool(c.fopen(b'kept', b'r'))"
    )
    if not text(started, "__import__('sys').platform").startswith("'linux"):
        pytest.skip("only Linux keeps it off")
    told = ask(started, source)
    if told.results[0].outputs[-1].text.startswith("(True"):
        pytest.skip("this kernel of the system has no Landlock")
    assert told.results[0].outputs[-1].text == "(False, False, True)"
    assert (tmp_path / "kept").read_text() == "kept"


NATIVE = [
    "c.kill(parent, 9)", "c.kill(-1, 0)", "c.syscall(424, pidfd, 9, 0, 0)",
    "c.fork()", "c.connect(udp, addr, 16)", "c.sendto(udp, b'a', 1, 0, addr, 16)",
    "c.setpriority(0, parent, 19)",
    "c.sched_setaffinity(parent, 128, mask)", "c.chmod(b'kept', 0)", "c.utimes(b'kept', None)",
    "c.execl(b'/bin/true', b'true', None)", "c.chown(b'kept', 1, 1)",
    "c.process_vm_writev(parent, None, 0, None, 0, 0)", "c.setpgid(parent, 0)",
]  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps it off")
def test_what_compiled_code_does_to_others_is_kept_off(
    started: KernelSession, tmp_path: Path
) -> None:
    """The C library is asked without Python's knowledge; -1 is its word for a call refused."""
    kept = tmp_path / "kept"
    kept.write_text("kept")
    state = kept.stat()
    run(started, f"os.chdir({str(tmp_path)!r})")
    source = (
        "import ctypes\nc = ctypes.CDLL(None)\nparent = os.getppid()\n"
        "pidfd = c.syscall(434, parent, 0)\n"
        "mask = (ctypes.c_ubyte * 128)(1)\nudp = c.socket(2, 2, 0)\n"
        "addr = bytes([2, 0, 0, 9, 127, 0, 0, 1]) + bytes(8)\n[" + ", ".join(NATIVE) + "]"
    )
    told = ask(started, source)
    if (
        not Path("/proc/self/seccomp").exists()
        and "Seccomp:" not in Path("/proc/self/status").read_text()
    ):
        pytest.skip("this kernel of the system has no seccomp")
    assert told.results[0].outputs[-1].text == str([-1] * len(NATIVE))
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert text(started, "os.getpriority(os.PRIO_PROCESS, 0)") == str(own)
    assert (kept.stat().st_mode, kept.stat().st_mtime_ns) == (state.st_mode, state.st_mtime_ns)


ESCAPES = """
import ctypes, os, signal, time
c, (ours, theirs) = ctypes.CDLL(None), os.pipe()
pids = []
for leaves in range(3):
    if c.fork() == 0:
        if leaves:
            c.setsid()
        if leaves == 2 and c.fork():
            os._exit(0)
        os.write(theirs, b"%d " % c.getpid())
        time.sleep(600)
while len(pids) < 3:
    pids = os.read(ours, 99).split() + pids
{ending}
*map(int, pids),
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")
@pytest.mark.parametrize("ending", ["", pytest.param("while True: pass", marks=pytest.mark.corpus)])
def test_what_a_child_has_started_ends_with_it(
    session: KernelSession, tmp_path: Path, ending: str
) -> None:
    """As on a system without a filter of calls: groups, sessions and orphans are left then."""
    run(session, START + "\nimport subprocess")
    run(session, "__import__('_nbsafe.aside.seccomp', fromlist=['_'])._NUMBERS.clear()")
    run(session, "own = subprocess.Popen(['sh', '-c', 'sleep 600 & echo $!'], stdout=-1)")
    orphan = int(text(session, "int(own.stdout.readline())"))
    before = _working_in(tmp_path)
    told = ask(session, ESCAPES.replace("{ending}", ending), limit_s=2)
    assert told.cause == ("it was not done after 2 s" if ending else "")
    assert ending or told.results[0].outputs[-1].text.count(",") == 2
    assert orphan in before
    assert _working_in(tmp_path) == before
    os.kill(orphan, signal.SIGKILL)


def _working_in(folder: Path) -> set[int]:
    """Return the processes that work in a folder, those that have ended left out."""
    pids = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (place / "cwd").readlink() == folder:
                pids.add(int(place.name))
    return pids


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps it off")
def test_threads_and_numbers_work_in_a_sealed_child(started: KernelSession) -> None:
    source = (
        "import numpy as np\nimport threading\nsums = []\n"
        "def work(): sums.append(np.ones((300, 300)).dot(np.ones(300)).sum())\n"
        "ts = [threading.Thread(target=work) for _ in range(3)]\n[t.start() for t in ts]\n"
        "[t.join() for t in ts]\nsums"
    )
    told = ask(started, source)
    assert told.cause == ""
    assert told.results[0].outputs[-1].text.count("90000.0") == 3


@pytest.mark.parametrize(
    "source",
    every(
        9,
        [
            (
                "x = 2\nheld.append(9)\nrandom.seed(1)\nrandom.random()\n"
                "os.environ['NEW'] = '1'\nprint(x)"
            ),
            "del x, held, random\n7",
            "warnings.simplefilter('error')\nos.chdir('/')\nsys.setrecursionlimit(99)",
            "1 / 0",
            "exit()",
            "os._exit(0)",
            "while True: pass",
            "import gc\nfrom zmq import Context\nget_ipython().kernel.session = None\ngc.collect()",
            "[c.close() for c in [get_ipython().kernel.iopub_thread] if hasattr(c, 'close')]",
            "os.closerange(3, 200)",
        ],
    ),
)
def test_the_kernel_stays_as_it_was(session: KernelSession, plain: list[str], source: str) -> None:
    run(session, START)
    run(session, CONNECTED)
    assert plain[0] == text(session, STATE)
    told = ask(session, source, limit_s=1)
    assert told.results or told.cause
    assert plain[1] == text(session, STATE)
    assert plain[2] == text(session, MORE)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a kernel shows that was asked nothing."""
    with KernelSession(notebook(""), cwd=tmp_path_factory.mktemp("nb")) as session:
        run(session, START)
        run(session, CONNECTED)
        return [text(session, source) for source in (STATE, STATE, MORE)]


@pytest.mark.corpus
def test_a_child_that_ended_leaves_no_zombie(started: KernelSession) -> None:
    for source in ("x", "os._exit(1)", "while True: pass"):
        ask(started, source, limit_s=0.5)
    waiting = (
        "try:\n    print(os.waitpid(-1, os.WNOHANG))\nexcept ChildProcessError:\n    print('none')"
    )
    assert run(started, waiting).outputs[0].text == "none\n"


def test_a_fork_warns_nobody(session: KernelSession) -> None:
    run(session, START + "\nwarnings.simplefilter('error')")
    assert ask(session, "x").cause == ""
    assert text(session, "warnings.filters[0][0]") == "'error'"


# -- what it reads ---------------------------------------------------------------------------------


def test_files_are_read_but_not_moved_on(started: KernelSession, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("1\n2\n3\n")
    run(
        started,
        f"file = open({str(tmp_path / 'lines')!r}, buffering=1)\nfirst = os.read(file.fileno(), 2)",
    )
    read = "os.read(file.fileno(), 2)"
    assert ask(started, read).results[0].outputs[0].text == "b'2\\n'"
    assert text(started, read) == "b'2\\n'"


def test_an_open_file_is_not_written_to(started: KernelSession, tmp_path: Path) -> None:
    log = tmp_path / "log"
    run(started, f"log = open({str(log)!r}, 'w')\nlog.write('a')\nlog.flush()")
    told = ask(started, "log.write('b')\nlog.flush()")
    assert told.results == ()
    assert told.cause.startswith("it needs what is outside of the kernel: OSError")
    assert log.read_text() == "a"


def test_a_connection_is_not_used(started: KernelSession) -> None:
    run(started, "import socket\nhere, there = socket.socketpair()\nthere.setblocking(False)")
    told = ask(started, "here.send(b'hello')")
    assert told.cause.startswith("it needs what is outside of the kernel")
    got = "try:\n    print(there.recv(9))\nexcept BlockingIOError:\n    print('nothing')"
    assert run(started, got).outputs[0].text == "nothing\n"


# -- where it may not be forked --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "cause"),
    [
        (
            "stop = threading.Event()\nthreading.Thread(target=stop.wait, name='w').start()",
            "the thread 'w' of the notebook is at work",
        ),
        (
            "import mmap\nm = mmap.mmap(-1, 9)",
            "the kernel holds memory that it shares with other processes",
        ),
        (
            "import multiprocessing\nlock = multiprocessing.Lock()",
            "the kernel holds a lock that it shares with other processes",
        ),
        ("import multiprocessing\nv = multiprocessing.Value('i')", "shares"),
        ("sys.modules['tensorflow'] = sys", "a kernel that has loaded tensorflow cannot be forked"),
        (
            "import mmap\nf = open('shared', 'w+b')\nf.truncate(9)\nm = mmap.mmap(f.fileno(), 9)",
            "/shared",
        ),
        (
            OWN_OS + "def fork(): raise OSError('no memory')\nisland.os.fork = fork",
            "could not be forked: no memory",
        ),
        (OWN_OS + "del island.os.fork", "this system cannot fork a kernel"),
    ],
)
def test_where_a_kernel_may_not_be_forked(session: KernelSession, before: str, cause: str) -> None:
    if "mmap" in before and not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells what memory is shared")
    assert run(session, START + "\n" + before).status == "ok"
    told = ask(session, "x")
    assert told.results == ()
    assert cause in told.cause
    if "thread" in before:
        run(session, "stop.set()")
        assert ask(session, "x").cause == ""


@pytest.mark.corpus
def test_a_kernel_that_dies_over_it(session: KernelSession) -> None:
    run(
        session,
        START + "\n" + OWN_OS + "def fork(): os.kill(os.getpid(), 9)\nisland.os.fork = fork",
    )
    assert "killed by SIGKILL" in ask(session, "x").cause
    assert not session.alive


# -- libraries -------------------------------------------------------------------------------------


def test_refreshers_and_a_frame(started: KernelSession) -> None:
    run(started, "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3, 4], 'b': list('wxyz')})")
    told = ask(started, "df = df[df.a > 2]", "m = df.a.mean()\ns = df.a\nv = s.to_numpy()\nm")
    assert told.cause == ""
    assert told.shown["df"] == {"shape": "(2, 2)", "columns": "a, b", "mean of 'a'": "3.5"}
    assert told.shown["m"] == {"value": "3.5"}
    assert told.shown["s"] == {"length": "2", "mean": "3.5"}
    assert told.shown["v"] == {"shape": "(2,)", "mean": "3.5"}
    assert told.results[-1].outputs[-1].text == "np.float64(3.5)"


@pytest.mark.corpus
def test_learning_with_pools_of_threads(started: KernelSession) -> None:
    fit = (
        "model = KMeans(2, n_init=1, random_state=0).fit(X)\n"
        "trees = H(max_iter=2).fit(X, y)\nforest = R(4, n_jobs=2, random_state=0).fit(X, y)\n"
        "round(model.inertia_, 6), trees.score(X, y), forest.score(X, y)"
    )
    run(
        started,
        "from sklearn.cluster import KMeans\nfrom sklearn.datasets import load_iris\n"
        "from sklearn.ensemble import HistGradientBoostingClassifier as H, "
        "RandomForestClassifier as R\nX, y = load_iris(return_X_y=True)",
    )
    real = text(started, fit)
    told = ask(started, fit)
    assert told.cause == ""
    assert real == told.results[0].outputs[-1].text


@pytest.mark.corpus
def test_learning_with_as_many_threads_as_the_cell_says(started: KernelSession) -> None:
    """A library that tells OpenMP itself how many threads to use, as LightGBM does."""
    pytest.importorskip("sklearn")
    run(
        started,
        "import sklearn, ctypes\nfrom pathlib import Path\n"
        "from sklearn.ensemble import HistGradientBoostingClassifier\n"
        "lines = Path('/proc/self/maps').read_text().split()\n"
        "omp = ctypes.CDLL(next((w for w in lines if 'libgomp' in w), None))\n"
        "from sklearn.datasets import load_iris\nX, y = load_iris(return_X_y=True)",
    )
    fit = (
        "omp.omp_set_num_threads(2)\n"
        "HistGradientBoostingClassifier(max_iter=2).fit(X, y).score(X, y)"
    )
    assert "libgomp" in text(started, "omp._name"), "it is what scikit-learn uses"
    real = text(started, fit)
    told = ask(started, fit)
    assert told.cause == ""
    assert told.results[0].outputs[-1].text == real


def test_a_kernel_that_has_shown_much_can_be_forked(started: KernelSession) -> None:
    run(started, "print('x' * 1_000_000)")
    assert ask(started, "print('y' * 1_000_000)").cause == ""
    assert ask(started, "x + 1").cause == ""
