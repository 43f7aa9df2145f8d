"""NBS907: comments that ignore what is not there are taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.remedy import Patient, Remedy
from pytest_nbsafe.rules import suppressions


def remedies(patient: Patient) -> Iterator[Remedy]:
    """Yield a remedy for each comment of which no word hides anything.

    Left alone are tags, and comments of several codes some of which are needed.
    """
    notebook, findings = patient.notebook, patient.findings
    places = ((f.location.cell, f.location.line, f.location.column) for f in findings)
    unused = Counter(
        place for finding, place in zip(findings, places, strict=True) if finding.code == "NBS907"
    )
    words = Counter(
        (each.cell, each.span.line, each.span.column)
        for each in suppressions.of(notebook)
        if each.span is not None
    )
    for place, number in sorted(unused.items()):
        if words[place] == number:
            cell, line, column = place
            source = _without(notebook.cell(cell).source, line, column)
            says = f"cell {cell}, line {line}: the comment that ignores nothing is taken out"
            yield Remedy("NBS907", says, {cell: CellEdit(source)})


def _without(source: str, line: int, column: int) -> str:
    """Return a source without the comment that begins there; a line of nothing else goes too."""
    lines = source.split("\n")
    text = lines[line - 1]
    _, mark, other = text[column:].partition("#")
    lines[line - 1] = (text[: column - 1] + mark + other).rstrip()
    if not lines[line - 1]:
        del lines[line - 1]
    return "\n".join(lines)
