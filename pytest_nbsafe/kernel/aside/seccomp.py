"""The system refuses a sealed child what would reach another process: one filter of its calls.

Landlock guards files; signals, sockets, priorities, memory of others and new processes are left,
for whoever asks the C library by itself. Each of those calls fails with EPERM from here on, as it
does for any process that may not do it.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

_NUMBERS: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (0xC000003E, {
        "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
        "fork": 57, "vfork": 58, "clone": 56, "execve": 59, "execveat": 322, "ptrace": 101,
        "connect": 42, "bind": 49, "sendto": 44, "sendmsg": 46, "sendmmsg": 307,
        "setpriority": 141, "sched_setaffinity": 203, "sched_setscheduler": 144,
        "sched_setparam": 142, "sched_setattr": 314, "ioprio_set": 251, "migrate_pages": 256,
        "move_pages": 279, "process_vm_readv": 310, "process_vm_writev": 311, "prlimit64": 302,
        "chmod": 90, "fchmod": 91, "fchmodat": 268, "chown": 92, "fchown": 93, "lchown": 94,
        "fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197,
        "lremovexattr": 198, "fremovexattr": 199, "mq_open": 240, "shmget": 29, "semget": 64,
        "msgget": 68, "semop": 65, "semtimedop": 220, "semctl": 66, "msgsnd": 69, "msgctl": 71,
        "shmctl": 31, "mount": 165, "umount2": 166, "sethostname": 170, "keyctl": 250,
    }),
    "aarch64": (0xC00000B7, {
        "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240,
        "clone": 220, "execve": 221, "execveat": 281, "ptrace": 117, "connect": 203,
        "bind": 200, "sendto": 206, "sendmsg": 211, "sendmmsg": 269, "setpriority": 140,
        "sched_setaffinity": 122, "sched_setscheduler": 119, "sched_setparam": 118,
        "sched_setattr": 274, "ioprio_set": 30, "migrate_pages": 238, "move_pages": 239,
        "process_vm_readv": 270, "process_vm_writev": 271, "prlimit64": 261, "fchmod": 52,
        "fchmodat": 53, "fchown": 55, "fchownat": 54, "utimensat": 88, "setxattr": 5,
        "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        "mq_open": 180, "shmget": 194, "semget": 190, "msgget": 186, "semop": 193,
        "semtimedop": 192, "semctl": 191, "msgsnd": 189, "msgctl": 187, "shmctl": 195, "mount": 40,
        "umount2": 39, "sethostname": 161, "keyctl": 219,
    }),
}  # fmt: skip
"""What a machine is called in the filter, and the numbers of the calls there."""
_NEWER = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "pidfd_open": 434, "pidfd_getfd": 438,
    "process_madvise": 440, "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466,
}  # fmt: skip
"""Calls that have one number on all machines."""
_CLONE3 = 435
_TO_ITSELF = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
"""Calls whose first argument is a process: the child may signal itself, as `abort` does."""
_TO_ZERO = ("prlimit64", "sched_setaffinity")
"""Calls whose first argument is a process, 0 for the one that asks."""
_CLONE_THREAD = 0x10000

# The filter is a program of the system's: it loads words of the call and jumps.
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_AT, _FIFTH_AT = 0, 4, 16, 48
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026

if TYPE_CHECKING:  # Python 3.8 cannot evaluate it
    _Step = tuple[int, int, int, int]


def install() -> bool:
    """Refuse this process, from now on, what reaches others; tell whether the system does so."""
    program = _program(os.uname().machine, os.getpid()) if sys.platform == "linux" else []
    if not program:
        return False
    import ctypes

    steps = b"".join(struct.pack("=HBBI", *step) for step in program)
    held = ctypes.create_string_buffer(steps, len(steps))
    pointer = struct.pack("@HP", len(program), ctypes.addressof(held))
    prctl: Callable[..., Any] = ctypes.CDLL(None, use_errno=True).prctl
    # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with a filter.
    return bool(prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, pointer, 0, 0) == 0)


def _program(machine: str, own: int) -> list[_Step]:
    """Return the filter, empty for a machine that is not known."""
    if machine not in _NUMBERS:
        return []
    audited, numbers = _NUMBERS[machine]
    program: list[_Step] = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 1, 0, audited),
        (_RETURN, 0, 0, _EPERM),  # of another machine: its numbers mean other calls
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for name, number in {**numbers, **_NEWER}.items():
        if name in _TO_ITSELF:
            program += _if_number(number, _unless_first([own]))
        elif name in _TO_ZERO:
            program += _if_number(number, _unless_first([0, own]))
        elif name == "sendto":  # `send` too, which wakes event loops through pairs of sockets
            program += _if_number(number, [
                (_LOAD, 0, 0, _FIFTH_AT), (_EQUAL, 0, 3, 0), (_LOAD, 0, 0, _FIFTH_AT + 4),
                (_EQUAL, 0, 1, 0), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM),
            ])  # fmt: skip
        elif name == "clone":
            program += _if_number(number, [
                (_LOAD, 0, 0, _FIRST_AT), (_ANY_BIT, 0, 1, _CLONE_THREAD),
                (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM),
            ])  # fmt: skip
        else:
            program += _if_number(number, [(_RETURN, 0, 0, _EPERM)])
    # Its flags lie in memory, which a filter cannot read; the C library then asks for `clone`.
    program += _if_number(_CLONE3, [(_RETURN, 0, 0, _ENOSYS)])
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _if_number(number: int, then: list[_Step]) -> list[_Step]:
    return [(_EQUAL, 0, len(then), number), *then]


def _unless_first(allowed: Iterable[int]) -> list[_Step]:
    """Return steps that allow the call where its first argument is one of these."""
    steps: list[_Step] = [(_LOAD, 0, 0, _FIRST_AT)]
    for value in allowed:
        steps += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*steps, (_RETURN, 0, 0, _EPERM)]
