"""Seals a forked child off: no files, no network, no processes, no end that nobody waits for.

Python tells of what it is about to do (audit events), which ends the child before it happens. What
compiled code does by itself is kept off by the system: Landlock and seccomp on Linux, a file size
limit of 0 elsewhere, and no open file or connection of the kernel is left in the child.
"""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..adapters import answers
from ..contract import SLOWER
from . import seccomp

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_WORDS = {
    "os.remove": "remove", "os.rename": "rename", "os.rmdir": "remove", "os.mkdir": "make",
    "os.link": "link", "os.symlink": "link", "os.truncate": "write", "os.chmod": "change",
    "os.chown": "change", "os.utime": "change", "os.setxattr": "change",
    "os.removexattr": "change", "tempfile.mkstemp": "write",
    "tempfile.mkdtemp": "make", "shutil.copyfile": "write", "shutil.copytree": "write",
    "shutil.move": "move", "shutil.rmtree": "remove", "shutil.make_archive": "write",
    "shutil.unpack_archive": "write", "subprocess.Popen": "start", "os.system": "start",
    "os.startfile": "start", "webbrowser.open": "open", "socket.getaddrinfo": "reach",
    "socket.gethostbyname": "reach", "urllib.Request": "reach", "sqlite3.connect": "open",
}  # fmt: skip
"""Events whose first argument names what is touched, and the verb for it."""
_STARTS = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn")
_REACHES = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
_CAUSES = {
    **dict.fromkeys(_STARTS, "it would start a process"),
    **dict.fromkeys(_REACHES, "it would use the network"),
    **dict.fromkeys(("os.kill", "os.killpg"), "it would send a signal to a process"),
}
_DENIED = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EFBIG, errno.EBADF, errno.ENOTSOCK}
)
_DENIED_TEXT = re.compile(
    r"Permission denied|Bad file descriptor|File too large|Read-only file system|event loop"
    r"|attached to a different loop"
)
_SAVES = re.compile(
    r"\b(?:to_(?:parquet|hdf|feather|orc|sql|stata)|save\w*|write\w*|dump|imwrite|export\w*)\s*\("
)
_POOLS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT",
)  # fmt: skip


_HARD = 2  # omp_pause_hard
_FAULT = 70
"""How the process ends that we have failed to guard."""


class CannotSeal(Exception):  # noqa: N818  # it completes "raise CannotSeal"
    """The child cannot be kept from writing; the message says what it may write."""


def close_off(ways: tuple[int, int], limit_s: float, cells: list[str], folder: str = "") -> None:
    """Leave the child nothing that reaches outside, but its two ways out, and files of a folder.

    Raises:
        CannotSeal: the system has no Landlock, and the cells name something that writes.

    """
    part(ways)
    confine(limit_s, cells, folder)


def part(ways: tuple[int, ...]) -> None:
    """Leave the child nothing that it shares with the kernel, but its ways in and out.

    The second is where its streams lead.
    """
    os.setpgid(0, 0)  # what it starts dies with it
    _end_with_the_kernel()
    _detach_files(ways)
    _limit("RLIMIT_CORE")


