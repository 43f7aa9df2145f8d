"""What is kept is compressed where that pays, and nothing of it is seen by the notebook."""

from __future__ import annotations

import importlib.util
import io
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tiers
from keeping import KeepingKernel

from pytest_nbsafe.kernel.checkpoint import blobs, zstd
from pytest_nbsafe.kernel.checkpoint_contract import KeptFile

needs_zstd = pytest.mark.skipif(
    sys.version_info < (3, 14) and importlib.util.find_spec("zstandard") is None,
    reason="there is no zstd here",
)
SHRINKS = b"".join(b"%d," % (number % 1009) for number in range(100_000))
NOISE = os.urandom(300_000)


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    """Look for the library again: a test may hide it."""
    zstd._library.cache_clear()
    yield
    zstd._library.cache_clear()


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def hide() -> None:
        monkeypatch.setattr(zstd, "_is_installed", lambda package: not package)
        zstd._library.cache_clear()

    return hide


def written(folder: Path, data: Any) -> KeptFile:
    """Write bytes as the child does that keeps values, and read them again."""
    file = blobs.write(str(folder), data, pack_s=60)
    assert (folder / file["name"]).stat().st_size == file["size"]
    assert blobs.read(str(folder), file) == bytes(data)
    return file


# ------------------------------------------------------------------ where it pays


@needs_zstd
@pytest.mark.parametrize(
    ("data", "shrinks"),
    [
        (SHRINKS, True),
        (SHRINKS[: zstd.LEAST_BYTES], True),
        (SHRINKS[: zstd.LEAST_BYTES - 1], False),
        (bytes(10_000_000), True),
        (NOISE, False),
        (NOISE[:20_000], False),
        (b"", False),
        (bytes(70_000) + NOISE, False),
        (bytearray(SHRINKS), True),
    ],
)
def test_what_is_stored_is_smaller_where_it_pays(
    tmp_path: Path, data: Any, *, shrinks: bool
) -> None:
    file = written(tmp_path, data)
    assert file["whole"] == len(data)
    assert (file["size"] < file["whole"]) is shrinks
    assert not shrinks or file["size"] <= zstd.MOST_SHARE * file["whole"]


@needs_zstd
@pytest.mark.parametrize(("shrinks_to", "times"), [(0.01, zstd._MORE_TIMES), (0.4, 1)])
def test_nothing_is_compressed_that_takes_longer_than_it_may(
    tmp_path: Path, shrinks_to: float, times: int
) -> None:
    size = 9_000_000
    data = bytes(size) if shrinks_to < zstd._MUCH_SHARE else bytes(b >> 5 for b in os.urandom(size))
    may_take_s = size / zstd._PACKED_PER_S / times
    for part, is_packed in ((0.9, False), (1.1, True)):
        file = blobs.write(str(tmp_path), data, pack_s=may_take_s * part)
        assert (file["size"] < file["whole"]) == is_packed


@needs_zstd
def test_what_only_a_sample_shrinks_is_stored_as_it_is(tmp_path: Path) -> None:
    """The sample is the beginning, the middle and the end."""
    part = bytes(1 << 16)
    data = part + NOISE + part + os.urandom(len(NOISE)) + part
    assert written(tmp_path, data)["size"] == len(data)


@needs_zstd
def test_equal_bytes_are_stored_once_with_it_and_without(
    tmp_path: Path, without: Callable[[], None]
) -> None:
    first = written(tmp_path, SHRINKS)
    assert written(tmp_path, bytearray(SHRINKS)) == first
    assert len([*tmp_path.iterdir()]) == 1
    without()
    plain = written(tmp_path, SHRINKS)
    assert plain["size"] == plain["whole"] == first["whole"]
    assert plain["name"] != first["name"]
    with pytest.raises(zstd.Missing, match="no zstd"):
        blobs.read(str(tmp_path), first)
    zstd._library.cache_clear()


# ------------------------------------------------------------------ what is wrong gives nothing


def is_refused(folder: Path, file: KeptFile) -> bool:
    """Return whether a file cannot be read, whatever the library says of it."""
    try:
        blobs.read(str(folder), file)
    except Exception:  # noqa: BLE001  # each has its own
        return True
    return False


@needs_zstd
@pytest.mark.parametrize("at", tiers.spread(6, 3, [0.0, 0.01, 0.3, 0.5, 0.9, 0.99999]))
def test_a_compressed_file_with_a_fault_gives_nothing(tmp_path: Path, at: float) -> None:
    file = written(tmp_path, SHRINKS)
    path = tmp_path / file["name"]
    whole = path.read_bytes()
    place = int(at * len(whole))
    changed = bytearray(whole)
    changed[place] ^= 0x10
    for damaged in (whole[:place], changed):
        path.write_bytes(damaged)
        assert is_refused(tmp_path, file)
    path.write_bytes(whole)
    assert blobs.read(str(tmp_path), file) == SHRINKS


