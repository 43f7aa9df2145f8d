"""A package is installed without saying which version.

Why it matters: the command installs whatever is newest on the day it runs. The same notebook
gives other results, or none, a year later, and nothing on the page says what it was made with.

Limits: `==`, an address of a file, a tag or a commit pin, and so does an upper bound (`<2`,
`~=1.4`), which is a choice; a lower bound does not. Left alone are files of requirements,
constraints, local paths, pip and its kin (`pip install --upgrade pip`), names that are
computed, and other package managers (apt, npm). One finding a command, at its first package.

Source: Pimentel et al. 2019 (pin the versions of all packages).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import few

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.installs import Install, Package

_MOST = 10
_TOOLS = frozenset({"pip", "setuptools", "wheel", "uv", "conda", "mamba"})

BAD = """\
# %% [1]
%pip install lifelines #! NBS407
"""
GOOD = """\
# %% [1]
%pip install lifelines==0.27.8
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a warning for each command that installs a package without a version."""
    if not any("install" in cell.source for cell in facts.notebook.code_cells):
        return
    from pytest_nbsafe.analysis import installs

    for command in installs.of(facts.graph):
        if packages := loose(command):
            yield _claim(facts, command, packages)


def loose(command: Install) -> list[Package]:
    """Return the packages of a command that have no version and ought to."""
    return [p for p in command.packages if not p.pinned and p.name not in _TOOLS]


def _claim(facts: Facts, command: Install, packages: list[Package]) -> Claim:
    cell = facts.notebook.cell(command.cell)
    names = list(dict.fromkeys(package.name for package in packages))
    verb = "is" if len(names) == 1 else "are"
    return claim(
        facts,
        "NBS407",
        command.cell,
        packages[0].span,
        "proved",
        f"{few(names)} {verb} installed without a fixed version",
        remedy=_remedy(cell, command.tool, names),
    )


def _remedy(cell: Cell, tool: str, names: list[str]) -> str:
    """Return what to write: the versions that the saved output shows, where it does."""
    equals = "==" if tool == "pip" else "="
    asked = names[:_MOST] if any(output.kind == "stream" for output in cell.outputs) else []
    shown = {name: version for name in asked if (version := installed(cell, name))}
    if shown:
        pins = " ".join(f"{name}{equals}{version}" for name, version in shown.items())
        return f"write the version that the saved output shows: `{pins}`"
    return f"write the version that it was made with: `{names[0]}{equals}...`"


_IN_BRACKETS = patterns.compile(r"\((\d[\w.+!]*)\)")


def installed(cell: Cell, name: str) -> str:
    """Return the version that pip told when the cell ran, "" if none."""
    written = re.sub(r"[-_.]+", "[-_.]", re.escape(name).replace(r"\-", "-").replace(r"\.", "."))
    end = re.compile(rf"\s{written}-(\d[\w.+!]*)", re.IGNORECASE)
    there = re.compile(rf"\s*Requirement already satisfied: {written}\b", re.IGNORECASE)
    for output in cell.outputs:
        for line in output.text.split("\n") if output.kind == "stream" else ():
            version = end.search(line) if "Successfully installed" in line else None
            if there.match(line):
                version = _IN_BRACKETS.search(line)
            if version:
                return version[1]
    return ""
