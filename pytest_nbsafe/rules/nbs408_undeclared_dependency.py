"""A package is imported that the project does not declare.

Why it matters: who sets the project up from what it declares cannot run the notebook, and
which version its results were made with is written nowhere.

Limits: told only where a project declares something: in pyproject.toml, setup.cfg, setup.py,
a requirements file, environment.yml or a Pipfile, in a folder from the notebook up to the root
of its repository. Left alone are Python's own modules, those of the project, those that may be
missing (`try: import ...`), what the notebook installs itself, what the kernel or a hosted
platform brings, and what a declared package always brings along (numpy with pandas). Where
modules may come from other folders (`sys.path`), only well-known packages are told; where a
declaration cannot be read, or is computed, none are.

Source: Pimentel et al. 2019 (declare what a notebook depends on).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.rules.base import Claim, Facts, claim

if TYPE_CHECKING:
    from pytest_nbsafe.project import Project

_ELSEWHERE = re.compile(
    r"\bsys\.path\b|\bchdir\b|^[ \t]*%?cd\s|^[ \t]*!git\s+clone\b", re.MULTILINE
)

BAD = """\
# %% [1]
import json
import lifelines #! NBS408
# the project declares: pandas
"""
GOOD = """\
# %% [1]
import json
import lifelines
# the project declares: pandas, lifelines
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each import of what is not declared; those of a package end as one."""
    project = facts.project
    if project is None or project.declared is None or project.unknown:
        return
    if facts.notebook.python_major < 3:
        return
    wanted = [
        (cell, imported, imported.module.partition(".")[0])
        for cell in facts.graph.cells
        for imported in syntax.imports(facts.graph, cell)
        if not (imported.guarded or imported.level)
    ]
    tops = {top for _, _, top in wanted} - project.local
    missing = set(_missing(facts, tops, project.declared))
    for cell, imported, top in wanted:
        if top in missing:
            yield _claim(facts, project, cell, imported.span, top)


def _missing(facts: Facts, tops: set[str], declared: frozenset[str]) -> Iterator[str]:
    """Yield those of the top-level modules that nothing declares or installs."""
    from pytest_nbsafe.analysis import installs
    from pytest_nbsafe.project import distributions, normalised

    foreign = [top for top in sorted(tops) if not distributions.needs_none(top)]
    if not foreign:
        return
    there = declared | set(map(normalised, installs.names(installs.of(facts.graph))))
    elsewhere = any(_ELSEWHERE.search(cell.source) for cell in facts.notebook.code_cells)
    for top in foreign:
        known = not elsewhere or distributions.is_well_known(top)
        if known and not distributions.is_declared(top, there):
            yield top


def _claim(facts: Facts, project: Project, cell: int, span: Span, top: str) -> Claim:
    from pytest_nbsafe.project import distributions

    name = distributions.distribution(top)
    file = project.files[0].name
    if distributions.is_well_known(top):
        what = "it" if name == top else f"`{name}`"
        message = f"`{top}` is imported, but the project does not declare {what}"
        remedy = f"add `{name}` to {file}"
    else:
        message = f"`{top}` is imported, but the project neither holds nor declares it"
        remedy = f"add what brings `{top}` to {file}, or the module to the project"
    return claim(
        facts, "NBS408", cell, span, "proved", message, remedy=remedy, fault=("NBS408", name)
    )
