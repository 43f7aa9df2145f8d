"""Bytes compressed with zstd, where the environment has it and enough of the disk is saved.

To what hangs on the bytes alone, so that equal values are stored once, or once of each kind. The
library is no part of the notebook, so it does not stay in `sys.modules`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from typing import Any

LEAST_BYTES = 1 << 14
"""Of less, few blocks of the disk could be saved."""
MOST_SHARE = 0.75
"""What stays larger is not worth the time: measured, numbers with noise stay at 0.92 or more of
their size, and all else comes to 0.01 to 0.7."""
_MUCH_SHARE, _MORE_TIMES = 0.35, 5
"""What shrinks to so little is worth so many times as long."""
_PACKED_PER_S = 3e8
"""How many bytes are compressed in a second, measured on tables, texts and models."""
_LEVEL = 1  # 3 takes half as long again, and saved 1% more
_SAMPLE_BYTES = 1 << 16
_MOST_TIMES = 1 << 15
"""So many times larger than it is can be what a frame holds: 128 kB in 4 bytes."""
_PYTHON, _PACKAGE = "compression.zstd", "zstandard"
_OURS = frozenset({"compression", "_zstd", _PACKAGE})


class Missing(Exception):  # noqa: N818  # it completes "raise Missing"
    """The environment has no zstd."""


def packed(data: memoryview, may_take_s: float) -> Any:
    """Return bytes compressed, or as they are where that cannot be done or saves too little.

    It may take so many seconds, and a few times as many where it saves most of the bytes.
    """
    size = data.nbytes
    takes_s = size / _PACKED_PER_S
    fits = size >= LEAST_BYTES and takes_s <= _MORE_TIMES * may_take_s
    library = _library() if fits else None
    if library is None:
        return data
    if size > 3 * _SAMPLE_BYTES:
        middle = size // 2
        parts = data[:_SAMPLE_BYTES], data[middle : middle + _SAMPLE_BYTES], data[-_SAMPLE_BYTES:]
        sample = b"".join(parts)
        share = len(library.compressed(sample)) / len(sample)
        if share > (MOST_SHARE if takes_s <= may_take_s else _MUCH_SHARE):
            return data
    smaller = library.compressed(data)
    return smaller if len(smaller) <= MOST_SHARE * size else data


def opened(file: Any, size: int, whole: int) -> Any:
    """Return what gives the `whole` bytes that a file of `size` bytes holds compressed.

    Raises:
        Missing: the environment has no zstd.
        ValueError: so few bytes cannot hold so many.

    """
    if whole > size * _MOST_TIMES:
        message = f"{size} bytes cannot hold {whole}"
        raise ValueError(message)
    library = _library()
    if library is None:
        message = "this environment has no zstd"
        raise Missing(message)
    return library.opened(file)


class _OfPython:
    """The module of Python 3.14 and later."""

    def __init__(self, module: Any) -> None:
        self._module = module
        asked = module.CompressionParameter
        self._options = {asked.compression_level: _LEVEL, asked.checksum_flag: 1}

    def compressed(self, data: Any) -> bytes:
        packed: bytes = self._module.compress(data, options=self._options)
        return packed

    def opened(self, file: Any) -> Any:
        return self._module.ZstdFile(file)


class _OfPackage:
    """The package `zstandard`."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._compressor = module.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def compressed(self, data: Any) -> bytes:
        packed: bytes = self._compressor.compress(data)
        return packed

    def opened(self, file: Any) -> Any:
        return self._module.ZstdDecompressor().stream_reader(file)


@functools.lru_cache(maxsize=1)
def _library() -> Any:
    """Return what compresses here, None where nothing does."""
    for name, kind in ((_PYTHON, _OfPython), (_PACKAGE, _OfPackage)):
        try:
            if _is_installed(name.partition(".")[0]):
                return kind(_imported(name))
        except Exception:  # noqa: S112  # one that is broken is none
            continue
    return None


def _is_installed(package: str) -> bool:
    """Return whether a package is found, and is no module of the notebook's own with its name."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return False
    folder = os.path.dirname(os.path.dirname(spec.origin))  # noqa: PTH120  # `pathlib` may be patched
    of_python = os.path.dirname(os.__file__)  # noqa: PTH120  # as above
    return folder == of_python or folder.endswith(("site-packages", "dist-packages"))


def _imported(name: str) -> Any:
    """Return a module; where it was not imported yet, it is not afterwards."""
    before = set(sys.modules)
    try:
        return importlib.import_module(name)
    finally:
        for new in [each for each in sys.modules if each not in before]:
            package, _, last = new.rpartition(".")
            if new.partition(".")[0] in _OURS:
                del sys.modules[new]
                if package in before:
                    vars(sys.modules[package]).pop(last, None)
