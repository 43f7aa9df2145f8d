from __future__ import annotations

import pytest

from pytest_nbsafe.kernel.tracing.cell_positions import LineMap


@pytest.mark.parametrize(
    ("raw", "transformed", "shift", "lines"),
    [
        ("a\nb", "a\nb\n", 0, [1, 2]),
        ("\n\na\nb", "a\nb\n", 0, [3, 4]),
        ("!ls \\\n  -l\nx = 1\ny", "get_ipython().system('ls -l')\nx = 1\ny\n", 0, [1, 3, 4]),
        ("x\ny", "x\ny\n", 3, [4, 5]),
        ("", "", 0, [1]),
    ],
)
def test_lines(raw: str, transformed: str, shift: int, lines: list[int]) -> None:
    found = LineMap(raw, transformed, shift)
    assert lines == [found(n) for n in range(1, len(lines) + 1)]


def test_beyond_the_end() -> None:
    assert LineMap("a\nb", "a\nb")(9) == 2
