"""A feature is made from later rows: a centred window, a backfill, `shift(-1)`.

Why it matters: the value is not known yet when the forecast is to be made. The score on past
rows is then one that no forecast can reach.

Limits: told where such a column is among the features of a model that is scored. A target made
of later rows (`shift(-1)` of the price, to be predicted) is right, and left alone.

Source: Kaufman et al. 2012 (a feature must be known before the target); Kapoor & Narayanan
2023.
"""

BAD = """\
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
GOOD = """\
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
SAYS = "{what|this feature} [is|may be] made from rows that come later"
REMEDY = "make it from earlier rows only: `shift(1)`, a window that is not centred, `ffill`"
