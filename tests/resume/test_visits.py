"""`%nbsafe` in a kernel that was checked out: it comes to another cell's state."""

from __future__ import annotations

from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path

import makenb
import percent
import pytest
import tiers

from pytest_nbsafe.app.checkout import checked_out
from pytest_nbsafe.resume import keeping_budget
from pytest_nbsafe.resume.visited_kernel import VisitedKernel
from resume import random_moves
from resume.visiting import FrontEnd, front_end

PAGE = """
# %% [1]
import time, random
def scale(value):
    return 10 * value
# %% [2]
rows = [[1], [2]]
first = rows[0]
# %% [3]
time.sleep(0.3)
table = {"rows": rows, "n": 2}
# %% [4]
first.append(scale(3))
# %% [5]
table["n"] = sum(map(len, rows))
total = table["n"]
# %% [6]
del first
print(total)
"""
NAMES = ("rows", "first", "table", "total", "table['rows'] is rows", "rows[0] is first", "mine")
START = ["NameError"] * 7
BUILT = ["[[1], [2]]", "[1]", "{'rows': [[1], [2]], 'n': 2}", "NameError", "True", "True"]
GROWN = [
    "[[1, 30], [2]]",
    "[1, 30]",
    "{'rows': [[1, 30], [2]], 'n': 2}",
    "NameError",
    "True",
    "True",
]
SUMMED = ["[[1, 30], [2]]", "[1, 30]", "{'rows': [[1, 30], [2]], 'n': 3}", "3", "True", "True"]
POINTS = {
    "before cell 6": [*SUMMED, "NameError"],
    "after cell 5": [*SUMMED, "NameError"],
    "before cell 4": [*BUILT, "NameError"],
    "before cell 2": START,
    "after cell 3": [*BUILT, "NameError"],
    "before cell 5": [*GROWN, "NameError"],
    "after cell 6": [SUMMED[0], "NameError", *SUMMED[2:5], "NameError", "NameError"],
}
"""What Python makes of the page, by hand."""
TYPED = [
    "pass",
    "first.append('mine')",
    "mine = first; mine[:] = []",
    "del table, rows",
    "rows = [[], [5]]; first = rows[1]",
    "def scale(value): return 0",
    "globals()['table'] = 3",
    "for key in list(globals()):\n    if key in {'rows', 'first', 'total'}: del globals()[key]",
    "mine = lambda: rows.append(7)\nmine()",
    "mine = [first]\n1 / 0",
    "exec('first.append(1)')",
    "%timeit -n1 -r1 first.append(1)",
    "%%capture mine\nfirst.append(1)",
    "mine = !echo 1",
    "first?",
    "%nbsafe",
]


@pytest.fixture
def notebook(own_store: Path) -> Path:
    return makenb.write(own_store / "nb.ipynb", PAGE)


def seen(visitor: FrontEnd) -> list[str]:
    return [visitor.value(name) for name in NAMES]


def moved(visitor: FrontEnd, point: str) -> str:
    """Return what is said when a kernel is asked for a point."""
    way, _, cell = point.split()
    return visitor.run(f"%nbsafe --{way} {cell}")


@pytest.mark.kernel
@pytest.mark.parametrize("typed", tiers.spread(18, 6, TYPED))
def test_a_kernel_comes_to_the_state_of_a_cell(notebook: Path, typed: str) -> None:
    with checked_out(notebook, {}, 6, before=False) as state, front_end(state) as visitor:
        for point, expected in POINTS.items():
            visitor.run(typed)
            said = moved(visitor, point)
            assert said.startswith(f"{point}: "), said
            assert seen(visitor) == expected, (point, said)


APART = """
# %% [1]
first = [1]
# %% [2]
second = list(first) + [2]
# %% [3]
third = {"x": 3}
# %% [4]
Size = int
# %% [5]
def sized(value: Size) -> Size: return value
# %% [6]
last = 0
"""


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("typed", "done"),
    tiers.every_row(
        3,
        [
            ("mine = third", "all that it needs was there"),
            ("third.clear()", "1 cell run again"),
            ("del second", "1 cell run again"),
            ("first.append(5)", "1 cell run again"),  # what came of it shares nothing with it
            ("first = second = third = 0", "3 cells run again"),
            ("del sized", "1 cell run again"),
        ],
    ),
)
def test_only_what_differs_is_made_again(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, typed: str, done: str
) -> None:
    monkeypatch.setattr(keeping_budget, "LEAST_S", float("inf"))  # however slow the machine is
    path = makenb.write(own_store / "nb.ipynb", APART)
    with checked_out(path, {}, 6, before=True) as state, front_end(state) as visitor:
        visitor.run(typed)
        assert moved(visitor, "before cell 6").startswith(f"before cell 6: {done}, in ")
        assert visitor.value("first, second, third") == "([1], [1, 2], {'x': 3})"
        assert visitor.value("sized(Size(1.5))") == "1"
        assert visitor.value("mine") == "NameError"


