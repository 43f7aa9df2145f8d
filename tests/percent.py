"""Notebooks as plain text, for tests and examples; and written back as .ipynb files.

    # kernel: python3
    # language: python
    # %% [markdown]
    # A text cell; the `# ` goes.
    # %% [3] tags=raises-exception,slow
    print(x)  #! NBS101
    y
    #> what was printed
    #= the text of the result
    #x NameError: name 'y' is not defined

`# %%` begins a code cell, with its recorded count in brackets if it ran. Lines that begin with
`#>`, `#=` and `#x` at the end of a code cell are its saved outputs; `#!` marks in a test what
must be found on a line, and stays in the source as the comment that it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from pytest_nbsafe.notebook.load import loads
from pytest_nbsafe.notebook.model import Cell, Notebook, Output
from pytest_nbsafe.values import replace

_HEADER = re.compile(r"# (kernel|language): *(\S+) *")
_CELL = re.compile(r"# %%(?: +\[ *(markdown|raw|\d*) *\])?(?: +tags=(\S+))? *")
_OUTPUT = re.compile(r"#([>=x])(?: (.*))?")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def parse(text: str, path: str = "notebook.ipynb") -> Notebook:
    """Return the notebook that a text stands for; `path` is only recorded.

    Raises:
        ValueError: a line before the first cell is neither a header nor blank.

    """
    lines = text.splitlines() if "\r" in text else text.split("\n")
    starts = [i for i, line in enumerate(lines) if _CELL.fullmatch(line)]
    header = dict(_headers(lines[: starts[0] if starts else len(lines)]))
    ends = [*starts[1:], len(lines)] if starts else []
    data = {
        "cells": [_cell(lines[a], lines[a + 1 : b]) for a, b in zip(starts, ends, strict=True)],
        "metadata": _kernel(header.get("kernel"), header.get("language")),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return without_lines(loads(json.dumps(data), path))


def page_of(*cells: str) -> str:
    """Return a page of these cells, run once from top to bottom."""
    return "".join(f"# %% [{count}]\n{cell}\n" for count, cell in enumerate(cells, 1))


def without_lines(notebook: Notebook) -> Notebook:
    """Return a notebook as one that lies in no file: its physical lines are unknown."""
    return replace(notebook, cells=tuple(replace(c, file_lines=()) for c in notebook.cells))


def to_json(notebook: Notebook) -> dict[str, Any]:
    """Return the notebook as nbformat 4.5 data."""
    metadata = _kernel(notebook.kernel_name, notebook.language) | dict(notebook.metadata)
    return {
        "cells": [_cell_json(cell) for cell in notebook.cells],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(notebook: Notebook, path: Path) -> None:
    """Write the notebook to an .ipynb file, in Jupyter's own layout."""
    data = to_json(notebook)
    text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates only fit into a file when escaped
        content = (json.dumps(data, indent=1, sort_keys=True) + "\n").encode("ascii")
    path.write_bytes(content)


# From text


def _headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if match := _HEADER.fullmatch(line):
            yield match[1], match[2]
        elif line.strip():
            message = f"line {number} stands before the first `# %%`: {line!r}"
            raise ValueError(message)


def _kernel(name: str | None, language: str | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if name:
        metadata["kernelspec"] = {"name": name, "display_name": name}
        if language:
            metadata["kernelspec"]["language"] = language
    if language:
        metadata["language_info"] = {"name": language}
    return metadata


def _cell(head: str, lines: list[str]) -> dict[str, Any]:
    match = _CELL.fullmatch(head)
    assert match is not None, "only lines that begin a cell come here"
    kind, tags = match[1] or "", match[2]
    metadata = {"tags": tags.split(",")} if tags else {}
    if kind in {"markdown", "raw"}:
        return {"cell_type": kind, "metadata": metadata, "source": _plain(_trimmed(lines))}
    code, outputs = _split(lines)
    count = int(kind) if kind else None
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": "\n".join(code),
        "execution_count": count,
        "outputs": outputs,
    }


def _trimmed(lines: list[str]) -> list[str]:
    """Return lines without the blank ones around them."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _plain(lines: list[str]) -> str:
    """Return a text cell's lines; the comment signs go if all of them have one."""
    if all(line.startswith("#") or not line.strip() for line in lines):
        lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
    return "\n".join(lines)


def _split(lines: list[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """Split a code cell's lines into code and the outputs after it."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or _OUTPUT.fullmatch(lines[end - 1])):
        end -= 1
    marked = (_OUTPUT.fullmatch(line) for line in lines[end:])
    pairs = [(match[1], match[2] or "") for match in marked if match]
    outputs: list[dict[str, Any]] = []
    for mark, group in groupby(pairs, lambda pair: pair[0]):
        texts = [text for _, text in group]
        if mark == "x":
            outputs += map(_error, texts)
        else:
            outputs.append(_stream(texts) if mark == ">" else _result(texts))
    return _trimmed(lines[:end]), outputs


def _stream(texts: list[str]) -> dict[str, Any]:
    text = "".join(f"{line}\n" for line in texts)
    return {"output_type": "stream", "name": "stdout", "text": text}


def _result(texts: list[str]) -> dict[str, Any]:
    data = {"text/plain": "\n".join(texts)}
    return {"output_type": "execute_result", "metadata": {}, "data": data}


def _error(text: str) -> dict[str, Any]:
    ename, _, evalue = text.partition(": ")
    return {"output_type": "error", "ename": ename, "evalue": evalue, "traceback": []}


# To JSON


def _cell_json(cell: Cell) -> dict[str, Any]:
    metadata = dict(cell.metadata)
    if cell.tags:
        metadata["tags"] = list(cell.tags)
    data: dict[str, Any] = {
        "id": cell.id if _ID.fullmatch(cell.id) else f"cell-{cell.number}",
        "cell_type": cell.kind,
        "metadata": metadata,
        "source": _lines(cell.source),
    }
    if cell.kind == "code":
        data["execution_count"] = cell.count
        data["outputs"] = [_output_json(output, cell.count) for output in cell.outputs]
    return data


def _output_json(output: Output, count: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {"output_type": output.kind}
    if output.kind == "stream":
        return data | {"name": output.name, "text": _lines(output.text)}
    if output.kind == "error":
        traceback = list(output.traceback)
        return data | {"ename": output.ename, "evalue": output.evalue, "traceback": traceback}
    forms = dict(output.data)
    if output.text:
        forms["text/plain"] = output.text
    data |= {"data": forms, "metadata": {}}
    return data | {"execution_count": count} if output.kind == "execute_result" else data


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends, so that each has a physical line of its own."""
    return [line for line in re.split(r"(?<=\n)", text) if line]
