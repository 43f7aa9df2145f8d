"""Parameters of a run: given to the notebook after the cell that papermill's tag marks.

They are not written into the file. The outputs that were saved from there on were made with other
values, perhaps: they are not compared.
"""

from __future__ import annotations

from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.key_values import Pairs
from pytest_nbsafe.notebook.markers import INJECTED, PARAMETERS
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.values import replace

_MOST = 60  # characters of a value


def given(notebook: Notebook, config: Config) -> Notebook:
    """Return a notebook as it is run: its parameters are set after the cell of the defaults.

    Raises:
        NbsafeError: no cell holds the defaults.

    """
    if not config.parameters or config.static:
        return notebook
    place = _place(notebook)
    if place is None:
        names = ", ".join(name for name, _ in config.parameters)
        raise NbsafeError(
            "no-parameters",
            f"{notebook.path}: no cell takes the parameters that are given ({names})",
            f"tag the code cell that holds their defaults with {PARAMETERS!r}",
        )
    cells = (
        _with(cell, config.parameters) if cell is place else _unsaved(cell, place)
        for cell in notebook.cells
    )
    return replace(notebook, cells=tuple(cells))


def remark(notebook: Notebook, config: Config) -> str:
    """Return with which parameters a notebook is run, "" where it is with none."""
    place = _place(notebook)
    if not config.parameters or place is None or config.static:
        return ""
    told = ", ".join(f"{name} = {_short(text)}" for name, text in config.parameters)
    return f"run with {told} after cell {place.number}; outputs from there on are not compared"


def _place(notebook: Notebook) -> Cell | None:
    """Return the cell after which parameters are set."""
    code = [cell for cell in notebook.cells if cell.kind == "code"]
    marked = ([c for c in code if tag in c.tags] for tag in (INJECTED, PARAMETERS))
    return next((cells[-1] for cells in marked if cells), None)


def _with(cell: Cell, parameters: Pairs) -> Cell:
    """Return a cell that sets the parameters at its end, in lines that no file has."""
    lines = (f"{name} = {text}" for name, text in parameters)
    return replace(cell, source="\n".join((cell.source, *lines)), outputs=())


def _unsaved(cell: Cell, place: Cell) -> Cell:
    return replace(cell, outputs=()) if cell.number > place.number else cell


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
