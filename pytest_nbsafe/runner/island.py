"""The island's source, packed into one expression that a kernel can run."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from pytest_nbsafe.kernel.contract import PACKAGE

_LOADER = '''
import importlib.abc, importlib.util, sys

class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the island's modules from source held in memory."""

    def __init__(self, package, sources):
        self.package, self.sources = package, sources

    def find_spec(self, name, path=None, target=None):
        if name not in self.sources:
            return None
        return importlib.util.spec_from_loader(
            name, self, origin="<%s>" % name, is_package=name == self.package)

    def get_source(self, name):
        return self.sources[name]

    def is_package(self, name):
        return name == self.package

    def get_code(self, name):
        return compile(self.sources[name], "<%s>" % name, "exec", dont_inherit=True)

sys.meta_path.insert(0, Finder(package, sources))
importlib.import_module(package + ".bootstrap").install(**options)
'''


@functools.cache
def sources() -> dict[str, str]:
    """Return the island's modules by the names they have in the kernel."""
    found = {}
    for entry in resources.files("pytest_nbsafe.kernel").iterdir():
        if entry.name.endswith(".py"):
            stem = entry.name[: -len(".py")]
            name = PACKAGE if stem == "__init__" else f"{PACKAGE}.{stem}"
            found[name] = entry.read_text(encoding="utf-8")
    return found


def installer(*, trace: bool, learning: Mapping[str, Any] | None = None) -> str:
    """Return one expression that installs the island and leaves no name behind."""
    options = {"trace": trace, "learning": learning}
    scope = json.dumps({"package": PACKAGE, "sources": sources(), "options": options})
    decode = f"__import__('json').loads({scope!r})"
    return f"__import__('builtins').exec({_LOADER!r}, {decode})"
