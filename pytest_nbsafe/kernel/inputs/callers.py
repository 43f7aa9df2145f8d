"""Whose code is running: a cell's, a module's of the project, or a library's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import FrameType

from ..adapters import adapter_of
from ..installed_files import PYTHONS_OWN, UsersFiles, prefixes, sites
from ..tracing.cell_positions import CellPositions

OURS = "<_nbsafe"
"""What the files begin with that our own code says it stands in."""
_IMPORTS = "<frozen importlib"
_IMPORT_MODULES = ("importlib._", "_frozen_importlib", "zipimport", "importlib.metadata")
_PYTHONS = prefixes(*PYTHONS_OWN)
MACHINERY = frozenset(
    {"IPython", "ipykernel", "jupyter_client", "jupyter_core", "traitlets", "zmq", "tornado"}
    | {"debugpy", "stack_data", "executing", "matplotlib_inline", "comm"}
)
"""What a kernel is made of."""


class Callers:
    """Looks at the frames of the thread that it is asked in."""

    def __init__(self, positions: CellPositions, users_files: UsersFiles) -> None:
        self._positions = positions
        self._users_files = users_files
        self._sites = prefixes(*sites())
        self._pythons = prefixes(*PYTHONS_OWN)

    def line(self, run: int) -> int:
        """Return the line of the run's cell that is being executed, 0 when none is."""
        return self._positions.current_line(run)

    def is_users(self, frame: FrameType | None) -> bool:
        """Tell whether a frame is of a cell, or of a module of the project."""
        return frame is not None and self.is_users_file(frame.f_code.co_filename)

    def is_users_file(self, file: str) -> bool:
        """Tell whether code of a file is of a cell, or of a module of the project."""
        return file in self._positions.files or self._users_files.is_users_code(file)

    def is_pythons(self, frame: FrameType) -> bool:
        """Tell whether a frame is of Python's own library."""
        file = frame.f_code.co_filename
        return file[:1] == "<" or (
            file.startswith(self._pythons) and not file.startswith(self._sites)
        )

    def library(self, frame: FrameType) -> str:
        """Return the name of the library that a frame is of, "" for the user's and Python's own."""
        file = frame.f_code.co_filename
        site = next((site for site in self._sites if file.startswith(site)), None)
        return file[len(site) :].partition(os.sep)[0].partition(".")[0] if site else ""

    def is_pool(self, frame: FrameType) -> bool:
        """Tell whether a frame is of a library that lets others work in its processes."""
        return bool(getattr(adapter_of(self.library(frame)), "LENDS_PROCESSES", False))

    def beyond_python(self) -> FrameType | None:
        """Return the innermost frame that is not of Python's own library."""
        return next((frame for frame in frames() if not self.is_pythons(frame)), None)

    def is_kernels(self) -> bool:
        """Tell whether it is the kernel that asks, or Python for itself."""
        frame = self.beyond_python()
        return frame is None or self.library(frame) in MACHINERY


def frames() -> Iterator[FrameType]:
    """Yield the frames of this thread, innermost first, without our own."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # what else tells who calls
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            yield frame
        frame = frame.f_back


def module_of(frame: FrameType) -> str:
    """Return the name of the module whose code runs in a frame, `pathlib` for its parts."""
    name = str(frame.f_globals.get("__name__", ""))
    return "pathlib" if name.startswith("pathlib.") else name


def is_import(frame: FrameType | None) -> bool:
    """Tell whether a frame is of the import system."""
    return frame is not None and frame.f_code.co_filename.startswith(_IMPORTS)


def asks_for_imports() -> bool:
    """Tell whether it is the import system that asks, or what reads the data of distributions."""
    for frame in frames():
        if module_of(frame).startswith(_IMPORT_MODULES):
            return True
        if not frame.f_code.co_filename.startswith((*_PYTHONS, "<")):
            return False
    return False
