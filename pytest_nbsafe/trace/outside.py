"""Which cells look at the world outside: what they show differs tomorrow, or on another machine.

A saved text that a clean run does not give proves nothing there: neither an order nor an edit is
needed to explain it. So it is with threads: how far one has come hangs on when somebody looked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.analysis.model import Edge
from pytest_nbsafe.values import dataclass

_MACHINE = patterns.compile(
    r"\b(?:now|today|utcnow|time_ns|perf_counter|ctime|asctime|localtime|gmtime"
    r"|getuser|gethostname|uname|getpid|cpu_count|uuid1|uuid4"
    r"|urlopen|urlretrieve|read_html|input|virtual_memory|disk_usage|memory_info"
    r"|Thread|Timer|Process|BackgroundJobManager|create_task|ensure_future)\("
    r"|\b(?:time\.(?:time|strftime)|platform\.\w+)\("
    r"|\brequests\.\w+\(|\(\s*[rf]?['\"]https?://|\b__version__\b|\bshow_versions\b"
    r"|\bsys\.(?:version|platform)\b|['\"](?:today|now)['\"]|^[ \t]*!|=[ \t]*!",
    re.MULTILINE,
)
_PLACES = patterns.compile(
    r"\b(?:getcwd|cwd|abspath|realpath|expanduser)\(|\bPath\(\w*\)\.resolve\("
    r"|\b__file__\b|\bsys\.(?:path|executable)\b"
)
_FILES = patterns.compile(
    r"\b(?:exists|isfile|isdir|is_file|is_dir|listdir|scandir|i?glob|rglob|iterdir|walk|stat"
    r"|getmtime|getsize)\(|\bFileNotFoundError\b|\bFileExistsError\b"
)
_RUN = patterns.compile(r"^[ \t]*%(?:run|load|pylab)\b", re.MULTILINE)
_VERSIONED = patterns.compile(
    r"\b(?:sklearn|scipy|statsmodels|torch|tensorflow|keras|jax|xgboost|lightgbm|catboost|prophet"
    r"|nltk|spacy|gensim|transformers|cv2|skimage|networkx|pymc\w*|numba|shap|optuna)\b"
    r"|\b(?:open|load|fetch_\w+|load_\w+|read_\w+|loadtxt|genfromtxt|fromfile|imread|connect)\("
)


@dataclass(frozen=True, slots=True)
class Doubts:
    """What else than order and edits may be why a cell shows another text than was saved.

    Cells that look `outside`; those that are `versioned`; and whether any libraries are imported.
    """

    outside: frozenset[int] = frozenset()
    versioned: frozenset[int] = frozenset()
    libraries: bool = False


NO_DOUBTS = Doubts()


def doubts(graph: Graph) -> Doubts:
    """Return what on a page the world outside, files and libraries have a part in."""
    return Doubts(lookers(graph), versioned(graph), _has_libraries(graph))


def _has_libraries(graph: Graph) -> bool:
    """Return whether a cell imports, or runs, what is not of Python itself."""
    imports = (found for cell in graph.cells for found in syntax.imports(graph, cell))
    modules = {found.module.partition(".")[0] for found in imports}
    runs = any(_RUN.search(cell.source) for cell in graph.notebook.code_cells)
    return runs or not modules <= sys.stdlib_module_names


def lookers(graph: Graph) -> frozenset[int]:
    """Return the cells that look outside, or read what was made by looking at clock or machine.

    Which files there are shows in the cell that asks, where a folder lies in those that read its
    name, for what is read from a file does not depend on its folder.
    """
    texts = {cell.number: cell.source for cell in graph.notebook.code_cells}
    found = {n for n, t in texts.items() if _FILES.search(t) or _PLACES.search(t)}
    found |= {n for n, t in texts.items() if _MACHINE.search(t)}
    if not found:
        return frozenset()
    made: dict[int, set[str]] = {}
    places: dict[int, set[str]] = {}
    for number, edges in _read_above(graph, tuple(texts)):
        outside = {e.name for e in edges if e.name in made.get(e.definer, ())}
        shown = {e.name for e in edges if e.name in places.get(e.definer, ())}
        if outside or shown:
            found.add(number)
        made[number] = _made(graph, number, _lines(_MACHINE, texts[number]), outside)
        places[number] = _made(graph, number, _lines(_PLACES, texts[number]), set(), once=True)
    return frozenset(found)


def versioned(graph: Graph) -> frozenset[int]:
    """Return the cells made, however far, from files or by libraries that learn or solve.

    These give other numbers where the file is another, or from one version to the next.
    """
    found = {cell.number for cell in graph.notebook.code_cells if _VERSIONED.search(cell.source)}
    if found:
        for number, edges in _read_above(graph, tuple(c.number for c in graph.notebook.code_cells)):
            if any(edge.definer in found for edge in edges):
                found.add(number)
    return frozenset(found)


def _read_above(graph: Graph, page: tuple[int, ...]) -> Iterator[tuple[int, list[Edge]]]:
    """Yield each cell of the page with its dependencies on cells above it."""
    read: dict[int, list[Edge]] = {}
    for edge in graphs.edges(graph, page):
        if edge.definer < edge.reader:
            read.setdefault(edge.reader, []).append(edge)
    for number in page:
        yield number, read.get(number, [])


def _lines(pattern: re.Pattern[str], text: str) -> frozenset[int]:
    """Return the lines that a pattern is found on."""
    return frozenset(text.count("\n", 0, match.end()) + 1 for match in pattern.finditer(text))


def _made(
    graph: Graph, cell: int, lines: frozenset[int], names: set[str], *, once: bool = False
) -> set[str]:
    """Return what a cell makes where it looks outside on these lines, and from these names.

    With `once` only what is made on those very lines.
    """
    if (not lines and not names) or cell not in graph.cells:
        return set()
    made: set[str] = set()
    for statement in graph.cells[cell].statements:
        span = statement.span
        looks = not lines.isdisjoint(range(span.line, span.end_line + 1))
        inherits = not once and not statement.reads.isdisjoint(names | made)
        if (looks or inherits) and statement.kind != "import":
            made |= statement.writes.keys() | statement.mutates.keys()
    return made
