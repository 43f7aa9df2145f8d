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


def of_user() -> VariableUses:
    """Return what follows variables that cells ask for."""
    callers: Any = SimpleNamespace(
        is_kernels=lambda: False, is_users=lambda _: True, beyond_python=lambda: None
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
