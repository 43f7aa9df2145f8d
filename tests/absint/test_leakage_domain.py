"""What-if: which sequences of runs would end in a score on rows that were learned from."""

from whatifcase import graph, plan

from pytest_nbsafe.absint import engine
from pytest_nbsafe.absint.leakage.domain import domain

LOAD = """\
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)"""
SPLIT = "a, b, c, d = train_test_split(X, y{})"
SCALE = "X = StandardScaler().fit_transform(X)"
FIT = "model = SVC().fit(a, c)"
SCORE = "model.score(b, d)"


def _leaks(run: int, *cells: str, ran: str = "") -> list[tuple[tuple[int, ...], str]]:
    order = [int(cell) for cell in ran.split()] or list(range(1, len(cells) + 1))
    nb = graph(*cells)
    reached = engine.explore(domain(nb, plan(order), run, None), run, sorted(nb.cells), 3)
    told = [found for found in reached.offences if not found.follows]
    return sorted((found.sequence, found.violation.cause[-7:-1]) for found in told)


def test_another_split_without_another_fit_scores_training_rows() -> None:
    found = _leaks(2, LOAD, SPLIT.format(""), FIT, SCORE)
    assert ((2, 4), "NBS312") in found


def test_a_seeded_split_gives_the_same_rows_again() -> None:
    assert _leaks(2, LOAD, SPLIT.format(", random_state=0"), FIT, SCORE) == []


def test_scaling_below_the_split_leaks_once_the_split_runs_again() -> None:
    cells = LOAD, SPLIT.format(", random_state=0"), SCALE, FIT, SCORE
    found = _leaks(3, *cells, ran="1 2 4 5")
    assert ((3, 2, 5), "NBS301") in found


def test_nothing_is_looked_for_where_nothing_learns() -> None:
    assert _leaks(1, "x = 1", "print(x)") == []
