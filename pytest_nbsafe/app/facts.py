"""The static facts of a notebook: what is known of it before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.absint.leakage import leak
from pytest_nbsafe.analysis.budget import LEAKS, CutShort
from pytest_nbsafe.analysis.build import unlinked
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import own_modules, parameters
from pytest_nbsafe.app.inputs import configuration, reads_project
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.judge import evidence
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.leak import Leak
    from pytest_nbsafe.module_files import ModuleFiles
    from pytest_nbsafe.project import Project


def python_graph(
    path: Path, settings: Mapping[str, Any], *, as_run: bool = False
) -> tuple[Graph, Config]:
    """Return the cells of the notebook in a file, linked, and its settings.

    With `as_run` its parameters are set.

    Raises:
        NbsafeError: it cannot be read, or is not Python; or a setting is not understood, or gives
            parameters that no cell takes.

    """
    if not os.path.lexists(path):  # one that cannot be asked for is told like one that is gone
        raise NbsafeError("no-such-path", f"there is no file {path}")
    config = configuration(path, settings)
    try:
        notebook = load.read(path, config.libraries, config.most_mb)
    except load.Unreadable as error:
        raise NbsafeError(
            "unreadable", f"{path}, line {error.line}: {error.message}", error.hint
        ) from error
    if notebook.language != "python":
        raise NbsafeError("not-python", f"{path}: its language is {notebook.language}, not Python")
    notebook = parameters.given(notebook, config) if as_run else notebook
    graph, _ = own_modules.linked_graph(notebook)
    if not graph.budget.suffices:
        raise NbsafeError("too-much", f"{path}: {CutShort()}")
    return graph, config


def static_facts(notebook: Notebook, config: Config) -> tuple[Facts, Plan]:
    """Return what is known of a notebook before anything runs, and its top-down plan."""
    if notebook.language != "python":
        return facts_of(unlinked(notebook), None, replace(config, order="top-down"))
    return facts_of(*own_modules.linked_graph(notebook), config)


def facts_of(graph: Graph, module_files: ModuleFiles | None, config: Config) -> tuple[Facts, Plan]:
    """Return the same of a notebook whose cells are linked already."""
    notebook = graph.notebook
    plan = clean = orders.plan(graph, "top-down")
    suspicions = Suspicions()  # of the page's own order nothing is suspected
    with graph.budget.share("the order in which the cells ran"):
        plan = orders.plan(graph, config.order)
    if not graph.budget.suffices:  # nothing may be said of an order that is not known
        graph = replace(unlinked(notebook), budget=graph.budget)
    with graph.budget.share("which results are old"):
        suspicions = evidence.by_text(graph, plan, clean)
    return Facts(
        notebook,
        config,
        graph,
        plan,
        suspicions,
        project=_project(notebook, config),
        leaks=_leaks(graph, config, plan, clean),
        module_files=module_files,
    ), clean


def _leaks(
    graph: Graph, config: Config, plan: Plan, clean: Plan
) -> Callable[[], tuple[tuple[Leak, str], ...]]:
    """Return what finds the leaks when a rule asks, and finds them once."""
    if config.leak_roles:
        from pytest_nbsafe.libraries import leakroles

        # A table with a fault is told, whatever the notebook holds.
        leakroles.load(config.leak_roles)
    whole = graph.linked.graph if graph.linked is not None else graph
    sources = (cell.source for cell in whole.notebook.code_cells)
    if not leak.names_learning(sources, config.leak_roles):
        return tuple
    if not graph.budget.suffices:
        graph.budget.cut[LEAKS] = None
        return tuple

    @cache
    def claims() -> tuple[tuple[Leak, str], ...]:
        from pytest_nbsafe.absint.leakage import linked_leaks
        from pytest_nbsafe.rules import leak_claims

        notes = config.notes or bool(config.named or config.contracts)
        analyse = partial(linked_leaks.of, graph, extra=config.leak_roles)
        return leak_claims.in_orders(analyse, plan, clean, notes=notes)

    return claims


def leaks_after(facts: Facts, trial: Trial) -> tuple[tuple[Leak, str], ...]:
    """Return the leaks of the text and what the run saw, as the user wants them."""
    config = facts.config
    in_text = () if config.leakage_mode == "runtime" else facts.leaks()
    if config.leakage_mode == "static":
        return in_text
    from pytest_nbsafe.judge import observed_leaks

    return observed_leaks.merged(in_text, trial, facts.notebook, config.leak_roles)


def watched(config: Config) -> Mapping[str, Any] | None:
    """Return what the kernel is to watch of the libraries that learn, None for nothing."""
    if config.leakage_mode == "static":
        return None
    from pytest_nbsafe.judge import observed_leaks

    return observed_leaks.watched(config.leak_roles)


def _project(notebook: Notebook, config: Config) -> Project | None:
    """Return the project of a notebook that lies in a file, where a rule may ask for it."""
    path = Path(notebook.path)
    if (config.static and not reads_project(config)) or not path.is_file():
        return None
    from pytest_nbsafe import project

    return project.of(path)
