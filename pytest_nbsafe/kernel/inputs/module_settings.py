"""What modules of the project set of libraries: when they are imported, and in their functions."""

from __future__ import annotations

import sys
import tokenize
from collections.abc import Collection, Iterable
from types import CodeType
from typing import Any

from ..functions.reach import FUNCTION, inside
from .project_reach import ProjectModule
from .setting_places import SettingPlace, may_set, setting_places


class ModuleSettings:
    """Reads the modules that may set something, each once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[SettingPlace]] = {}

    def set_by(
        self,
        modules: Iterable[ProjectModule],
        new: Collection[ProjectModule],
        codes: Collection[CodeType],
    ) -> set[str]:
        """Return the modules of libraries of which modules that take part in a run set something.

        Those that are `new` have been imported in it. `codes` are of the functions that may run.
        """
        found: set[str] = set()
        for module in modules:
            if module.code is None or not may_set(module):
                continue
            functions = [code for code in inside(module.code) if code.co_flags & FUNCTION]
            within = _lines_of(functions)
            runs = _lines_of(code for code in functions if code in codes)
            for place in self._places(module):
                is_at_once = module in new and (place.decorates or place.line not in within)
                if is_at_once or place.line in runs:
                    found.add(place.module)
        return found

    def _places(self, module: ProjectModule) -> list[SettingPlace]:
        key = module.file, module.digest
        if key not in self._known:
            self._known[key] = setting_places(_text(module.file), _home(module))
        return self._known[key]


def _home(module: ProjectModule) -> dict[str, Any]:
    return vars(sys.modules[module.name]) if module.name in sys.modules else {}


def _text(file: str) -> str:
    try:
        with tokenize.open(file) as stream:
            return stream.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""


def _lines_of(codes: Iterable[CodeType]) -> set[int]:
    return {line for code in codes for *_, line in code.co_lines() if line}
