"""What is told of an assert that failed, and that nothing runs for it."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import Any, NoReturn

import pytest

from pytest_nbsafe.kernel.tracing.assert_values import assert_values

FILE = "<cell>"


class Account:
    def __init__(self) -> None:
        self.balance = 5

    @property
    def doubled(self) -> NoReturn:
        pytest.fail("a property was run")

    def computed(self) -> int:
        self.balance += 1
        return self.balance


class Slotted:
    __slots__ = ("x",)

    def __init__(self) -> None:
        self.x = 1


@dataclass
class Point:
    x: int = 1


class Unreadable:
    def __repr__(self) -> str:
        raise ValueError


class Table(dict[str, int]):
    def __getitem__(self, key: str) -> int:
        return 2


NAMES: dict[str, Any] = {
    "total": 6,
    "want": 7,
    "rows": [1, 2, 3],
    "long": list(range(1_000)),
    "text": "x" * 1_000,
    "nested": {"k": [1, {"z": 2}]},
    "account": Account(),
    "point": Point(),
    "slotted": Slotted(),
    "unreadable": Unreadable(),
    "table": Table(k=1),
    "objects": [Account()],
    "ratio": 0.5,
}


@pytest.mark.parametrize(
    ("source", "held"),
    [
        ("assert total == 7", "total=6"),
        ("assert total == want, 'no'", "total=6 want=7"),
        ("assert len(rows) == 4", "len(rows)=3 rows=[1, 2, 3]"),
        (
            "assert abs(ratio - total) < 0.1",
            "abs(ratio - total)=5.5 ratio - total=-5.5 ratio=0.5 total=6",
        ),
        ("assert -total == want", "total=6 want=7"),
        ("assert not rows", "rows=[1, 2, 3]"),
        ("assert total and total == 2", "total=6"),
        ("assert all(row > want for row in rows)", "rows=[1, 2, 3]"),
        ("assert nested['k'][1]['z'] == 1", "nested['k'][1]['z']=2"),
        ("assert account.balance == 6", "account.balance=5"),
        ("assert account.computed() == 1", ""),
        ("assert slotted.x == 2", "slotted.x=1"),
        ("assert point == want", "point=Point(x=1) want=7"),
        ("assert table['k'] == want", "table={'k': 1} want=7"),
        ("assert str(total) == '7'", "total=6"),
        ("assert sorted(rows, key=lambda row: -row) == want", "rows=[1, 2, 3] want=7"),
        ("assert long == []", "long=[0, 1, 2, 3, 4, 5, 6, 7, ...]"),
        ("assert objects == []", "objects=[<Account>]"),
        ("assert unreadable is None", "unreadable=<Unreadable instance>"),
        ("assert (total\n        == 5)", "total=6"),
        ("def f(v):\n    w = v * 2\n    assert w == 5\nf(2)", "w=4"),
        ("assert total == 6; assert want == 6", ""),
        ("len = int\nassert len(total) == 5", "total=6"),
        ("assert 2 ** total == 5", "total=6"),
        ("raise AssertionError('of its own')", ""),
        ("1 / 0", ""),
    ],
)
def test_what_the_operands_held(source: str, held: str) -> None:
    assert held == " ".join(f"{name}={value}" for name, value in _of(source))


def test_long_texts_are_cut() -> None:
    ((name, value),) = _of("assert text == ''")
    assert (name, len(value) < 100, "..." in value) == ("text", True, True)


def test_tables_are_told_in_a_few_words() -> None:
    pandas = pytest.importorskip("pandas")
    NAMES["df"] = pandas.DataFrame({"a": [1, 2, 3]})
    assert _of("assert len(df) == 4")[0] == ("len(df)", "3")
    assert _of("assert df.shape == (4, 1)") == [("df.shape", "(3, 1)")]
    ((name, value),) = _of("assert (df['a'] > 1).all()")
    assert (name, value.startswith("DataFrame, shape (3, 1), columns a")) == ("df", True)


def test_what_the_cell_itself_shows_is_not_run() -> None:
    shows = "class Loud:\n    def __repr__(self):\n        raise SystemExit\nloud = Loud()\n"
    assert _of(f"{shows}assert [loud] == []") == []
    assert _of(f"{shows}louds = [loud]\nassert louds == []") == [("louds", "[<Loud>]")]


def _of(source: str) -> list[tuple[str, str]]:
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    with pytest.raises(Exception) as raised:
        exec(compile(source, FILE, "exec"), dict(NAMES))
    return assert_values(raised.value, {FILE})
