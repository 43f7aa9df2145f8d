"""Outputs in a few words, and pictures made by hand."""

from __future__ import annotations

import base64
import struct
import zlib

from pytest_nbsafe.notebook.model import Output


def printed(text: str) -> Output:
    return Output("stream", name="stdout", text=text)


def warned(text: str) -> Output:
    return Output("stream", name="stderr", text=text)


def result(text: str = "", **data: object) -> Output:
    """Return a result; `html`, `png` and so on name its other forms."""
    kinds = {"html": "text/html", "svg": "image/svg+xml", "png": "image/png", "js": "text/js"}
    return Output("execute_result", text=text, data={kinds.get(k, k): v for k, v in data.items()})


def display(kind: str, content: object, text: str = "") -> Output:
    return Output("display_data", text=text, data={kind: content})


def png(rows: list[list[int]], software: str = "", level: int = 9) -> str:
    """Return a grey picture in base64; `software` is what it says drew it."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), level)
    text = b"Software\0" + software.encode()
    chunks = [(b"IHDR", header), *([(b"tEXt", text)] if software else []), (b"IDAT", pixels)]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, [*chunks, (b"IEND", b"")]))
    return base64.b64encode(content).decode()


def _chunk(chunk: tuple[bytes, bytes]) -> bytes:
    name, data = chunk
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
