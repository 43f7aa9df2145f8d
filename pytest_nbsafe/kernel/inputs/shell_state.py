"""What IPython holds that cells may set: how values are shown, magics, what runs around cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..adapters import all_of

_USUAL_PICTURES = {"png"}, {"bbox_inches": "tight"}, True
_NOT_OF_CELLS = "IPython.", "ipykernel.", f"{__name__.partition('.')[0]}."
"""How modules begin whose calls around cells no cell has asked for: the island's own come late."""


def shell_state(shell: Any) -> Mapping[str, object]:
    """Return what is set of a shell, to be compared."""
    shown = shell.display_formatter
    plain = shown.formatters["text/plain"]
    return {
        "formatters": {kind: dict(_printers(each)) for kind, each in shown.formatters.items()},
        "kinds": [kind for kind, each in shown.formatters.items() if each.enabled],
        "texts": (plain.float_format, plain.pprint, plain.max_seq_length, plain.max_width),
        "echo": (shell.ast_node_interactivity, shell.InteractiveTB.mode),
        "pictures": _pictures(shell),
        "magics": {kind: {*known} for kind, known in shell.magics_manager.magics.items()},
        "ways": [
            [*shell.ast_transformers],
            [*shell.input_transformers_cleanup],
            [*shell.input_transformers_post],
        ],
        "events": {
            event: [call for call in calls if not _is_not_of_cells(call)]
            for event, calls in shell.events.callbacks.items()
        },
    }


def _printers(formatter: Any) -> Iterator[tuple[tuple[str, str], object]]:
    """Yield what shows values, by module and name of their class.

    Those of classes that are not loaded yet are moved once one is shown.
    """
    usual = {each for kinds in all_of("SHOWN_BY_ITSELF") for each in kinds}
    for kind, printer in [*formatter.type_printers.items()]:
        name = kind.__module__, kind.__qualname__
        if name not in usual:
            yield name, printer
    for name, printer in [*formatter.deferred_printers.items()]:
        if name not in usual:
            yield name, printer


def _pictures(shell: Any) -> object:
    """Return in which forms figures are shown, None for the usual one."""
    for each in shell.configurables:
        if type(each).__name__ == "InlineBackend":
            told = {*each.figure_formats}, {**each.print_figure_kwargs}, each.close_figures
            return None if told == _USUAL_PICTURES else told
    return None


def _is_not_of_cells(call: Any) -> bool:
    beginnings = (*_NOT_OF_CELLS, *(begin for own in all_of("OWN_HOOKS") for begin in own))
    return str(getattr(call, "__module__", "")).startswith(beginnings)
