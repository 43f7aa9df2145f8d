"""What the modules of the project hold, and whether it changed."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot
from pytest_nbsafe.kernel.inputs.module_states import ModuleStates

TEXT = """
import functools, sys
limit = {}
def plain(x, by=2, out=sys.stdout): return x * by
def lists(x, seen=[]): seen.append(x)
def counts(): counts.n += 1
counts.n = 0
def made():
    held = 0
    def inner():
        nonlocal held
        held += 1
    return inner
inner = made()
def wraps(function):
    @functools.wraps(function)
    def wrapper(*args): return function(*args)
    return wrapper
@wraps
def wrapped(x, seen=[]): seen.append(x)
@functools.lru_cache
def cached(x): return [x]
class K:
    @functools.cache
    def method_cached(self): return [1]
    def method(self, seen=[]): seen.append(1)
    @staticmethod
    def static(seen=[]): seen.append(1)
    @property
    def shown(self, seen=[]): seen.append(1)
    def rest(self): return 1
"""


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("plain(1)", []),
        ("K().rest()", []),
        ("limit.update(a=1)", ["beside"]),
        ("lists(1)", ["beside"]),
        ("counts()", ["beside"]),
        ("inner()", ["beside"]),
        ("wrapped(1)", ["beside"]),
        ("cached(1)", ["beside"]),
        ("K().method_cached()", ["beside"]),
        ("K().method()", ["beside"]),
        ("K.static()", ["beside"]),
        ("K().shown", ["beside"]),
    ],
)
def test_what_functions_keep(
    call: str, changed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("beside")
    module.__file__ = str(tmp_path / "beside.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "beside", module)
    held: dict[str, Any] = vars(module)
    exec(compile(TEXT, module.__file__, "exec"), held)
    states = ModuleStates(Snapshot(Texts(), {"__name__": "__main__"}))
    assert states.changed(["beside"]) == []
    eval(call, held)
    assert states.changed(["beside"]) == changed
    assert states.changed(["beside"]) == []


def test_what_cells_have_put_into_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("elsewhere")
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    held = {"rows": [1], "own": lambda: 1, "waits": (x for x in "ab"), "stdout": object()}
    vars(module).update(held)
    states = ModuleStates(Snapshot(Texts(), {"__name__": "__main__"}))
    places = [f"elsewhere:{name}" for name in ("rows", "own", "stdout", "gone")]
    assert states.put_changed(places) == []
    held["rows"].append(2)  # type: ignore[attr-defined]  # a list
    assert states.put_changed([]) == ["elsewhere:rows"]
    assert states.put_changed([]) == []
    next(held["waits"])  # type: ignore[call-overload]  # a generator
    assert states.put_changed(["elsewhere:waits"]) == ["elsewhere:waits"]  # nobody can tell
