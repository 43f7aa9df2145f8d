"""From an .ipynb file to a Notebook, with the physical line of every source line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from pytest_nbsafe import files, patterns, suffixes
from pytest_nbsafe.notebook import markers, text_notebooks
from pytest_nbsafe.notebook.jsontext import CellPlace, Decoded, decode
from pytest_nbsafe.notebook.model import (
    Cell,
    CellId,
    CellKind,
    Notebook,
    Output,
    OutputKind,
)
from pytest_nbsafe.notebook.unreadable import Unreadable
from pytest_nbsafe.values import replace

__all__ = ["Unreadable", "loads", "read"]

_KINDS: tuple[str, ...] = get_args(CellKind)
_OUTPUT_KINDS: tuple[str, ...] = get_args(OutputKind)


def read(
    path: Path, libraries: str = "", most_mb: int = 512, content: bytes | None = None
) -> Notebook:
    """Return the notebook that lies at `path`, or whose bytes are `content`.

    `libraries` is what the user says of libraries, as JSON text; a file of more than `most_mb`
    megabytes is not read.

    Raises:
        Unreadable: the file cannot be read, or is not a notebook.

    """
    text = _text(path, most_mb) if content is None else _decoded(content)
    return replace(loads(text, str(path)), libraries=libraries)


def loads(text: str, path: str) -> Notebook:
    """Return the notebook of a file's text; of `path` the suffix says how it is read.

    Raises:
        Unreadable: the text is not a notebook.

    """
    text = text.removeprefix("\ufeff")
    if suffixes.is_text(path):
        return _of_text(text, path)
    decoded = _decode(text)
    data = decoded.value
    if not isinstance(data, dict):
        raise Unreadable(1, f"this is not a notebook but {_called(data)}", _RESAVE)
    major = data.get("nbformat")
    if isinstance(major, bool) or not isinstance(major, int):
        raise Unreadable(1, "this JSON is not a notebook: it has no nbformat number", _RESAVE)
    if not 1 < major < 5:
        hint = "this tool reads nbformat 2, 3 and 4; convert it with `jupyter nbconvert`"
        raise Unreadable(1, f"nbformat {_shown(major)} is not known", hint)
    if major < 4:
        return _build(_upgrade(text), path, None)
    return _build(data, path, _Lines(text, decoded))


def _of_text(text: str, path: str) -> Notebook:
    """Return the notebook of Python or Markdown text, whose cells know their lines."""
    page = text_notebooks.parsed(text, path)
    notebook = _build(page.data, path, None)
    cells = zip(notebook.cells, page.lines, strict=True)
    return replace(notebook, cells=tuple(replace(cell, file_lines=at) for cell, at in cells))


# The file


_RESAVE = "open it in Jupyter and save it again, or restore it from version control"


def _text(path: Path, most_mb: int) -> str:
    try:
        content = files.read_bytes(path, most_mb * files.MEGABYTE)
    except FileNotFoundError:
        hint = "give the path that it has now, or restore it"
        raise Unreadable(1, "the file is not there", hint) from None
    except PermissionError:
        hint = "make the file readable for this user"
        raise Unreadable(1, "the file may not be read: permission denied", hint) from None
    except files.TooLargeError as error:
        hint = "clear its outputs, or set max-notebook-mb"
        raise Unreadable(1, f"the file is too large: {error}", hint) from error
    except OSError as error:
        reason = error.strerror or error
        raise Unreadable(1, f"the file cannot be read: {reason}", "check the path") from error
    return _decoded(content)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"line {line} is not UTF-8: byte 0x{content[error.start]:02x}"
        raise Unreadable(line, message, "save the notebook as UTF-8") from error


def _decode(text: str) -> Decoded:
    if not text.strip():
        raise Unreadable(1, "the file is empty", "delete it, or restore it from version control")
    try:
        return decode(text)
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        hint = "solve the merge conflict in the file" if "\n<<<<<<<" in text else _RESAVE
        raise Unreadable(error.lineno, message, hint) from error
    except RecursionError:
        raise Unreadable(1, "the JSON is nested too deeply to be read", _RESAVE) from None
    except ValueError as error:
        raise Unreadable(1, f"not valid JSON: {error}", _RESAVE) from error


def _upgrade(text: str) -> Mapping[str, Any]:
    """Return the nbformat 4 form of an nbformat 2 or 3 file."""
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old = nbformat.reader.reads(text)
            data = cast("dict[str, Any]", nbformat.convert(old, 4))
            for cell in data["cells"]:
                cell.pop("id", None)  # drawn at random
            return data
    except Exception as error:  # the upgrade trusts its input; anything may break in it
        message = f"this old notebook cannot be upgraded: {type(error).__name__}: {error}"
        raise Unreadable(1, message, _RESAVE) from error


class _Lines:
    """Turns offsets in the text into physical lines, going forward through the text."""

    def __init__(self, text: str, decoded: Decoded) -> None:
        self.text = text
        self.cells_at = decoded.cells_at
        self.cells = decoded.cells
        self._offset = 0
        self._line = 1

    def line(self, offset: int) -> int:
        """Return the physical line (1-based) that holds this offset."""
        if offset < self._offset:
            self._offset, self._line = 0, 1
        self._line += self.text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


# The notebook


def _build(data: Mapping[str, Any], path: str, where: _Lines | None) -> Notebook:
    items = data.get("cells")
    if not isinstance(items, list):
        line = where.line(where.cells_at) if where else 1
        raise Unreadable(line, f"the notebook's cells are {_called(items)}, not a list", _RESAVE)
    ids = _mint(items)
    places = where.cells if where else [None] * len(items)
    metadata = _mapping(data.get("metadata"))
    cells = tuple(
        _cell(item, number, cell_id, where, place, metadata)
        for number, (item, cell_id, place) in enumerate(zip(items, ids, places, strict=True), 1)
    )
    taken = {cell.count for cell in cells}
    cells = tuple(
        cell if cell.count or cell.result_count in taken else replace(cell, count=cell.result_count)
        for cell in cells
    )
    language = _language(metadata)
    return Notebook(
        path=path,
        cells=cells,
        language=language,
        python_major=_python_major(metadata) if language == "python" else 3,
        kernel_name=_string(_mapping(metadata.get("kernelspec")).get("name")) or None,
        metadata=metadata,
    )


def _cell(
    item: Any,
    number: int,
    cell_id: CellId,
    where: _Lines | None,
    place: CellPlace | None,
    notebook: Mapping[str, Any],
) -> Cell:
    line = where.line(place.begin) if where and place else 1
    if not isinstance(item, dict):
        raise Unreadable(line, f"cell {number} is {_called(item)}, not an object", _RESAVE)
    kind = item.get("cell_type")
    if kind not in _KINDS:
        message = f"cell {number} has an unknown cell_type: {_shown(kind)}"
        raise Unreadable(line, message, _RESAVE)
    source = _joined(item.get("source", ""))
    if source is None:
        line = where.line(place.source) if where and place else 1
        raise Unreadable(line, f"the source of cell {number} is not text", _RESAVE)
    metadata = _mapping(item.get("metadata"))
    own, outputs = _tags(metadata.get("tags")), item.get("outputs")
    return Cell(
        id=cell_id,
        number=number,
        kind=cast("CellKind", kind),
        source=source,
        count=_count(item.get("execution_count")) if kind == "code" else None,
        outputs=_outputs(outputs) if kind == "code" and isinstance(outputs, list) else (),
        tags=markers.tags(own, source, notebook) if kind == "code" else own,
        metadata=metadata,
        file_lines=_file_lines(item.get("source", ""), where, place) if where and place else (),
        result_count=_result_count(outputs)
        if kind == "code" and isinstance(outputs, list)
        else None,
    )


def _file_lines(source: str | list[str], where: _Lines, place: CellPlace) -> tuple[int, ...]:
    """Return the physical line of each source line: that of the string it begins in."""
    if isinstance(source, str):
        return (where.line(place.source),) * (source.count("\n") + 1)
    lines: list[int] = []
    line = where.line(place.source)
    fresh = True
    for text, offset in zip(source, place.strings, strict=True):
        if not text:
            continue
        line = where.line(offset)
        begun = text.count("\n") + fresh - text.endswith("\n")
        lines += [line] * begun
        fresh = text.endswith("\n")
    if fresh:
        lines.append(line)
    return tuple(lines)


def _mint(items: Sequence[Any]) -> list[CellId]:
    """Return an id for each cell: the file's own, or a new one if that is missing or taken."""
    own = [_string(_mapping(item).get("id")) for item in items]
    taken = set(own)
    minted_before: set[str] = set()
    ids: list[CellId] = []
    for number, name in enumerate(own, 1):
        minted = name
        if not name or name in minted_before:
            minted = f"cell-{number}"
            while minted in taken:
                minted += "-2"
            taken.add(minted)
        minted_before.add(minted)
        ids.append(CellId(minted))
    return ids


