"""matplotlib: figures and what is drawn in them; nothing is drawn for it.

Positions, ticks and limits that the library finds itself when it draws are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ..hashing.hasher import Handler, Hasher, UnknownValue, qualified

TANGLED = True


def settings() -> Mapping[str, object]:
    """Return how figures are drawn, as far as no figure says otherwise."""
    parameters = getattr(sys.modules["matplotlib"], "rcParams", None)
    return {} if parameters is None else {"matplotlib": dict(dict.items(parameters))}


def own_folders() -> list[str]:
    """Return where the list of fonts is kept."""
    ask = getattr(sys.modules["matplotlib"], "get_cachedir", None)
    return [] if ask is None else [ask()]


def hash_other(hasher: Hasher, value: Any) -> None:
    """Write a figure or a part of one, if figures are looked at now.

    They are after a session, not around each statement: a figure changes with everything that is
    drawn in it.
    """
    handler = _handler(type(value)) if hasher.context.judging else None
    if handler is None:
        raise UnknownValue("a figure or a part of one is not compared")
    hasher.tag(f"drawn {qualified(type(value))}")
    handler(hasher, value)


def _handler(cls: type) -> Handler | None:
    for module, name, handler in _TABLE:
        base = getattr(sys.modules.get(f"matplotlib.{module}"), name, None)
        if base is not None and issubclass(cls, base):
            return handler
    return None


def _figure(hasher: Hasher, value: Any) -> None:
    hasher.add(value.get_size_inches())
    hasher.add(list(value.texts))
    hasher.add(list(value.axes))


def _axes(hasher: Hasher, value: Any) -> None:
    titles = [value.get_title(loc=where) for where in ("left", "center", "right")]
    hasher.add([*titles, value.get_xlabel(), value.get_ylabel()])
    hasher.add([value.get_xscale(), value.get_yscale()])
    for axis, limits in (("x", value._viewLim.intervalx), ("y", value._viewLim.intervaly)):  # noqa: SLF001  # the public ones scale the axes first
        hasher.add(None if getattr(value, f"get_autoscale{axis}_on")() else limits)
    for part in ("lines", "collections", "patches", "images", "texts"):
        hasher.add(list(getattr(value, part)))
    legend = value.get_legend()
    hasher.add([text.get_text() for text in legend.get_texts()] if legend is not None else None)


def _line(hasher: Hasher, value: Any) -> None:
    hasher.add(list(value.get_data(orig=True)))
    hasher.add([value.get_linestyle(), value.get_linewidth(), value.get_label()])
    hasher.add([value.get_color(), value.get_marker()])


def _text(hasher: Hasher, value: Any) -> None:
    hasher.add([value.get_text(), value.get_color(), value.get_fontsize()])


def _patch(hasher: Hasher, value: Any) -> None:
    hasher.add(value.get_path().vertices)
    hasher.add(value.get_patch_transform().get_matrix())
    hasher.add([value.get_facecolor(), value.get_label()])


def _collection(hasher: Hasher, value: Any) -> None:
    hasher.add([path.vertices for path in value.get_paths()])
    hasher.add([value.get_offsets(), value.get_array(), value.get_label()])
    if value.get_array() is None:  # else the colours are found when it is drawn
        hasher.add(value.get_facecolor())


def _image(hasher: Hasher, value: Any) -> None:
    hasher.add([value.get_array(), value.get_cmap().name, *value.get_clim()])


_TABLE: tuple[tuple[str, str, Handler], ...] = (
    ("figure", "FigureBase", _figure),
    ("axes", "Axes", _axes),
    ("lines", "Line2D", _line),
    ("text", "Text", _text),
    ("patches", "Patch", _patch),
    ("collections", "Collection", _collection),
    ("image", "AxesImage", _image),
)
