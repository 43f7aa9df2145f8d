"""What a function keeps, however it was given: whoever follows functions follows it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from pytest_nbsafe.kernel.functions.reach import kept_by, names_in, reachable
from pytest_nbsafe.kernel.inputs.kept_results import KeptResults
from pytest_nbsafe.kernel.inputs.project_reach import ProjectModule, taking_part

KEPT = {
    "closure": "def outer(kept):\n    def f(): return kept()\n    return f\nf = outer(KEPT)",
    "default": "def f(kept=KEPT):\n    return kept()",
    "keyword": "def f(*, kept=KEPT):\n    return kept()",
    "attribute": "def f():\n    return f.kept()\nf.kept = KEPT",
}
MODEL = "class Model:\n    def __call__(self):\n        return 1\n"


def home_of(text: str, **given: Any) -> dict[str, Any]:
    home: dict[str, Any] = {"__name__": "__main__", **given}
    exec(text, home)
    return home


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    module = ModuleType("proj")
    exec(MODEL, vars(module))
    monkeypatch.setitem(sys.modules, "proj", module)
    yield module


@pytest.mark.parametrize("way", KEPT)
def test_what_a_function_keeps(way: str) -> None:
    kept = object()
    assert kept in kept_by(home_of(KEPT[way], KEPT=kept)["f"])


@pytest.mark.parametrize("way", KEPT)
def test_modules_of_what_a_function_keeps(way: str, project: ModuleType) -> None:
    module = ProjectModule("proj", "proj.py", "", compile(MODEL, "proj.py", "exec"))
    home = home_of(KEPT[way].replace("KEPT", "[KEPT]"), KEPT=project.Model())
    del home["KEPT"]
    assert taking_part({"proj": module}, {"f"}, home, ())[0] == [module]


@pytest.mark.parametrize("way", KEPT)
def test_functions_that_a_function_keeps(way: str) -> None:
    home = home_of("log = []\ndef late():\n    log.append(1)")
    late = home["late"]
    exec(KEPT[way].replace("KEPT", "late"), home)
    del home["late"]
    assert late in reachable("f()", home)
    assert "log" in names_in(home["f"], home, lambda function: function is not late)


@pytest.mark.parametrize("way", KEPT)
def test_kept_results_of_what_a_function_keeps(way: str) -> None:
    cached = functools.lru_cache(int)
    home = home_of(KEPT[way], KEPT=cached)
    del home["KEPT"]
    results = KeptResults(home)
    results.start()
    home["f"]()
    assert results.changed() == ["f"]
