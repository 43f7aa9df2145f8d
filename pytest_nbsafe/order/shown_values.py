"""What saved outputs tell of who made a name: they show a value, and cells bind literals to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.values import dataclass

_LITERALS = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The cells that bind a name to what a saved output shows, to something else, to who knows."""

    makers: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()

    @property
    def maker(self) -> int | None:
        """The only cell that can have made what is shown, None where that is not known."""
        return min(self.makers) if len(self.makers) == 1 and not self.unknown else None

    @property
    def is_lost(self) -> bool:
        """Whether no cell of the page makes what is shown."""
        return bool(self.others) and not self.makers and not self.unknown


NO_EVIDENCE = Evidence()


def evidence(graph: Graph, reader: int, name: str) -> Evidence:
    """Return what a cell's saved output tells of who made a name that it shows whole.

    That is a name that is printed alone, or stands alone on the last line. A cell that binds it to
    a literal made the shown text or another, as its text is now.
    """
    shown = _shown(graph, reader).get(name)
    if shown is None:
        return NO_EVIDENCE
    is_printed, text = shown
    sorted_out: dict[bool | None, set[int]] = {True: set(), False: set(), None: set()}
    for cell in graph.binders.get(name, ()):
        literals = _literals(graph, cell)
        made = None
        if name in literals:
            value = literals[name]
            made = (str(value) if is_printed else repr(value)) == text
        sorted_out[made].add(cell)
    return Evidence(*(frozenset(sorted_out[made]) for made in (True, False, None)))


@kept
def _shown(graph: Graph, cell: int) -> Mapping[str, tuple[bool, str]]:
    """Return the names that a cell shows as it found them: whether printed, and the saved text."""
    page, tree = graph.notebook.cell(cell), trees.of(graph, cell)
    if not page.outputs or not tree.body or any(o.kind == "error" for o in page.outputs):
        return {}
    printed = [o.text for o in page.outputs if o.kind == "stream" and o.name == "stdout"]
    results = [o.text for o in page.outputs if o.kind == "execute_result"]
    shown: dict[str, tuple[bool, str]] = {}
    lines = "".join(printed).splitlines()
    names = [*_printed(tree.body)]
    if len(names) == len(lines):
        shown.update((name, (True, line)) for name, line in zip(names, lines, strict=True) if name)
    last = tree.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name) and len(results) == 1:
        shown[last.value.id] = False, results[0]
    return {name: text for name, text in shown.items() if cell not in graph.binders.get(name, ())}


def _printed(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield for each line that the statements print the name that it shows alone, else "".

    What is called besides may print, too: then the number of lines tells.
    """
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            is_plain = isinstance(call.func, ast.Name) and call.func.id == "print"
            if is_plain and not call.keywords and len(call.args) == 1:
                argument = call.args[0]
                yield argument.id if isinstance(argument, ast.Name) else ""
            elif is_plain:
                yield ""


@kept
def _literals(graph: Graph, cell: int) -> Mapping[str, object]:
    """Return the names that a cell binds just once, at its top level, to a literal."""
    bound = [definition.name for definition in graph.cells[cell].definitions]
    return {
        target.id: statement.value.value
        for statement in trees.of(graph, cell).body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
        and bound.count(target.id) == 1
        and isinstance(statement.value.value, _LITERALS)
    }
