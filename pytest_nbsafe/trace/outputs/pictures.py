"""Pictures compared pixel by pixel.

Two that different versions of a library drew are not compared: fonts, margins and edges differ.
A PNG often names what drew it.

Pixels are read by Pillow where it can be imported; without it, pictures whose packed pixels are
the same bytes are the same, and of others nothing is known.
"""

from __future__ import annotations

import base64
import binascii
import io
import warnings
import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from pytest_nbsafe.trace.outputs.difference import Mode

_LEVELS = 24
"""How far one colour of a pixel may be off, of 255."""
_SHARE = 20_000
"""One pixel in so many may be off by more: the edge of a line, not a figure on an axis."""
_MOST_PIXELS = 20_000_000
KINDS = frozenset({"image/png", "image/jpeg", "image/gif"})
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LONGEST_UNPACKED = 4 * _MOST_PIXELS


class Seen(NamedTuple):
    """How two pictures compare: None for unknown, and what differs, in words."""

    same: bool | None
    detail: str = ""


def compared(saved: object, new: object, mode: Mode = "lenient") -> Seen:
    """Return how two pictures compare that stand in base64."""
    before, after = _bytes(saved), _bytes(new)
    if before is None or after is None:
        return Seen(None, "the picture cannot be decoded")
    if before == after or (packed(before) is not None and packed(before) == packed(after)):
        return Seen(same=True)
    drawers = [drawn_by(each) for each in (before, after)]
    if drawers[0] != drawers[1]:
        return Seen(
            None,
            f"drawn by {drawers[0] or 'an unnamed version'}, now by "
            f"{drawers[1] or 'an unnamed version'}",
        )
    try:
        image, chops = import_module("PIL.Image"), import_module("PIL.ImageChops")
    except ImportError:
        return Seen(None, "the pictures differ in their bytes; Pillow would tell their pixels")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _by_pixels(_opened(image, before), _opened(image, after), chops, mode)
    except Exception:  # noqa: BLE001 - a decoder of what a stranger wrote raises anything
        return Seen(None, "the picture cannot be decoded")


def packed(content: bytes) -> tuple[bytes, ...] | None:
    """Return what of a PNG decides its pixels, without texts and dates; None for another kind."""
    if not content.startswith(_SIGNATURE):
        return None
    kept, pixels = [], []
    for name, data in _chunks(content):
        if name in {b"IHDR", b"PLTE", b"tRNS"}:
            kept.append(data)
        elif name == b"IDAT":
            pixels.append(data)
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(b"".join(pixels), _LONGEST_UNPACKED)
    except zlib.error:
        return None
    return None if unpacking.unconsumed_tail else (*kept, unpacked)


def drawn_by(content: bytes) -> str:
    """Return the software that a PNG says drew it, with its version; "" where it says nothing."""
    if not content.startswith(_SIGNATURE):
        return ""
    texts = (data for name, data in _chunks(content) if name == b"tEXt")
    named = (text for text in texts if text.startswith(b"Software\0"))
    software = next(named, b"").partition(b"\0")[2].decode("latin-1")
    return software.partition(",")[0][:80]


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at + 8 <= len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        yield content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        at += size + 12


def _bytes(content: object) -> bytes | None:
    if not isinstance(content, str):
        return None
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _opened(image: Any, content: bytes) -> Any:
    """Return a picture on white ground.

    Raises:
        ValueError: it has more pixels than are looked at.

    """
    opened = image.open(io.BytesIO(content), formats=_FORMATS)
    if opened.width * opened.height > _MOST_PIXELS:
        raise ValueError("too many pixels")
    colours = opened.convert("RGBA")
    ground = image.new("RGBA", colours.size, "white")
    return image.alpha_composite(ground, colours).convert("RGB")


def _by_pixels(before: Any, after: Any, chops: Any, mode: Mode) -> Seen:
    if before.size != after.size:
        sizes = (f"{each.width} x {each.height}" for each in (before, after))
        return Seen(same=False, detail=f"{' -> '.join(sizes)} pixels")
    apart = chops.difference(before, after)
    red, green, blue = apart.split()
    most = chops.lighter(chops.lighter(red, green), blue)
    levels = 0 if mode == "exact" else _LEVELS
    count, total = sum(most.histogram()[levels + 1 :]), before.width * before.height
    if count <= (0 if mode == "exact" else total // _SHARE):
        return Seen(same=True)
    left, upper, right, lower = most.point(lambda level: 255 * (level > levels)).getbbox()
    place = f"between ({left}, {upper}) and ({right}, {lower})"
    return Seen(same=False, detail=f"{count:,} of {total:,} pixels differ, {place}")
