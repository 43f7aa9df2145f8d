"""Notebooks that are text: Python in cells, Markdown with cells of code, Quarto, marimo.

jupytext reads them, marimo aside; it tells no lines, so each cell is found again in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, cast

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook import marimo
from pytest_nbsafe.notebook.unreadable import Unreadable
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A notebook as nbformat 4 has it, and the physical lines of each cell's source lines."""

    data: Mapping[str, Any]
    lines: Sequence[tuple[int, ...]]


def parsed(text: str, path: str) -> Page:
    """Return the notebook of a text, which the suffix of `path` says how to read.

    Raises:
        Unreadable: the text holds no cells, or jupytext is not installed.

    """
    text = text.replace("\r\n", "\n")
    suffix = PurePath(path).suffix.lower()
    if suffix == ".py" and marimo.is_one(text):
        cells, lines = marimo.cells(text)
        return Page({"cells": cells, "metadata": {}}, lines)
    form = _FORMS[suffix](text)
    if not form:
        hint = "name notebooks only; a folder's text files are read where `include` names them"
        raise Unreadable(1, f"this {_KINDS[suffix]} holds no cells of a notebook", hint)
    data = _by_jupytext(text, form)
    cells = _as_quarto(data["cells"], text) if suffix == ".qmd" else data["cells"]
    metadata = _with_language(data["metadata"], text)
    return Page({"cells": cells, "metadata": metadata}, [*_lines(cells, text)])


# -- which form a text has -------------------------------------------------------------------------

_KINDS = {".py": "Python file", ".md": "Markdown file", ".qmd": "Quarto file"}
_PERCENT = patterns.compile(r"(?m)^# ?%%(?:[ \[]|$)")
_NAMED_FORM = patterns.compile(r"(?m)^(?:# )? +format_name: ([a-z]+) *$")
_MYST = patterns.compile(r"(?m)^(?:```+|~~~+) ?\{code-cell\}")
_QUARTO = patterns.compile(r"(?m)^```+ ?\{[a-z]+[ ,}]")
_RULE = "---"


def _python(text: str) -> str:
    named = _named(text)
    return f"py:{named}" if named else "py:percent" if _PERCENT.search(text) else ""


def _markdown(text: str) -> str:
    named = _named(text)
    return f"md:{named}" if named else "md:myst" if _MYST.search(text) else ""


def _quarto(text: str) -> str:
    """Return a form that has Quarto's fences; that of its name starts Quarto itself."""
    return "Rmd" if _QUARTO.search(text) else ""


_FORMS = {".py": _python, ".md": _markdown, ".qmd": _quarto}


def _named(text: str) -> str:
    """Return the form that a header by jupytext names."""
    header = _header(text)
    named = _NAMED_FORM.search(header) if "jupytext:" in header else None
    return named[1] if named else ""


def _header(text: str) -> str:
    """Return the lines between two rules at the beginning of a text, with these; "" without."""
    first, _, _ = text.partition("\n")
    if first not in {_RULE, f"# {_RULE}"}:
        return ""
    end = text.find(f"\n{first}\n", len(first))
    return text[: end + len(first) + 2] if end >= 0 else ""


def _by_jupytext(text: str, form: str) -> dict[str, Any]:
    try:
        import jupytext
    except ModuleNotFoundError:
        message = "reading this notebook needs jupytext, which is not installed"
        hint = "pip install 'pytest-nbsafe[jupytext]'"
        raise Unreadable(1, message, hint) from None
    try:
        data = cast("dict[str, Any]", jupytext.reads(_with_kernel_shown(text), fmt=form))
    except Exception as error:  # jupytext trusts its input; anything may break in it
        said = str(error).partition("\n")[0]
        message = f"jupytext cannot read this as {form}: {type(error).__name__}: {said}"
        raise Unreadable(1, message, "try `jupytext --to notebook` on it") from error
    for cell in data["cells"]:
        cell.pop("id", None)  # drawn at random
    return data


_KERNEL_NAME = patterns.compile(r"(?m)^((?:# )? +)name: *(\S+) *$")


def _with_kernel_shown(text: str) -> str:
    """Return a text whose kernel has a name to be shown by: nbformat rejects one without it."""
    header = _header(text)
    if "kernelspec:" not in header or "display_name:" in header:
        return text
    named = _KERNEL_NAME.sub(r"\g<0>\n\1display_name: \2", header, count=1)
    return named + text[len(header) :]


_KERNEL = patterns.compile(r"(?m)^jupyter: *([\w.-]+) *$")


def _with_language(metadata: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return metadata that name a kernel, or else a language, where the text tells one."""
    if "kernelspec" in metadata:
        return {**metadata}
    if kernel := _KERNEL.search(_header(text)):
        return {**metadata, "kernelspec": {"name": kernel[1]}}
    language = metadata.get("jupytext", {}).get("main_language", "python")
    return {**metadata, "language_info": {"name": str(language).lower()}}


# -- Quarto ----------------------------------------------------------------------------------------

_OPTION = patterns.compile(r"(?m)^#\| *(eval|error): *(true|false) *$")
_TAGS = {("eval", "false"): "skip-execution", ("error", "true"): "nbsafe:may-raise"}


def _as_quarto(cells: Sequence[Any], text: str) -> list[Any]:
    """Return cells with the tags that their options mean; what Quarto only shows is no code."""
    in_file = set(text.split("\n"))
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source = cell["source"]
        magic = source.partition("\n")[0]
        shown = "language" in cell["metadata"]
        if shown or (magic.startswith("%%") and magic not in in_file):
            cell["cell_type"] = "raw"
            continue
        options = [_TAGS.get((said[1], said[2]), "") for said in _OPTION.finditer(source)]
        tags = [*cell["metadata"].get("tags", ()), *filter(None, options)]
        if tags:
            cell["metadata"]["tags"] = tags
    return [*cells]


# -- lines -----------------------------------------------------------------------------------------


def _lines(cells: Sequence[Any], text: str) -> Iterator[tuple[int, ...]]:
    """Yield the lines of each cell: the next place where its text stands.

    A line that is no Python stands there behind a `#`, which jupytext takes away.
    """
    written = [_bare(line) for line in text.split("\n")]
    at = _header(text).count("\n")
    for cell in cells:
        source = [_bare(line) for line in cell["source"].split("\n")]
        begin = _place(source, written, at) if cell["source"].strip() else None
        if begin is None:
            yield (min(at + 1, len(written)),) * len(source)
            continue
        yield tuple(max(begin + i, at) + 1 for i in range(len(source)))
        at = begin + len(source)


def _place(source: Sequence[str], written: Sequence[str], at: int) -> int | None:
    """Return the first place from a line on; a magic that jupytext adds on top is not written."""
    for skipped in (0, 1) if source[0].startswith("%%") else (0,):
        wanted = source[skipped:]
        for begin in range(at, len(written) - len(wanted) + 1):
            if written[begin] == wanted[0] and written[begin : begin + len(wanted)] == wanted:
                return begin - skipped
    return None


def _bare(line: str) -> str:
    """Return a line without what a text form may put around it."""
    return line.strip().lstrip("#").strip()
