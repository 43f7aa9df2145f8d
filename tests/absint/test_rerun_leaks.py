"""What-if: which sequences of runs would end in a score on rows that were learned from."""

from whatifcase import graph, plan

from pytest_nbsafe.absint import engine
from pytest_nbsafe.absint.leakage.passes import leaks
from pytest_nbsafe.absint.leakage.rerun_leaks import domain
from pytest_nbsafe.absint.whatif_search import whatif

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
    leakage = domain(nb, plan(order))
    assert leakage is not None
    reached = engine.explore(leakage, run, sorted(nb.cells), 3)
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
    assert domain(graph("x = 1", "print(x)"), plan([1, 2])) is None


def test_a_what_if_knows_the_users_own_libraries() -> None:
    cells = (
        LOAD.replace("sklearn.preprocessing import StandardScaler", "helpers import MyScaler"),
        "scaled = MyScaler().fit_transform(X)",
        "a, b, c, d = train_test_split(scaled, y, random_state=0)",
        FIT,
        SCORE,
    )
    nb, ran = graph(*cells), plan([1, 2, 3, 4, 5])
    tables = '{"helpers": {"transformer": ["MyScaler"]}}'
    assert [leak.code for leak in leaks(nb, ran.cells, tables)] == ["NBS301"]
    answer = whatif(nb, ran, 2, leakage=tables)
    assert [leak.cause[-7:-1] for leak in answer.leaks] == ["NBS301"]
    assert answer.safe == ()
    assert whatif(nb, ran, 2).safe == ((2, 3, 4, 5),)
