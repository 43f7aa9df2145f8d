"""Sees libraries come: what is to be watched in them is put on as soon as they are imported."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .desk import Desk

Wish = Callable[[Any], None]
"""What is done with a module once it has been imported."""


class Finder:
    """Finds nothing itself: it looks on while others import the modules that are wanted."""

    def __init__(
        self, desk: Desk, libraries: set[str], of_library: Callable[[str], Mapping[str, Wish]]
    ) -> None:
        self.desk, self.libraries, self._of_library = desk, libraries, of_library
        self.wanted: dict[str, Wish] = {}

    def expect(self, library: str) -> None:
        """Take note of the modules that are wanted of a library, which is about to be imported."""
        self.libraries.discard(library)
        try:
            self.wanted.update(self._of_library(library))
        except Exception as error:
            self.desk.fail(error)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return what the other finders find, with an eye on a module that is wanted."""
        if name in self.libraries and self.desk.on:
            self.expect(name)
        if name not in self.wanted or not self.desk.on:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                try:
                    self._look_on(spec, name)
                except Exception as error:
                    self.desk.fail(error)
                return spec
        return None

    def _look_on(self, spec: Any, name: str) -> None:
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: Any) -> None:
            loader.__dict__.pop("exec_module", None)
            execute(module)
            if self.desk.on:
                try:
                    self.wanted[name](module)
                except Exception as error:
                    self.desk.fail(error)

        with contextlib.suppress(AttributeError):  # a built-in loader: nothing there learns
            loader.exec_module = exec_module
