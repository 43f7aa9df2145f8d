"""The island, packed into one expression that a kernel can evaluate: its source, and its code."""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import marshal
import sys
import zlib
from collections.abc import Mapping
from importlib import resources
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from pytest_nbsafe.kernel.contract import PACKAGE

if sys.version_info >= (3, 11):
    from importlib.resources.abc import Traversable
else:
    from importlib.abc import Traversable

_LOADER = '''
import base64, importlib.abc, importlib.util, json, marshal, sys, zlib

class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the island's modules from what is held in memory."""

    def __init__(self, package, sources, codes):
        self.package, self.sources, self.codes = package, sources, codes

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
        if name in self.codes:
            return marshal.loads(self.codes[name])
        return compile(self.sources[name], "<%s>" % name, "exec", dont_inherit=True)

def unpacked(text):
    return zlib.decompress(base64.b64decode(text))

same = importlib.util.MAGIC_NUMBER.hex() == magic
codes = marshal.loads(unpacked(codes)) if same else {}
sys.meta_path.insert(0, Finder(package, json.loads(unpacked(sources)), codes))
importlib.import_module(package + ".bootstrap").install(**options)
'''


@functools.cache
def sources() -> dict[str, str]:
    """Return the island's modules by the names they have in the kernel."""
    return {_name(file): file.read_text(encoding="utf-8") for file in _files()}


def installer(*, trace: bool, learning: Mapping[str, Any] | None = None) -> str:
    """Return one expression that installs the island and leaves no name behind.

    It is to be evaluated (`user_expressions`): IPython takes long to read a text of this size as a
    cell. A kernel of the Python that we run in need not compile anything.
    """
    options = {"trace": trace, "learning": learning}
    scope = json.dumps({"package": PACKAGE, "options": options, **_packed()})
    decode = f"__import__('json').loads({scope!r})"
    return f"__import__('builtins').exec({_LOADER!r}, {decode})"


@functools.cache
def _packed() -> dict[str, str]:
    codes = {_name(file): marshal.dumps(_code(file)) for file in _files()}
    return {
        "sources": _text(json.dumps(sources()).encode()),
        "codes": _text(marshal.dumps(codes)),
        "magic": importlib.util.MAGIC_NUMBER.hex(),
    }


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode()


def _files() -> list[Traversable]:
    folder = resources.files("pytest_nbsafe.kernel")
    return [file for file in folder.iterdir() if file.name.endswith(".py")]


def _name(file: Traversable) -> str:
    stem = file.name[: -len(".py")]
    return PACKAGE if stem == "__init__" else f"{PACKAGE}.{stem}"


def _code(file: Traversable) -> CodeType:
    """Return a module's code, as a rule compiled when we were installed."""
    name = _name(file)
    if isinstance(file, Path):
        code = SourceFileLoader(name, str(file)).get_code(name)
    else:  # in an archive
        code = compile(sources()[name], "", "exec", dont_inherit=True)
    assert code is not None, "a source file always gives code"
    return _named(code, f"<{name}>")


def _named(code: CodeType, file: str) -> CodeType:
    """Return code that stands in another file."""
    consts = (_named(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=tuple(consts))