def confine(limit_s: float, cells: list[str], folder: str = "") -> None:
    """Let the child compute for so long, and reach nothing outside, but files of a folder.

    Raises:
        CannotSeal: the system has no Landlock, and the cells name something that writes.

    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(limit_s * SLOWER) + 2)
    limit_cpu(limit_s)
    keep_from_writing(cells, folder)
    seccomp.install()


def keep_from_writing(cells: list[str], folder: str = "") -> None:
    """Let the system refuse what compiled code would write, but for files of a folder.

    Raises:
        CannotSeal: the system has no Landlock, and the cells name something that writes.

    """
    sys.dont_write_bytecode = True
    if _landlock(folder) or folder:
        return
    saving = next((match[0] for match in map(_SAVES.search, cells) if match), "")
    if saving:
        message = f"`{saving.rstrip('( ')}` may write a file"
        raise CannotSeal(message)
    _limit("RLIMIT_FSIZE")


def pause_pools() -> None:
    """Let OpenMP end its threads, which would not come along: it starts them again when asked.

    A child that is told how many threads to use (LightGBM says so itself) would wait for them.
    """
    for path in _openmp():
        try:
            _library(path).omp_pause_resource_all(_HARD)
        except (OSError, AttributeError):  # it is older than that
            continue


def quiet_pools() -> None:
    """Let compiled libraries work in one thread: their other threads did not come along.

    OpenMP would wait for them for ever; the pools of others (OpenBLAS, Arrow) know of forks.
    """
    os.environ.update(dict.fromkeys(_POOLS, "1"))
    answers("work_in_one_thread")
    for path in _openmp():
        try:
            _library(path).omp_set_num_threads(1)
        except (OSError, AttributeError):
            continue


def _openmp() -> set[str]:
    """Return where the OpenMP libraries that are loaded lie."""
    try:
        with open("/proc/self/maps", "rb") as file:  # noqa: PTH123  # quick
            maps = file.read()
    except OSError:
        return set()
    lines = (line for line in maps.splitlines() if b"omp" in line)
    paths = {line.split()[-1].decode("utf-8", "replace") for line in lines}
    return {path for path in paths if re.match(r"lib[gi]?omp", path.rpartition("/")[2])}


def guard(refuse: Callable[[str], None]) -> None:
    """From here on end the process, by `refuse`, before it does what cannot be undone."""

    def hook(event: str, args: tuple[Any, ...]) -> None:
        try:
            if event == "open" and _is_writing(args):
                refuse(f"it would write {_name(args[0])}")
            elif event in _WORDS and not _is_harmless(event, args[0]):
                refuse(f"it would {_WORDS[event]} {_name(args[0])}")
            elif event in _CAUSES:
                refuse(_CAUSES[event])
        except Exception:  # it must not look like the cell's own
            os._exit(_FAULT)

    sys.addaudithook(hook)


def forbidden(raised: BaseException) -> str:
    """Return what an exception says of the seal, empty when it has nothing to do with it."""
    checked: set[int] = set()
    waiting: list[BaseException | None] = [raised]
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in checked:
            continue
        checked.add(id(error))
        denied = isinstance(error, OSError) and error.errno in _DENIED
        if denied or _DENIED_TEXT.search(str(error)):
            return f"it needs what is outside of the kernel: {type(error).__name__}: {error}"
        waiting += [error.__cause__, error.__context__]
    return ""


def _is_writing(args: tuple[Any, ...]) -> bool:
    path, mode, flags = (*args, None, None, None)[:3]
    if path in {os.devnull, os.fsencode(os.devnull)} or isinstance(path, int):
        return False
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return isinstance(flags, int) and bool(flags & _WRITES)


def _is_harmless(event: str, path: Any) -> bool:
    """Tell whether an event touches nothing: a folder that is there cannot be made."""
    if event == "os.mkdir":
        return Path(os.fsdecode(path)).is_dir()
    return event == "sqlite3.connect" and path == ":memory:"


def _name(path: object) -> str:
    if isinstance(path, (bytes, os.PathLike)):
        path = os.fsdecode(path)
    return repr(path)[:200] if isinstance(path, str) else "something"


# ------------------------------------------------------------------ the process


def _end_with_the_kernel() -> None:
    """See to it that the child does not outlive the kernel."""
    if sys.platform == "linux":
        _library(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        _library(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS; `orphans` knows it by that


def limit_cpu(limit_s: float) -> None:
    """Let the system end this process once it has computed for so many seconds more."""
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    most_s = math.ceil(time.process_time() + limit_s)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard == resource.RLIM_INFINITY or most_s < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (most_s, hard))


def end_after(limit_s: float) -> None:
    """Let the system end this process after so much computing; `limit_cpu` counts whole seconds."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit_s)


def _limit(kind: str) -> None:
    if sys.platform == "win32":  # it has no such limits
        return
    import resource

    resource.setrlimit(getattr(resource, kind), (0, 0))


def _detach_files(ways: tuple[int, ...]) -> None:
    """Give the child files of its own to read, and nothing in the place of all else.

    A file that is read keeps its position in the kernel, so it is opened again.
    """
    nothing = os.open(os.devnull, os.O_RDONLY)  # writing there fails, which is told
    for fd in list(open_files()):
        if fd in {*ways, nothing, 1, 2}:
            continue
        inheritable = os.get_inheritable(fd)
        copy = _copied(fd)
        os.dup2(nothing if copy < 0 else copy, fd, inheritable)
        if copy >= 0:
            os.close(copy)
    for fd in (1, 2):
        os.dup2(ways[1], fd)


