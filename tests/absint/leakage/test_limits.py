"""What is not seen, or seen where it is not: kept here until it is mended."""

from leakcase import found, told

from pytest_nbsafe.absint.leakage import interpret

SPLIT = """
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
"""


def test_false_negative_a_library_that_the_tables_do_not_know() -> None:
    text = """
# %%
from helpers import MyScaler
X, y = load_wine(return_X_y=True)
X = MyScaler().fit_transform(X)
"""
    assert told(text + SPLIT) == []


def test_a_library_of_the_users_own_is_seen_when_a_table_says_what_it_does() -> None:
    text = """
# %%
from helpers import MyScaler
X, y = load_wine(return_X_y=True)
X = MyScaler().fit_transform(X)
"""
    extra = '{"helpers": {"transformer": ["MyScaler"]}}'
    assert [leak.code for leak in found(text + SPLIT, extra=extra)] == ["NBS301"]


def test_false_negative_groups_in_an_array_of_their_own() -> None:
    text = """
# %%
patients = np.repeat(np.arange(50), 6)
X = np.random.normal(size=(300, 4)); y = np.random.randint(0, 2, 50)[patients]
"""
    assert told(text + SPLIT) == []


def test_one_seed_makes_another_split_of_fewer_rows() -> None:
    text = """
# %%
df = pd.read_csv("a.csv")
train, test = train_test_split(df, random_state=0)
m = Ridge().fit(train[["x"]], train["y"])
# %%
train, test = train_test_split(df.dropna(), random_state=0)
print(m.score(test[["x"]], test["y"]))
"""
    assert told(text) == ["NBS312 5"]


def test_a_page_without_end_is_left_where_the_steps_end() -> None:
    loops = "".join(f"{'    ' * i}for x{i} in range(9):\n" for i in range(15))
    text = f"\n# %%\n{loops}{'    ' * 15}print(x0)\n# %%\nX, y = load_wine(return_X_y=True)\n"
    assert found(text) == ()
    assert interpret.MOST_STEPS < 2**15


def test_false_negative_a_window_over_rows_turned_round() -> None:
    text = """
# %%
df = pd.read_csv("a.csv", parse_dates=["t"], index_col="t")
df["ahead"] = df["x"][::-1].rolling(6).mean()[::-1]
train, test = df[:"2020"], df["2021":]
m = Ridge().fit(train[["ahead"]], train["y"])
print(m.score(test[["ahead"]], test["y"]))
"""
    assert told(text) == []


def test_false_negative_rows_made_user_by_user() -> None:
    text = """
# %% [2]
rows = []
for user in range(100):
    for session in range(10):
        rows.append({"user_id": user, "x": np.random.randn(), "y": user % 2})
df = pd.DataFrame(rows)
X, y = df[["x"]], df["y"]
"""
    assert told(text + SPLIT) == []


def test_false_negative_the_best_of_many_random_splits() -> None:
    text = """
# %% [2]
X, y = load_wine(return_X_y=True)
best = 0
for _ in range(1000):
    a, b, c, d = train_test_split(X, y)
    score = SVC().fit(a, c).score(b, d)
    if score > best:
        best = score
"""
    assert told(text) == []
