"""Which distribution brings a module: by its name, or by a table where that differs."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from pytest_nbsafe import toml
from pytest_nbsafe.project import normalised


def distribution(module: str) -> str:
    """Return the distribution that is to be declared for a top-level module."""
    return _words("modules", module)[0] if module in _table()["modules"] else normalised(module)


def candidates() -> dict[str, list[str]]:
    """Return the distributions that may bring a module, for modules that are not called so."""
    return {module: _words("modules", module) for module in _table()["modules"]}


def is_well_known(module: str) -> bool:
    """Return whether the module is surely one of a published distribution."""
    return module in _table()["modules"] or module in _words("names", "known")


def needs_none(module: str) -> bool:
    """Return whether a module is there without being declared."""
    is_python = module in sys.stdlib_module_names or module in _words("names", "python")
    return is_python or module.startswith("_") or module in _words("names", "there")


def was_pythons_own(module: str) -> bool:
    """Return whether a module is of Python's library, but not in each of its versions."""
    return module in _words("names", "python")


def is_declared(module: str, declared: Collection[str]) -> bool:
    """Return whether one of the declared distributions brings a top-level module.

    A distribution counts that is called like the module with something before or after:
    `python-magic`, `pyserial`, `psycopg2-binary`.
    """
    if not declared or not set(declared).isdisjoint(_words("names", "everything")):
        return True
    if any(normalised(name) in declared for name in _bringing(module)):
        return True
    plain = normalised(module)
    if module in _words("names", "shared") or len(plain) > 2:
        return any(
            name.startswith(f"{plain}-") or name in {f"py{plain}", f"python-{plain}"}
            for name in declared
        )
    return False


def _bringing(module: str) -> Iterable[str]:
    """Yield the distributions that bring a module by themselves, or bring one that does."""
    direct = {normalised(module), *_words("modules", module)}
    yield from direct
    for name in _table()["brings"]:
        if not direct.isdisjoint(_words("brings", name)):
            yield name


def _words(section: str, key: str) -> list[str]:
    return str(_table()[section].get(key, "")).split()


@cache
def _table() -> dict[str, Any]:
    return toml.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