def open_files() -> Iterator[int]:
    """Yield the numbers of the open files, but that of the folder they are listed from."""
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    for entry in [path.name for path in Path(folder).iterdir()]:
        try:
            os.fstat(int(entry))
        except OSError:
            continue
        yield int(entry)


def _copied(fd: int) -> int:
    """Return a copy of a file that is only read, with a position of its own; -1 if it is not."""
    import fcntl

    if not stat.S_ISREG(os.fstat(fd).st_mode):
        return -1
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
        return -1
    try:
        at = os.lseek(fd, 0, os.SEEK_CUR)
        copy = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
        os.lseek(copy, at, os.SEEK_SET)
    except OSError:
        return -1
    return copy


def shared_memory() -> str:
    """Return what the kernel shares with other processes, in which a child would leave traces.

    That is writable memory of files and devices, memory that is kept for processes yet to start,
    and locks of `multiprocessing`; but not the locks that libraries keep for themselves.
    """
    try:
        with Path("/proc/self/maps").open(encoding="utf-8", errors="replace") as maps:
            shared = [line for line in maps if line.split(" ", 2)[1].startswith("rw-s")]
    except OSError:
        return ""
    for line in shared:
        path = line.rstrip("\n").partition("/")[2]
        if path.startswith("dev/zero"):
            return "the kernel holds memory that it shares with other processes"
        if path.startswith("dev/shm/sem."):
            if _holds_locks():
                return "the kernel holds a lock that it shares with other processes"
        elif path and not path.startswith("SYSV"):
            return f"the kernel shares memory with /{path}"
    return ""


def _holds_locks() -> bool:
    """Return whether any lock of `multiprocessing` is there but those that libraries keep."""
    synchronize = sys.modules.get("multiprocessing.synchronize")
    if synchronize is None:
        return True  # it was made by other means
    import gc

    own = {id(lock) for locks in answers("own_locks") for lock in locks}
    locks = (value for value in gc.get_objects() if type(value).__module__ == synchronize.__name__)
    return any(isinstance(lock, synchronize.SemLock) and id(lock) not in own for lock in locks)


# ------------------------------------------------------------------ Landlock

_ACCESS = 0b1_1111_1111_0011
"""Run, write, remove and make (bits 0, 1 and 4-12 of `LANDLOCK_ACCESS_FS_*`)."""
_TRUNCATE = 1 << 14  # from the third version of the interface on
_FILES = 0b1_0010_0010
"""Write, remove and make files."""
_SHARED = ((os.devnull, 0b10 | _TRUNCATE), ("/dev/shm", _FILES | _TRUNCATE))  # noqa: S108
"""Nothing is kept in these, but semaphores: write, remove and make there."""
_NET = 0b11  # bind and connect, from the fourth on


def _landlock(folder: str) -> bool:
    """Let the system refuse every change of the file system; tell whether it does."""
    if sys.platform != "linux":
        return False
    import struct

    libc = _library(None)
    version = libc.syscall(444, None, 0, 1)
    if version < 3:
        return False
    rules = struct.pack("=QQ", _ACCESS | _TRUNCATE, _NET if version >= 4 else 0)
    size = len(rules) if version >= 4 else 8
    ruleset = libc.syscall(444, rules, size, 0)
    if ruleset < 0:
        return False
    own = ((folder, _FILES | _TRUNCATE),) if folder else ()
    for path, access in (*_SHARED, *own):
        if Path(path).exists():
            place = os.open(path, os.O_RDONLY)
            libc.syscall(445, ruleset, 1, struct.pack("=Qi", access, place), 0)
            os.close(place)
    sealed = libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall(446, ruleset, 0) == 0
    os.close(ruleset)
    return bool(sealed)


def _library(path: str | None) -> Any:
    """Return a loaded library, the C library itself without a path."""
    import ctypes

    return ctypes.CDLL(path, use_errno=True)
