"""Text in, text out: what the analysis says of a cell or a notebook, in a compact form."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.cell import analyse
from pytest_nbsafe.analysis.model import CellAnalysis, Graph, Use
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook


def cell(text: str, python_major: int = 3) -> CellAnalysis:
    """Analyse one cell; the text may be indented."""
    source = textwrap.dedent(text).strip("\n")
    analysis = analyse(Cell(CellId("c1"), 1, "code", source), python_major)
    assert analysis.fault is None, analysis.fault
    return analysis


def written(use: Use) -> str:
    """`x` is surely read, `x?` perhaps, `x!` is guarded."""
    return f"{use.name}{'' if use.certain else '?'}{'!' if use.guarded else ''}"


def live(text: str, python_major: int = 3) -> str:
    return " ".join(map(written, cell(text, python_major).uses))


def dead(text: str) -> str:
    return " ".join(sorted(cell(text).dead))


def defined(text: str) -> str:
    """`kind:name` of each definition, with `?` when it is not certain."""
    return " ".join(f"{d.kind}:{d.name}{'' if d.certain else '?'}" for d in cell(text).definitions)


def names(found: Iterable[str]) -> str:
    return ",".join(sorted(found))


def facts(text: str) -> list[str]:
    """One line a statement: `a<-b,c` writes, `m*=x` mutates, `del x`, else `reads x`."""
    lines = []
    for statement in cell(text).statements:
        parts = [f"{n}<-{names(p)}" for n, p in sorted(statement.writes.items())]
        parts += [f"{n}*={names(p)}" for n, p in sorted(statement.mutates.items())]
        parts += [f"del {n}" for n in sorted(statement.deletes)]
        lines.append(" ".join(parts) or f"reads {names(statement.reads)}")
    return lines


def function(text: str, name: str) -> str:
    """`reads ... -> returns ... writes ... calls ...` of a function."""
    found = cell(text).functions[name]
    parts = ["reads " + " ".join(map(written, found.reads.values()))] if found.reads else []
    parts += [f"returns {names(found.returns)}"] if found.returns else []
    parts += [f"writes {names(found.writes)}"] if found.writes else []
    parts += [f"calls {names(found.calls)}"] if found.calls else []
    return "; ".join(parts)


def graph(*cells: str, python_major: int = 3) -> Graph:
    """Return the graph of a notebook with these code cells."""
    return build(
        Notebook(
            "nb.ipynb",
            tuple(
                Cell(CellId(f"c{n}"), n, "code", textwrap.dedent(text).strip("\n"))
                for n, text in enumerate(cells, 1)
            ),
            python_major=python_major,
        )
    )
