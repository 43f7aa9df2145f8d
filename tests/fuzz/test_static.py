"""Files that went wrong: each gets an answer, none a traceback, none an endless analysis."""

from __future__ import annotations

import json
from pathlib import Path

import mutations
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from probe import probe, sockets

_BATCH = 25
_BY_DEFAULT, _IN_CORPUS, _IN_ALL = 25, 400, 20_000


def batches() -> list[object]:
    """Return the first number of each batch: by default 25 inputs, by markers the more."""
    return [
        pytest.param(
            first,
            marks=()
            if first < _BY_DEFAULT
            else pytest.mark.corpus
            if first < _IN_CORPUS
            else pytest.mark.fuzz,
        )
        for first in range(0, _IN_ALL, _BATCH)
    ]


@pytest.mark.parametrize("first", batches())
def test_any_notebook_is_answered(first: int, tmp_path: Path) -> None:
    open_before = sockets()
    for number in range(first, first + _BATCH):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "input.ipynb"
        path.write_bytes(mutations.notebook(number))
        (folder / "nbsafe.toml").write_text("", encoding="utf-8")
        if number % 4 == 0:
            settings = mutations.configuration(number)
            (folder / "nbsafe.toml").write_text(settings, "utf-8", "surrogatepass")
            (folder / "baseline.json").write_bytes(mutations.baseline(number, path.name))
        try:
            probe(path)
        except BaseException as error:
            raise AssertionError(f"input {number}: see mutations.notebook({number})") from error
    assert sockets() == open_before


@pytest.mark.corpus
def test_pytest_collects_any_notebook(pytester: pytest.Pytester) -> None:
    for number in range(200):
        (pytester.path / f"input_{number}.ipynb").write_bytes(mutations.notebook(number))
    result = pytester.runpytest_inprocess("--nbsafe", "--nbsafe-static", "-q", "--tb=no")
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    result.stdout.no_fnmatch_line("*INTERNAL*")


KEYS = st.sampled_from(
    (
        *("cells", "cell_type", "code", "source", "outputs", "metadata", "execution_count", "id"),
        *("nbformat", "nbformat_minor", "worksheets", "input", "tags", "kernelspec", "language"),
        *("language_info", "name", "version", "output_type", "data", "text", "ename", "traceback"),
    )
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(), inner, max_size=6)
    ),
    max_leaves=20,
)
CELLS = st.lists(st.dictionaries(KEYS, JSON, max_size=8) | JSON, max_size=5) | JSON


@pytest.mark.corpus
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.integers(1, 6) | JSON, CELLS, st.dictionaries(KEYS, JSON, max_size=4))
def test_any_json_is_answered(
    tmp_path: Path, version: object, cells: object, more: dict[str, object]
) -> None:
    path = tmp_path / "input.ipynb"
    path.write_text(json.dumps({**more, "nbformat": version, "cells": cells}), encoding="utf-8")
    probe(path)