@needs_zstd
def test_no_more_is_made_of_a_file_than_it_is_said_to_hold(tmp_path: Path) -> None:
    file = written(tmp_path, bytes(20_000_000))
    for whole in (file["size"] + 1, 19_999_999, 20_000_001):
        with pytest.raises(ValueError, match="another size"):
            blobs.read(str(tmp_path), {**file, "whole": whole})
    with pytest.raises(ValueError, match="cannot hold"):
        blobs.read(str(tmp_path), {**file, "whole": 1 << 50})


# ------------------------------------------------------------------ which library, and no trace


@needs_zstd
def test_the_library_is_not_imported_for_the_notebook(tmp_path: Path) -> None:
    held = {name: sys.modules.pop(name) for name in [*sys.modules] if name[:9] == "zstandard"}
    try:
        before = dict(sys.modules)
        file = written(tmp_path, SHRINKS)
        assert file["size"] < file["whole"]
        assert dict(sys.modules) == before
    finally:
        sys.modules.update(held)


def test_a_module_of_the_notebook_with_its_name_is_not_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zstandard.py").write_text("raise SystemExit('it is mine')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "zstandard", raising=False)
    assert not zstd._is_installed("zstandard")
    monkeypatch.setitem(sys.modules, "zstandard", types.ModuleType("zstandard"))
    monkeypatch.setattr(zstd, "_PYTHON", "zstandard")
    assert zstd._library() is None


@needs_zstd
def test_the_library_of_python_is_asked_as_it_wants_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.14 has it; for older ones a module with its functions stands for it."""
    if sys.version_info >= (3, 14):
        pytest.skip("the other tests use it")
    monkeypatch.setattr(zstd, "_PYTHON", "zstandard")
    monkeypatch.setattr(zstd, "_imported", lambda _: _like_that_of_python())
    assert type(zstd._library()).__name__ == "_OfPython"
    file = written(tmp_path, SHRINKS)
    assert file["size"] < file["whole"]


def _like_that_of_python() -> Any:
    zstandard: Any = importlib.import_module("zstandard")
    module: Any = types.ModuleType("compression.zstd")
    module.CompressionParameter = types.SimpleNamespace(compression_level=100, checksum_flag=201)

    def compress(data: Any, level: Any = None, options: Any = None) -> bytes:
        assert level is None
        made = zstandard.ZstdCompressor(level=options[100], write_checksum=bool(options[201]))
        packed: bytes = made.compress(data)
        return packed

    class ZstdFile(io.BufferedReader):
        def __init__(self, file: Any) -> None:
            super().__init__(zstandard.ZstdDecompressor().stream_reader(file))

    module.compress, module.ZstdFile = compress, ZstdFile
    return module


# ------------------------------------------------------------------ in a kernel


@pytest.mark.kernel
@needs_zstd
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_values_of_a_kernel(tmp_path: Path) -> None:
    kernel = KeepingKernel(tmp_path)
    with kernel.session:
        kernel.run("import sys\nimport numpy as np")
        kernel.run(
            "table = np.arange(60_000) % 100\nagain = table.copy()\n"
            "noise = np.random.default_rng(1).random(60_000)\n"
            "words = ['one', 'two', 'three'] * 20_000"
        )
        kept = {each["names"][0]: each for each in kernel.keep("table", "again", "noise", "words")}
        files = {name: each["files"] for name, each in kept.items()}
        assert files["table"][1] == files["again"][1]
        assert files["table"][1]["size"] < files["table"][1]["whole"] / 5
        assert files["noise"][1]["size"] == files["noise"][1]["whole"] == 480_000
        assert files["words"][0]["size"] < files["words"][0]["whole"]
        kernel.through_files("table", "again", "noise", "words")
        assert kernel.run("int(table.sum()), len(words), table.flags.writeable") == (
            "(2970000, 60000, True)"
        )
        assert kernel.run("[name for name in sys.modules if name[:9] == 'zstandard']") == "[]"
        assert kernel.run("import zstandard\nzstandard.decompress(zstandard.compress(b'a'))") == (
            "ba"
        )
        (kernel.folder / files["table"][1]["name"]).write_bytes(b"")
        kernel.run("table = 0")
        (lost,) = kernel.restore([kept["table"]])
        assert lost["cause"]
        assert kernel.run("table") == "0"
