"""NBS406: a path of one machine becomes one beside the notebook, where it leads to a file."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from pytest_nbsafe.analysis import machine_paths
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.machine_paths import MachinePath
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.pieces import piece, with_pieces
from pytest_nbsafe.fix.remedy import Patient, Remedy

_MOST_FOLDERS_UP = 3


def remedies(patient: Patient) -> Iterator[Remedy]:
    """Yield a remedy for each folder of one machine whose files all lie at or beside the notebook.

    A text is changed only where it is a path and nothing else, and names a file: the very same, or,
    where there is none of that name, the one whose path ends as it does.
    """
    if not any(finding.code == "NBS406" for finding in patient.findings):
        return
    notebook = patient.notebook
    folder = Path(notebook.path).resolve().parent
    cells = [cell.number for cell in notebook.code_cells]
    by_root: dict[str, list[MachinePath]] = {}
    for path in machine_paths.of(build(notebook), cells):
        by_root.setdefault(path.root, []).append(path)
    for root, paths in by_root.items():
        news = {path: _news(path, notebook.cell(path.cell).source, folder) for path in paths}
        if not all(news.values()):
            continue
        edits = {
            number: CellEdit(
                with_pieces(
                    notebook.cell(number).source,
                    [(path.span, new) for path, new in news.items() if path.cell == number],
                )
            )
            for number in {path.cell for path in paths}
        }
        told = ", ".join(dict.fromkeys(f"`{p.path}` becomes {new}" for p, new in news.items()))
        yield Remedy("NBS406", f"{told}, below `{root}`" if len(news) > 1 else told, edits)


def _news(path: MachinePath, source: str, folder: Path) -> str:
    """Return the literal to write for a path, "" where it is none or no file is known."""
    written = piece(source, path.span)
    try:
        if ast.literal_eval(written) != path.path:
            return ""
    except (SyntaxError, ValueError):  # a part of an f-string, or a word of a magic
        return ""
    found = _beside(path.path, folder)
    quote = written[-1]
    return f"{quote}{found}{quote}" if found and not re.search(r"[\"'\\]", found) else ""


def _beside(path: str, folder: Path) -> str:
    """Return the path of a file relative to a folder, "" if it is not there, or may be another."""
    there = Path(path).expanduser()
    if there.is_absolute() and there.exists():
        new = os.path.relpath(there, folder)
        is_near = there.is_file() and not new.startswith("../" * (_MOST_FOLDERS_UP + 1))
        return Path(new).as_posix() if is_near else ""
    parts = [part for part in re.split(r"[\\/]+", path) if part not in {"", ".", ".."}]
    for first in range(1, len(parts)):
        end = Path(*parts[first:])
        found = [up for up in range(_MOST_FOLDERS_UP) if (folder / ("../" * up) / end).is_file()]
        if found:
            return "../" * found[0] + end.as_posix() if len(found) == 1 else ""
    return ""
