from __future__ import annotations

import subprocess
import sys

from pytest_nbsafe.kernel.identity import identity


class Loud(type):
    def __hash__(cls) -> int:
        raise AssertionError("it was asked")

    def __eq__(cls, other: object) -> bool:
        raise AssertionError("it was asked")

    def __instancecheck__(cls, instance: object) -> bool:
        raise AssertionError("it was asked")


class Unhashable(metaclass=Loud):
    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __eq__(self, other: object) -> bool:
        raise AssertionError("it was asked")


def test_no_two_objects_have_one_number() -> None:
    objects = [
        *([number] for number in range(10_000)),
        *(Unhashable() for _ in range(1_000)),
        *(Unhashable, Loud, int, None, True, -1, "", (), {}, sys, len, object()),
    ]
    numbers = [*map(identity, objects)]
    assert len({*numbers}) == len(objects)
    assert [*map(identity, reversed(objects))] == numbers[::-1]


def test_nobody_is_told() -> None:
    code = """
import sys
from pytest_nbsafe.kernel.identity import identity
heard = []
sys.addaudithook(lambda event, args: heard.append(event))
before = len(heard)
[*map(identity, [[], {}, identity])]
after = len(heard)
id([])
print(after - before, heard[after:])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0 ['builtins.id']\n"