def _tags(value: Any) -> tuple[str, ...]:
    return tuple(tag for tag in value if isinstance(tag, str)) if isinstance(value, list) else ()


def _count(value: Any) -> int | None:
    number = isinstance(value, int) and not isinstance(value, bool)
    return value if number and value > 0 else None


# Saved outputs


def _result_count(items: list[Any]) -> int | None:
    """Return the count of the saved result, None where there is none."""
    results = (o for o in items if isinstance(o, dict) and o.get("output_type") == "execute_result")
    return next((_count(result.get("execution_count")) for result in results), None)


def _outputs(items: list[Any]) -> tuple[Output, ...]:
    """Return the outputs that can be understood; what is garbage is left out."""
    return tuple(
        _output(item)
        for item in items
        if isinstance(item, dict) and item.get("output_type") in _OUTPUT_KINDS
    )


def _output(item: dict[str, Any]) -> Output:
    kind = cast("OutputKind", item["output_type"])
    if kind == "stream":
        name = _string(item.get("name")) or "stdout"
        return Output(kind, name=name, text=_joined(item.get("text")) or "")
    if kind == "error":
        traceback = item.get("traceback")
        return Output(
            kind,
            ename=_string(item.get("ename")),
            evalue=_string(item.get("evalue")),
            traceback=_tags(traceback),
        )
    data = {str(mime): _mime(str(mime), v) for mime, v in _mapping(item.get("data")).items()}
    plain = data.pop("text/plain", "")
    return Output(kind, text=_string(plain), data=data)


