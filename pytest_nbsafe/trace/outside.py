"""Which cells look at the world outside: what they show differs tomorrow, or on another machine.

A saved text that a clean run does not give proves nothing there: neither an order nor an edit is
needed to explain it.
"""

from __future__ import annotations

import re

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph

_MACHINE = patterns.compile(
    r"\b(?:now|today|utcnow|time_ns|perf_counter|ctime|asctime|localtime|gmtime|getcwd|cwd|abspath"
    r"|realpath|expanduser|getuser|gethostname|uname|getpid|cpu_count|uuid1|uuid4"
    r"|urlopen|urlretrieve|read_html|input|virtual_memory|disk_usage|memory_info)\("
    r"|\b(?:time\.(?:time|strftime)|platform\.\w+|Path\(\w*\)\.resolve)\("
    r"|\brequests\.\w+\(|\(\s*[rf]?['\"]https?://|\b__version__\b|\b__file__\b|\bshow_versions\b"
    r"|\bsys\.(?:version|path|executable|platform)\b|['\"](?:today|now)['\"]|^[ \t]*!|=[ \t]*!",
    re.MULTILINE,
)
_FILES = patterns.compile(
    r"\b(?:exists|isfile|isdir|is_file|is_dir|listdir|scandir|i?glob|rglob|iterdir|walk|stat"
    r"|getmtime|getsize)\(|\bFileNotFoundError\b|\bFileExistsError\b"
)


def lookers(graph: Graph) -> frozenset[int]:
    """Return the cells that look outside, or are made from one that looks at clock or machine.

    Which files there are only shows in the cell that asks.
    """
    cells = graph.notebook.code_cells
    reached = {cell.number for cell in cells if _MACHINE.search(cell.source)}
    if reached:
        page = tuple(cell.number for cell in cells)
        for edge in sorted(graphs.edges(graph, page), key=lambda edge: edge.reader):
            if edge.definer in reached and edge.definer < edge.reader:
                reached.add(edge.reader)
    return frozenset(reached | {cell.number for cell in cells if _FILES.search(cell.source)})
