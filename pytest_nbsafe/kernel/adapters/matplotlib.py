"""matplotlib: figures and what is drawn in them; nothing is drawn for it.

Of a part of a figure all counts that was set of it, but nothing of what it is drawn in: an axes and
its ticks, or a figure, are what the library makes of them when it draws. After a session those are
looked at too; positions, ticks and limits that the library finds itself are left out.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Mapping
from typing import Any

from ..hashing import builtin_kinds
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from . import _worked_out

TANGLED = True
SETTERS = frozenset({"rc", "rcdefaults", "rc_file", "rc_file_defaults", "xkcd", "ion", "ioff"})
SHOWN_BY_ITSELF = frozenset({("matplotlib.figure", "Figure")})
OWN_HOOKS = ("matplotlib_inline.", "matplotlib.")


def settings() -> Mapping[str, object]:
    """Return how figures are drawn, as far as no figure says otherwise."""
    parameters = getattr(sys.modules["matplotlib"], "rcParams", None)
    if parameters is None:
        return {}
    told: dict[str, object] = dict(dict.items(parameters))
    began = getattr(sys.modules.get("matplotlib.dates"), "_epoch", None)
    if began is not None:  # else nothing has asked yet when days begin to count
        told["date.epoch"] = began
    return {"matplotlib": told}


def figure_registry() -> Any:
    """Return the class whose `figs` are the open figures, by their numbers."""
    return getattr(sys.modules.get("matplotlib._pylab_helpers"), "Gcf", None)


def own_folders() -> list[str]:
    """Return where the list of fonts is kept."""
    ask = getattr(sys.modules["matplotlib"], "get_cachedir", None)
    return [] if ask is None else [ask()]


def hash_other(hasher: Hasher, value: Any) -> None:
    """Write a part of a figure, or what says how parts look; a figure if figures are looked at now.

    They are after a session, not around each statement: a figure changes with everything that is
    drawn in it.
    """
    cls = type(value)
    handler = _handler(cls) if hasher.context.judging else None
    if handler is not None:
        hasher.tag(f"drawn {qualified(cls)}")
        handler(hasher, value)
    elif _is_whole(value) or cls.__module__.startswith(_MACHINERY):
        raise UnknownValue("a figure or a part of one is not compared")
    else:
        hasher.tag(f"part {qualified(cls)}")
        _part(hasher, value)


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


# ------------------------------------------------------------------ parts, as they were set

_MACHINERY = tuple(f"matplotlib.{name}" for name in ("animation", "backend", "pyplot", "widgets"))
_WHOLE = (("figure", "FigureBase"), ("axes", "Axes"), ("axis", "Axis"), ("axis", "Tick"))
_OF_NONE = frozenset(
    {
        "_callbacks", "_cid", "_id_colorizer", "_id_norm", "_inverted", "_invalid", "_parents",
        "_remove_method", "_stale", "_transformSet", "callbacks", "stale_callback",
    }
)  # fmt: skip
_DERIVED = {
    "Line2D": {
        "_invalidx", "_invalidy", "_path", "_subslice", "_transformed_path", "_x", "_x_filled",
        "_xy", "_y",
    },
    "Text": {"_renderer"},
    "Ellipse": {"_patch_transform"},
    "FancyArrowPatch": {"_dpi_cor"},
    "Collection": {"_edge_is_mapped", "_face_is_mapped", "_mapped_colors"},
    "_CollectionWithSizes": {"_transforms"},
    "Line3DCollection": {"_paths", "zorder"},
    "Poly3DCollection": {"_facecolors2d", "_edgecolors2d", "_paths", "_sort_zpos"},
    "_ImageBase": {"_imcache"},
    "Colormap": {"_isinit", "_lut"},
    "OffsetBox": {"_offset"},
    "TransformedPatchPath": {"_path"},
    "Triangulation": {"_cpp_triangulation", "_edges", "_neighbors", "_trifinder"},
}  # fmt: skip
"""What follows from the rest, by the class: it is worked out when something is drawn."""
_MAPPED = frozenset({"_facecolors", "_edgecolors"})
_PLACES = (
    "transData", "transAxes", "transScale", "transLimits", "_xaxis_transform", "_yaxis_transform",
    "_viewLim", "dataLim", "bbox", "transFigure", "transSubfigure", "dpi_scale_trans", "figbbox",
    "patch",
)  # fmt: skip


def _part(hasher: Hasher, value: Any) -> None:
    """Write a part of a figure: what it is, where it is drawn, and in what.

    Raises:
        UnknownValue: it has no attributes.

    """
    if isinstance(value, (list, tuple)):
        hasher.all("items", [*value])
    elif isinstance(value, dict):
        hasher.all("keys", [*dict.keys(value)])
        hasher.all("values", [*dict.values(value)])
    elif isinstance(value, enum.Enum):
        builtin_kinds.add_enum(hasher, value)
        return
    elif not hasattr(value, "__dict__"):
        raise UnknownValue("a part of a figure without attributes is not compared")
    if isinstance(value, _transform_nodes()):
        _place(hasher, value, {})
    else:
        _attributes(hasher, value)


def _transform_nodes() -> Any:
    """Return the class of what says where parts are drawn, none before it is loaded."""
    return getattr(sys.modules.get("matplotlib.transforms"), "TransformNode", ())


def _attributes(hasher: Hasher, value: Any) -> None:
    """Write the attributes of a part, but for what follows from others."""
    held: Mapping[str, Any] = vars(value) if hasattr(value, "__dict__") else {}
    left_out = {name for base in type(value).__mro__ for name in _DERIVED.get(base.__name__, ())}
    if held.get("_A") is not None:
        left_out |= _MAPPED
    node, known = _transform_nodes(), _known_places(held)
    links, places, own = [], {}, {}
    for name, item in held.items():
        if name in left_out or name in _OF_NONE:
            continue
        if _is_whole(item):
            links.append((name, qualified(type(item))))
        elif isinstance(item, node):
            places[name] = item
        else:
            own[name] = item
    hasher.all("in", sorted(links))
    hasher.attributes(own)
    if isinstance(value, getattr(sys.modules.get("matplotlib.colors"), "Colormap", ())):
        _changed_colours(hasher, value, held or {})
    triangles = getattr(sys.modules.get("matplotlib.tri"), "Triangulation", None)
    if triangles is not None and isinstance(value, triangles):
        _changed_triangles(hasher, value, triangles)
    for name in sorted(places):
        hasher.tag(name)
        _place(hasher, places[name], known)
    callbacks = getattr(held.get("_callbacks"), "callbacks", {})
    hasher.tag(f"told to {sum(map(len, callbacks.values()))}")


def _is_whole(value: Any) -> bool:
    """Return whether a value is what parts are drawn in: a figure, its axes, or one of their axes.

    What shows one on a screen is of the machinery.
    """
    if type(value).__module__ in _PLAIN_MODULES:
        return False
    kinds = (getattr(sys.modules.get(f"matplotlib.{m}"), name, None) for m, name in _WHOLE)
    return any(kind is not None and isinstance(value, kind) for kind in kinds)


_PLAIN_MODULES = frozenset({"builtins", "numpy", "matplotlib.path", "matplotlib.transforms"})


def _known_places(held: Mapping[str, Any]) -> dict[int, str]:
    """Return the places that an axes and a figure give to what is drawn in them, by identity."""
    return {
        id(vars(owner)[name]): name
        for owner in (held.get("_parent_figure"), held.get("_axes"))
        if owner is not None
        for name in _PLACES
        if name in vars(owner)
    }


def _place(hasher: Hasher, value: Any, known: dict[int, str]) -> None:
    """Write where something is drawn: how, and in which of its axes' or figure's places."""
    if id(value) in known:
        hasher.tag(f"place {known[id(value)]}")
        return
    hasher.nodes -= 1
    if hasher.nodes < 0:
        raise UnknownValue(TOO_LARGE)
    cls = type(value)
    given = {name for base in cls.__mro__ for name in _GIVEN.get(base.__name__, ())}
    left_out = (_WORKED_OUT | _DERIVED.get(cls.__name__, set())) - given
    held = {name: item for name, item in vars(value).items() if name not in left_out}
    node = sys.modules["matplotlib.transforms"].TransformNode
    hasher.tag(f"place {qualified(cls)}")
    own = {}
    for name, item in sorted(held.items()):
        if isinstance(item, node):
            hasher.tag(name)
            _place(hasher, item, known)
        elif _is_whole(item) or id(item) in known:  # it is drawn in that
            hasher.tag(f"in {name} {qualified(type(item))}")
        elif not isinstance(getattr(item, "__self__", None), node):  # else a way to a child
            own[name] = item
    hasher.attributes(own)


_GIVEN = {"Affine2D": ("_mtx",), "Bbox": ("_points",)}
_WORKED_OUT = _OF_NONE | {
    "_affine", "_mtx", "_points", "_transformed_path", "_transformed_points",
}  # fmt: skip
"""What a place keeps that follows from the rest, unless it is what the place was given."""


def _changed_colours(hasher: Hasher, value: Any, held: Mapping[str, Any]) -> None:
    """Write a table of colours that is no longer what the library makes of the rest."""
    if not held.get("_isinit"):
        return
    levels = held.get("_segmentdata")
    if type(levels) is dict and not all(map(_calls_no_cell, levels.values())):
        hasher.add(held.get("_lut"))  # functions of a cell are not called for it
        return
    other = _worked_out.without(value, type(value), {"_isinit": False})
    type(value)._init(other)  # noqa: SLF001  # the public ones copy the table
    _worked_out.add_changed(hasher, {**held}, ["_lut"], vars(other).get)


def _changed_triangles(hasher: Hasher, value: Any, kind: type) -> None:
    """Write the edges and neighbours of triangles if they are no longer those of the triangles."""
    kept = dict.fromkeys(("_edges", "_neighbors"))
    turned = value.triangles.copy()  # the library may turn them around
    changes = {**kept, "_cpp_triangulation": None, "triangles": turned}
    other = _worked_out.without(value, kind, changes)
    _worked_out.add_changed(hasher, vars(value), kept, lambda name: getattr(other, name[1:]))


def _calls_no_cell(levels: Any) -> bool:
    """Return whether levels of a colour are numbers, or are found by a function of the library."""
    function = levels.func if type(levels) is functools.partial else levels
    if type(function) is types.FunctionType:
        return bool(function.__globals__.get("__name__") == "matplotlib._cm")
    return not callable(function)
