"""Rows in order of time are split at random.

Why it matters: neighbouring days are much alike. A test day between two training days is easy
to guess, and no forecast has to do that: it knows only what was before.

Limits: told where the page shows that the rows are a series (an index of dates, lags,
differences or windows over neighbouring rows), and the split shuffles. Tables in which a date
is only one column among others are left alone.

Source: Bergmeir & Benitez 2012; Kapoor & Narayanan 2023 (temporal leakage).
"""

BAD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
sales = pd.read_csv("sales.csv", index_col="day", parse_dates=True)
sales["before"] = sales["units"].shift(1)
sales = sales.dropna()
# %% [2]
train, test = train_test_split(sales, random_state=0) #! NBS331
# %% [3]
model = LinearRegression().fit(train[["before"]], train["units"])
print(model.score(test[["before"]], test["units"]))
"""
GOOD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
sales = pd.read_csv("sales.csv", index_col="day", parse_dates=True)
sales["before"] = sales["units"].shift(1)
sales = sales.dropna()
# %% [2]
train, test = train_test_split(sales, shuffle=False)
# %% [3]
model = LinearRegression().fit(train[["before"]], train["units"])
print(model.score(test[["before"]], test["units"]))
"""
SAYS = "rows in order of time{(rows)} [are|may be] split at random"
REMEDY = "pass `shuffle=False`, or use TimeSeriesSplit"
