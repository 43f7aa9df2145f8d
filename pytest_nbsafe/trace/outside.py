"""Which cells look at the world outside: what they show differs tomorrow, or on another machine.

A saved text that a clean run does not give proves nothing there: neither an order nor an edit is
needed to explain it.
"""

from __future__ import annotations

import re

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.analysis.model import Edge

_MACHINE = patterns.compile(
    r"\b(?:now|today|utcnow|time_ns|perf_counter|ctime|asctime|localtime|gmtime"
    r"|getuser|gethostname|uname|getpid|cpu_count|uuid1|uuid4"
    r"|urlopen|urlretrieve|read_html|input|virtual_memory|disk_usage|memory_info)\("
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
    page = tuple(texts)
    read: dict[int, list[Edge]] = {}
    for edge in graphs.edges(graph, page):
        if edge.definer < edge.reader:
            read.setdefault(edge.reader, []).append(edge)
    made: dict[int, set[str]] = {}
    places: dict[int, set[str]] = {}
    for number in page:
        edges = read.get(number, ())
        outside = {e.name for e in edges if e.name in made.get(e.definer, ())}
        shown = {e.name for e in edges if e.name in places.get(e.definer, ())}
        if outside or shown:
            found.add(number)
        made[number] = _made(graph, number, _lines(_MACHINE, texts[number]), outside)
        places[number] = _made(graph, number, _lines(_PLACES, texts[number]), set(), once=True)
    return frozenset(found)


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
