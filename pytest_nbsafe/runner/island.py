"""The island, packed into one expression that a kernel can evaluate: its source, and its code."""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import marshal
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.kernel.contract import PACKAGE, Measurement

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

_LOADER = '''
import base64, builtins, importlib.abc, importlib.util, json, marshal, sys, zlib

class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the island's modules from what is held in memory.

    They have builtins of their own, whatever a cell makes of the others.
    """

    own = dict(vars(builtins))

    def __init__(self, sources, codes):
        self.sources, self.codes = sources, codes
        self.packages = {name.rpartition(".")[0] for name in sources}

    def find_spec(self, name, path=None, target=None):
        if name not in self.sources:
            return None
        return importlib.util.spec_from_loader(
            name, self, origin="<%s>" % name, is_package=self.is_package(name))

    def exec_module(self, module):
        module.__builtins__ = self.own
        super().exec_module(module)

    def get_source(self, name):
        return self.sources[name]

    def is_package(self, name):
        return name in self.packages

    def get_code(self, name):
        if name in self.codes:
            return marshal.loads(self.codes[name])
        return compile(self.sources[name], "<%s>" % name, "exec", dont_inherit=True)

def unpacked(text):
    return zlib.decompress(base64.b64decode(text))

same = importlib.util.MAGIC_NUMBER.hex() == magic
codes = marshal.loads(unpacked(codes)) if same else {}
sys.meta_path.insert(0, Finder(json.loads(unpacked(sources)), codes))
importlib.import_module(package + ".bootstrap").install(**options)
'''


@functools.cache
def sources() -> dict[str, str]:
    """Return the island's modules by the names they have in the kernel."""
    return {name: file.read_text(encoding="utf-8") for name, file in _files()}


def installer(
    *,
    trace: bool,
    learning: Mapping[str, Any] | None = None,
    paths: tuple[Sequence[str], Sequence[str]] = ((), ()),
    root: str = "",
    inputs: bool = False,
    measurement: Measurement | None = None,
) -> str:
    """Return one expression that installs the island, leaves no name, and gives Python's version.

    `root` is what stands before the paths of a kernel that runs in a copy of its folder. With
    `inputs` each run tells what it uses beyond names.
    It is to be evaluated (`user_expressions`): IPython takes long to read a text of this size as a
    cell. A kernel of the Python that we run in need not compile anything.
    """
    inside = f"{PACKAGE}.adapters."
    found = (name[len(inside) :] for name in sources() if name.startswith(inside))
    adapters = [name for name in found if not name.startswith("_")]
    options = {
        "trace": trace,
        "learning": learning,
        "adapters": adapters,
        "paths": paths,
        "root": root,
        "inputs": inputs,
        "measurement": measurement,
    }
    scope = json.dumps({"package": PACKAGE, "options": options, **_packed()})
    decode = f"__import__('json').loads({scope!r})"
    install = f"__import__('builtins').exec({_LOADER!r}, {decode})"
    return f"{install} or __import__('sys').version.partition(' ')[0]"


@functools.cache
def _packed() -> dict[str, str]:
    codes = {name: marshal.dumps(_code(name, file)) for name, file in _files()}
    return {
        "sources": _text(json.dumps(sources()).encode()),
        "codes": _text(marshal.dumps(codes)),
        "magic": importlib.util.MAGIC_NUMBER.hex(),
    }


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode()


@functools.cache
def _files() -> list[tuple[str, Traversable]]:
    """Return each module's name in the kernel, and its file."""
    from importlib import resources  # where nothing runs, no kernel needs it

    return list(_below(PACKAGE, resources.files("pytest_nbsafe.kernel")))


def _below(package: str, folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        stem, dot, suffix = entry.name.partition(".")
        if suffix == "py":
            yield package if stem == "__init__" else f"{package}.{stem}", entry
        elif not dot and stem != "__pycache__" and entry.is_dir():
            yield from _below(f"{package}.{stem}", entry)


def _code(name: str, file: Traversable) -> CodeType:
    """Return a module's code, as a rule compiled when we were installed."""
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
