"""NBS333: a feature is made of later rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.rules import leaks
from pytest_nbsafe.rules.base import Claim, Facts, Needs
from pytest_nbsafe.rules.leaks import Leak, named, verb


class LooksAhead:
    """A feature is made of later rows: a centred window, a backfill, `shift(-1)`.

    Why it matters: the value is not known yet when the forecast is to be made. The score on past
    rows is then one that no forecast can reach.

    Limits: told where such a column is among the features of a model that is scored. A target made
    of later rows (`shift(-1)` of the price, to be predicted) is right, and left alone.

    Source: Kaufman et al. 2012 (a feature must be known before the target); Kapoor & Narayanan
    2023.
    """

    code: ClassVar[str] = "NBS333"
    needs: ClassVar[Needs] = "static"
    bad: ClassVar[str] = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LinearRegression
sales = pd.read_csv("sales.csv", index_col="day", parse_dates=True)
# %% [2]
sales["level"] = sales["units"].rolling(7, center=True).mean() #! NBS333
sales = sales.dropna()
# %% [3]
train, test = sales.iloc[:300], sales.iloc[300:]
model = LinearRegression().fit(train[["level"]], train["units"])
print(model.score(test[["level"]], test["units"]))
"""
    good: ClassVar[str] = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LinearRegression
sales = pd.read_csv("sales.csv", index_col="day", parse_dates=True)
# %% [2]
sales["level"] = sales["units"].shift(1).rolling(7).mean()
sales = sales.dropna()
# %% [3]
train, test = sales.iloc[:300], sales.iloc[300:]
model = LinearRegression().fit(train[["level"]], train["units"])
print(model.score(test[["level"]], test["units"]))
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each feature that is made of later rows."""
        yield from leaks.claims(facts, self.code, _says, _remedy)


def _says(leak: Leak) -> str:
    what = named(leak.what or "this feature")
    does = verb(leak, "is", "may be")
    return f"{what} {does} made of rows that come later"


def _remedy(_: Leak) -> str:
    return "make it of earlier rows only: `shift(1)`, a window that is not centred, `ffill`"