DRAWN = """
# %% [1]
left = [3, 2, 1]
# %% [2]
first = [left.pop(), {shared}]
# %% [3]
held = [first]
# %% [4]
second = left.pop()
"""


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("shared", "done"),
    tiers.every_row(2, [("0", "2 cells run again"), ("left", "3 cells run again")]),
)
def test_what_shares_nothing_with_what_is_made_anew_stays(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, shared: str, done: str
) -> None:
    monkeypatch.setattr(keeping_budget, "LEAST_S", float("inf"))  # so that nothing is loaded
    path = makenb.write(own_store / "nb.ipynb", DRAWN.format(shared=shared))
    with checked_out(path, {}, 4, before=False) as state, front_end(state) as visitor:
        said = moved(visitor, "before cell 4")
        assert said.startswith(f"before cell 4: {done}, in ")
        assert visitor.value("left, first[0], held[0] is first") == "([3, 2], 1, True)"
        assert visitor.value("first[1] is left") == str(shared == "left")


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_was_kept_meanwhile_is_loaded(notebook: Path) -> None:
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        for _ in range(100):  # until it is kept
            visitor.run("time.sleep(0.1)")
            visitor.run("table.clear()")
            said = moved(visitor, "before cell 4")
            assert seen(visitor) == POINTS["before cell 4"]
            if "loaded" in said:
                break
        assert "rows and table loaded" in said


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("typed", "why"),
    tiers.every_row(
        3,
        [
            ("random.random()", "the random numbers of random may have changed"),
            ("import os; os.chdir('/')", "settings (folder) may have changed: only a new kernel"),
            (
                "from threading import *; Thread(target=lambda: time.sleep(2)).start()",
                "threads that a cell has started may still change its values",
            ),
            ("get_ipython().run_cell('first.append(1)');", "settings (shell) may have changed"),
            ("%precision 3", "settings (shell) may have changed"),
        ],
    ),
)
def test_a_new_kernel_where_no_move_is_sure(notebook: Path, typed: str, why: str) -> None:
    with checked_out(notebook, {}, 6, before=True) as state, front_end(state) as visitor:
        visitor.run(typed)
        said = moved(visitor, "before cell 4")
        assert said.startswith(why), said
        assert said.endswith(f"    nbsafe checkout {notebook} --before 4")
        assert state.visits.wanted is None
        state.visits.reopens = True
        assert moved(visitor, "before cell 4").endswith(": a new kernel opens before cell 4")
        assert {"source": "ask_exit", "keepkernel": True} in visitor.payload
        assert str(state.visits.wanted) == "before cell 4"


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_has_not_run_needs_a_new_kernel(notebook: Path) -> None:
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        said = moved(visitor, "before cell 6")
        assert said.startswith("cell 4 has not run yet as it is now: only a new kernel"), said
    with checked_out(notebook, {}, 6, before=True):
        pass
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        assert moved(visitor, "before cell 6").startswith("before cell 6: ")
        assert seen(visitor) == POINTS["before cell 6"]


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_is_typed_wrongly(notebook: Path) -> None:
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        assert visitor.run("%nbsafe").startswith("%nbsafe --before CELL or --after CELL brings")
        assert visitor.run("%nbsafe --before").startswith("%nbsafe --before CELL or --after CELL")
        assert visitor.run("%nbsafe --before 9") == "the code cells are 1, 2, 3, 4, 5 and 6"
        assert visitor.run("x = 1\n%nbsafe --before 2") == "%nbsafe stands alone in its cell"
    with checked_out(notebook, {}, 4, before=True) as state:
        visits = state.visits
        with front_end(state) as visitor:
            visits.close()
            assert "`nbsafe checkout` that has opened this kernel" in visitor.run("%nbsafe")


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_stranger_at_the_door_changes_nothing(notebook: Path) -> None:
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        with pytest.raises(AuthenticationError):
            Client(state.visits._listener.address, authkey=b"another")
        assert moved(visitor, "before cell 3").startswith("before cell 3: ")


@pytest.mark.kernel
@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_after_a_fault_of_ours_nobody_waits(
    notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(VisitedKernel, "move", fail)
    with checked_out(notebook, {}, 4, before=True) as state, front_end(state) as visitor:
        visitor.run("%nbsafe --before 3")
        assert "`nbsafe checkout` that has opened this kernel" in visitor.run("%nbsafe")


@pytest.mark.kernel
@pytest.mark.corpus
def test_front_ends_draw_no_random_numbers(notebook: Path) -> None:
    with checked_out(notebook, {}, 6, before=True) as state:
        with front_end(state) as visitor:
            before = visitor.value("random.getstate()")
        with front_end(state) as visitor:
            assert visitor.value("random.getstate()") == before


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_was_made_beside_a_value_that_was_loaded(own_store: Path) -> None:
    above = [
        "a, b = [1], [2]\nc = [a, b]\n__import__('time').sleep(0.3)",
        "import json; n = len(a)",
    ]
    path = own_store / "nb.ipynb"
    for last in ("a = b", "b.append(3)"):  # `a` is not kept with `c`, and made again for its length
        cells = [*above, last]
        makenb.write(path, percent.page_of(*cells))
        with checked_out(path, {}, 3, before=False) as state, front_end(state) as visitor:
            assert random_moves.shape(visitor) == random_moves.shapes(cells)[-1]


@pytest.mark.kernel
@pytest.mark.corpus
@pytest.mark.parametrize("seed", [25])
def test_random_moves(own_store: Path, seed: int) -> None:
    made, wrong = random_moves.tried(own_store, seed, 6)
    assert not wrong
    assert made == 6
    assert not random_moves.edited(own_store, seed, 3)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", tiers.by_hand(2, range(40, 42)))
def test_random_moves_on_more_pages(own_store: Path, seed: int) -> None:
    assert not random_moves.tried(own_store, seed, 12)[1]
    assert not random_moves.edited(own_store, seed, 8)
