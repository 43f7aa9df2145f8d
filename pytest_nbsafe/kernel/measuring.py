"""Coverage of the user's modules, measured in a kernel as in the program that runs the notebook."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

from .contract import Measurement

_MEASURING: list[Any] = []
"""What measures, if this kernel does."""


def start(asked: Measurement) -> None:
    """Measure from now on, unless the kernel does already (`patch = subprocess`), or cannot."""
    try:
        from coverage import Coverage
        from ipykernel import compiler
    except ImportError:
        return
    if Coverage.current() is not None:
        return
    options = asked["options"]
    texts_of_cells: Any = compiler
    omitted = f"{texts_of_cells.get_tmp_directory()}/*"
    options["run:omit"] = [*(options.get("run:omit") or ()), omitted]
    measuring = Coverage(data_file=asked["file"], config_file=False)
    for name, value in options.items():
        measuring.set_option(name, value)
    with _in_folder(asked["folder"]):  # what is relative counts from there
        measuring.start()
    _MEASURING.append(measuring)


def ask(_: object) -> None:
    """Write what was measured into its file, and measure no more."""
    while _MEASURING:
        measuring = _MEASURING.pop()
        with warnings.catch_warnings():  # of what no cell has used the program itself may tell
            warnings.simplefilter("ignore")
            measuring.stop()
            measuring.save()


@contextlib.contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    here = os.getcwd()  # noqa: PTH109  # pathlib has no fitting chdir
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
