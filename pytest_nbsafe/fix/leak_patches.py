"""Leaks that an edit mends: what was learned from all rows is learned below the split.

Only plain forms have one, of statements of the notebook's own level: what is moved makes one value
that nothing but the split reads, from names that nothing changes on the way. Whether the edit
mends the leak is for a run to say.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import own_statements
from pytest_nbsafe.fix.leaking_steps import Preparation, preparation, resampling, statistic
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.own_statements import Placed, rewritten
from pytest_nbsafe.fix.remedy import Remedy
from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.values import dataclass

_FORMS = {
    "NBS301": preparation,
    "NBS302": statistic,
    "NBS303": preparation,
    "NBS311": resampling,
}
"""What finds the statements that go below the split, for the leaks that are mended so."""
News = list[tuple[Placed, tuple[str, ...]]]
"""Statements, each with the lines that come in its place."""


@dataclass(frozen=True, slots=True)
class _Split:
    """A statement that splits: what it is given, and the names of the parts, two for each."""

    placed: Placed
    call: ast.Call
    parts: tuple[str, ...]

    def halves(self, given: ast.expr) -> tuple[str, str] | None:
        """Return the names of the training and the test part of what is given to it."""
        alike = [i for i, each in enumerate(self.call.args) if ast.dump(each) == ast.dump(given)]
        if len(alike) != 1:
            return None
        return self.parts[2 * alike[0]], self.parts[2 * alike[0] + 1]


def patch(graph: Graph, finding: Finding) -> Remedy | None:
    """Return the edits that mend a leak, None where it has none of the forms that are known."""
    if finding.code in _FORMS:
        found = _FORMS[finding.code](graph, finding)
        return _below_the_split(graph, finding, found) if found is not None else None
    if finding.code == "NBS304":
        return _fitted_before(graph, finding)
    if finding.code == "NBS305":
        return _in_a_pipeline(graph, finding)
    return None


# -- below the split ------------------------------------------------------------------------------


def _below_the_split(graph: Graph, finding: Finding, found: Preparation) -> Remedy | None:
    split = _split(graph, finding, found)
    if split is None or not _only_split(graph, found, split):
        return None
    halves = [split.halves(ast.Name(result, ast.Load())) for result in found.results]
    labels = split.halves(found.labels) if found.labels is not None else ("", "")
    if not all(halves) or labels is None:
        return None
    train, test = (tuple(half[side] for half in halves if half) for side in (0, 1))
    source = graph.notebook.cell(split.placed.cell).source
    given = dict(zip(found.results, found.given, strict=True))
    names = (node for node in ast.walk(split.call) if isinstance(node, ast.Name))
    call = [(node, given[node.id]) for node in names if given.get(node.id, node.id) != node.id]
    lines = (rewritten(source, split.placed.node, call), *found.below(train, test, labels[0]))
    news: News = [(step, ()) for step in found.steps]
    says = f"`{found.what}` {found.does} `{train[0]}`, below the split"
    return _remedy(graph, finding, says, [*news, (split.placed, lines)])


def _split(graph: Graph, finding: Finding, found: Preparation) -> _Split | None:
    """Return the split on the path of a leak, where it is a statement with a name for each part."""
    for step in finding.steps:
        placed = own_statements.at(graph, step.cell, step.line)
        if placed is None or placed.place <= found.steps[-1].place:
            continue
        node = placed.node
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        parts = _names(node.targets)
        if parts and len(parts) == 2 * len(node.value.args):
            return _Split(placed, node.value, parts)
    return None


def _names(targets: Sequence[ast.expr]) -> tuple[str, ...]:
    """Return the names of an assignment to several of them, none of another one."""
    if len(targets) != 1 or not isinstance(targets[0], ast.Tuple | ast.List):
        return ()
    names = [each.id for each in targets[0].elts if isinstance(each, ast.Name)]
    return tuple(names) if len(names) == len(targets[0].elts) else ()


def _only_split(graph: Graph, found: Preparation, split: _Split) -> bool:
    """Return whether nothing but the split reads the result, and nothing changes what it is of."""
    results = frozenset(found.results)
    own = {step.place for step in found.steps}
    for cell, statement in own_statements.between(graph, found.steps[0], split.placed):
        if (cell, statement.span.line) in own:
            continue
        changed = {*statement.writes, *statement.mutates, *statement.deletes}
        if changed & (found.reads | results) or statement.reads & (results | found.learner):
            return False
    left = results - {*split.parts}
    if any(statement.reads & left for _, statement in own_statements.below(graph, split.placed)):
        return False
    functions = (each for cell in graph.cells.values() for each in cell.functions.values())
    return not any(results & function.reads.keys() for function in functions)


# -- without a split ------------------------------------------------------------------------------


def _fitted_before(graph: Graph, finding: Finding) -> Remedy | None:
    """Return the edit by which test rows are changed by what was fitted on training rows."""
    placed = own_statements.at(graph, finding.location.cell, finding.location.line)
    if placed is None:
        return None
    calls = (node for node in ast.walk(placed.node) if isinstance(node, ast.Call))
    for call in calls:
        function = call.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            continue
        name = function.value.id
        if function.attr == "fit" and isinstance(placed.node, ast.Expr):
            says = f"`{name}` stays fitted on the training rows"
            return _remedy(graph, finding, says, [(placed, ())])
        if function.attr == "fit_transform" and call.args:
            source = graph.notebook.cell(placed.cell).source
            rows = rewritten(source, call.args[0], ())
            text = rewritten(source, placed.node, [(call, f"{name}.transform({rows})")])
            says = f"`{name}` only transforms `{rows}`"
            return _remedy(graph, finding, says, [(placed, (text,))])
    return None


def _in_a_pipeline(graph: Graph, finding: Finding) -> Remedy | None:
    """Return the edit that cross-validates a pipeline which begins with what was fitted."""
    found = preparation(graph, finding)
    last = finding.steps[-1] if finding.steps else None
    placed = own_statements.at(graph, last.cell, last.line) if last is not None else None
    if found is None or placed is None or len(found.steps) != 1:
        return None
    (result,) = found.results
    names = [n for n in ast.walk(placed.node) if isinstance(n, ast.Name) and n.id == result]
    calls = [n for n in ast.walk(placed.node) if isinstance(n, ast.Call)]
    calls = [call for call in calls if names and call.args[1:2] == names]
    if len(calls) != 1 or found.is_part or placed.place <= found.steps[-1].place:
        return None
    if not _only_split(graph, found, _Split(placed, calls[0], ())):
        return None
    source = graph.notebook.cell(placed.cell).source
    making = datafiles.words("pipeline", "makes")
    module, _, function = min(making).rpartition(".")
    model = calls[0].args[0]
    pipeline = f"{function}({found.made}, {rewritten(source, model, ())})"
    text = rewritten(source, placed.node, [(model, pipeline), (names[0], found.given[0])])
    news: News = [(found.steps[0], ()), (placed, (text,))]
    if function not in graph.binders:
        imported = _last_import(graph)
        if imported is None or imported.place > placed.place:
            return None
        shown = rewritten(graph.notebook.cell(imported.cell).source, imported.node, ())
        news.append((imported, (shown, f"from {module} import {function}")))
    says = f"`{found.what}` is a step of a pipeline, fitted in each fold"
    return _remedy(graph, finding, says, news)


def _last_import(graph: Graph) -> Placed | None:
    """Return the last import of the first cell that has any."""
    of_cells = (own_statements.imports(graph, cell) for cell in sorted(graph.cells))
    return next((imports[-1] for imports in of_cells if imports), None)


# -- the edits ------------------------------------------------------------------------------------


def _remedy(graph: Graph, finding: Finding, says: str, news: News) -> Remedy:
    """Return the remedy that puts new lines in the place of statements."""
    edits = {}
    for cell in sorted({placed.cell for placed, _ in news}):
        of_cell = [(placed, lines) for placed, lines in news if placed.cell == cell]
        text = own_statements.with_lines(graph.notebook.cell(cell).source, of_cell)
        edits[cell] = CellEdit(text if text.strip() else f"# {says}".replace("`", ""))
    return Remedy(finding.code, f"cell {finding.location.cell}: {says}", edits)
