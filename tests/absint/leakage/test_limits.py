"""What bounds an answer, what a user's table adds to it, and what a leak is called."""

import pytest
from leakcase import leaks_of

from pytest_nbsafe.absint.leakage import passes

LOAD = """\
# %%
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
"""
SPLIT = """\
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
"""


def test_a_library_of_the_users_own_is_seen_when_a_table_says_what_it_does() -> None:
    text = LOAD + "from helpers import MyScaler\nX = MyScaler().fit_transform(X)\n" + SPLIT
    extra = '{"helpers": {"transformer": ["MyScaler"]}}'
    assert [leak.code for leak in leaks_of(text, extra)] == ["NBS301"]


def test_a_page_without_end_is_left_where_the_steps_end() -> None:
    loops = "".join(f"{'    ' * i}for x{i} in range(9):\n" for i in range(15))
    assert leaks_of(f"# %%\n{loops}{'    ' * 15}print(x0)\n{LOAD}") == ()
    assert passes.LIMITS.steps < 2**15


@pytest.mark.parametrize("function", ["min", "max", "sum"])
def test_a_statistic_has_the_name_that_the_page_calls(function: str) -> None:
    (leak,) = leaks_of(LOAD + f"X = X / {function}(X)\n" + SPLIT)
    assert (leak.code, leak.what) == ("NBS302", function)
