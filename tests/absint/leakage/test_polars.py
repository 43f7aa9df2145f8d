"""Leaks in tables of polars, whose columns are named before their table is."""

import pytest
from leakcase import marked, told

HEAD = "# %% [2]\nimport polars as pl\ndf = pl.read_csv('a.csv')\n"
TAIL = """\
train, test = train_test_split(df, random_state=0)
svc = SVC().fit(train.select("a", "b"), train["y"])
svc.score(test.select("a", "b"), test["y"])
"""


@pytest.mark.parametrize(
    "line",
    [
        'df = df.with_columns((pl.col("a") - pl.col("a").mean()) / pl.col("a").std()) #! NBS302',
        'df = df.with_columns(pl.col("a", "b") / pl.col("a", "b").max()) #! NBS302',
        'df = df.with_columns(a=pl.col("c") / pl.col("c").max()) #! NBS302',
        'df = df.with_columns([pl.col("a").fill_null(pl.col("a").median())]) #! NBS302',
        'df = df.with_columns((pl.col("c") / pl.col("c").sum().over("k")).alias("a")) #! NBS302',
        'df = df.with_columns(pl.col("a").fill_null(strategy="mean")) #! NBS302',
        "df = df.with_columns(pl.all() / pl.all().max()) #! NBS302",
        'df = df.lazy().with_columns(pl.col("a") / pl.col("a").max()).collect() #! NBS302',
        'df = df.with_columns(pl.col("y").mean().over("k").alias("a")) #! NBS302 NBS342',
        "df = df.sample(fraction=1.5, with_replacement=True) #! NBS311",
    ],
)  # fmt: skip
def test_what_is_learned_before_the_split(line: str) -> None:
    text = HEAD + line + "\n" + TAIL
    assert marked(text) == told(text)


@pytest.mark.parametrize(
    "line",
    [
        'df = df.with_columns(pl.col("a").log(), (pl.col("a") / pl.col("b")).alias("b"))',
        'df = df.with_columns(pl.col("c").mean().alias("c"))  # not among the features',
        'df = df.filter(pl.col("a") > 0).drop_nulls()',
        "df = df.sample(fraction=1, shuffle=True)",
        'print(df.select(pl.col("a").mean()), df.group_by("k").agg(pl.col("a").mean()))',
        'df = df.with_columns(pl.col("a").cast(pl.Float64).fill_null(0))',
        'df = df.with_columns(pl.when(pl.col("a") > 1).then(1).otherwise(0).alias("a"))',
    ],
)  # fmt: skip
def test_what_is_learned_of_no_other_row(line: str) -> None:
    assert told(HEAD + line + "\n" + TAIL) == []


def test_parts_by_an_expression_have_no_row_in_common() -> None:
    text = (
        HEAD
        + """\
train, test = df.filter(pl.col("year") < 2020), df.filter(pl.col("year") >= 2020)
mean = train["a"].mean()
train = train.with_columns(pl.col("a") - mean)
test = test.with_columns(pl.col("a") - mean)
svc = SVC().fit(train.select("a"), train["y"])
svc.score(test.select("a"), test["y"])
"""
    )
    assert told(text) == []


def test_parts_by_an_expression_of_a_table_that_was_scaled() -> None:
    text = (
        HEAD
        + """\
df = df.with_columns(pl.col("a") - pl.col("a").mean()) #! NBS302
train, test = df.filter(pl.col("year") < 2020), df.filter(pl.col("year") >= 2020)
svc = SVC().fit(train.select("a"), train["y"])
svc.score(test.select("a"), test["y"])
"""
    )
    assert marked(text) == told(text)


def test_a_table_of_groups_that_is_joined() -> None:
    text = (
        HEAD
        + """\
means = df.group_by("k").agg(pl.col("a").mean().alias("a_mean")) #! NBS302
df = df.join(means, on="k")
train, test = train_test_split(df, random_state=0)
svc = SVC().fit(train.select("a_mean"), train["y"])
svc.score(test.select("a_mean"), test["y"])
"""
    )
    assert marked(text) == told(text)
