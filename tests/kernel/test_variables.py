"""Under which names variables of the environment are told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_nbsafe.kernel.contract import ALL_VARIABLES
from pytest_nbsafe.kernel.hashes_contract import hash_of_text
from pytest_nbsafe.kernel.inputs import variables
from pytest_nbsafe.kernel.inputs.variables import VariableUses
from pytest_nbsafe.resume import world


def of_user(*, is_users: bool = True) -> VariableUses:
    """Return what follows variables that cells ask for, or else a library."""
    callers: Any = SimpleNamespace(
        is_kernels=lambda: False, is_users=lambda _: is_users, beyond_python=lambda: None
    )
    uses = VariableUses(callers)
    uses.start()
    return uses


def test_windows_keeps_names_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "_IS_WINDOWS", True)
    uses = of_user()
    uses._held = {"MODE": "fast"}
    for name in ("Mode", "Gone", "tmpdir"):
        uses._touched("__getitem__", None, name)
    assert uses.read == {"MODE": hash_of_text("fast"), "GONE": ""}
    for name, digest in uses.read.items():
        assert world.variable_hash(name, {"MODE": "fast"}) == digest
    uses._touched("__setitem__", None, "Other", "1")
    uses._touched("__getitem__", None, "OTHER")
    assert [*uses.set] == ["OTHER"]
    assert "OTHER" not in uses.read


def test_other_systems_tell_names_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "_IS_WINDOWS", False)
    uses = of_user()
    uses._held = {b"Mode": b"fast"}
    for name in ("Mode", "MODE"):
        uses._touched("__getitem__", None, name)
    assert uses.read == {"Mode": hash_of_text("fast"), "MODE": ""}


def test_nothing_is_hashed_where_all_are_asked_for() -> None:
    uses = of_user()
    uses._touched("__iter__", None)
    assert uses.read == {ALL_VARIABLES: ""}


def test_a_library_that_looks_through_all_finds_those_that_are_meant_for_it() -> None:
    uses = of_user(is_users=False)
    uses._held = {b"MODE": b"fast", b"JPY_PARENT_PID": b"12", b"OWN": b"1"}
    uses._own = {"OWN"}
    uses._touched("__iter__", None)

    def said(**environ: str) -> str:
        used: Any = {**_NOTHING_USED, "variables": uses.read}
        return world.changed(used, environ)

    assert said(MODE="fast") == said(MODE="fast", JPY_PARENT_PID="13") == ""
    assert said(MODE="slow") == said(MODE="fast", MORE="1") == "the environment changed"
    uses._callers = of_user()._callers
    uses._touched("__iter__", None)
    assert said(MODE="fast") == "it asks for all variables of the environment"


_NOTHING_USED: Any = {"files": [], "modules": {}, "places": {}, "folders": {}}