def _mime(mime: str, value: Any) -> Any:
    """Return the value of one MIME form; nbformat splits texts, but not JSON, into lines."""
    if mime == "application/json" or mime.endswith("+json"):
        return value
    text = _joined(value)
    return value if text is None else text


# The language


_LANGUAGES = {
    "ir": "r", "xr": "r", "julia": "julia", "scala": "scala", "almond": "scala", "bash": "bash",
    "octave": "octave", "matlab": "matlab", "ihaskell": "haskell", "haskell": "haskell",
    "ruby": "ruby", "rust": "rust", "javascript": "javascript", "deno": "typescript",
    "sagemath": "sage",
}  # fmt: skip
"""Languages of kernels whose notebooks do not name their language, by the kernel's name."""

_KERNEL = patterns.compile(r"[a-z]+")
_PYTHON = patterns.compile(r"i?python\d*")
_MAJOR = patterns.compile(r"(?i)(?<![a-z])i?py(?:thon)?[ ._-]?([23])")


def _language(metadata: Mapping[str, Any]) -> str:
    spec = _mapping(metadata.get("kernelspec"))
    info = _mapping(metadata.get("language_info"))
    kernel = _KERNEL.match(_string(spec.get("name")).lower())
    names = (
        _string(spec.get("language")),
        _string(info.get("name")),
        _LANGUAGES.get(kernel[0], "") if kernel else "",
        "python",
    )
    language = next(name for name in map(str.lower, map(str.strip, names)) if name)
    return "python" if _PYTHON.fullmatch(language) else _cut(language)


def _python_major(metadata: Mapping[str, Any]) -> int:
    version = _string(_mapping(metadata.get("language_info")).get("version"))
    if version[:2] in {"2.", "3."}:
        return int(version[0])
    spec = _mapping(metadata.get("kernelspec"))
    for name in (_string(spec.get("name")), _string(spec.get("display_name"))):
        if major := _MAJOR.search(name):
            return int(major[1])
    return 3


# Values of any kind


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _joined(value: Any) -> str | None:
    """Return a text that may be split into a list of texts; None if it is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return "".join(value)
    return None


def _called(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")


def _shown(value: Any) -> str:
    """Return a short form of a value for a message."""
    text = _called(value) if isinstance(value, dict | list) else json.dumps(value)
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
