"""Means of the target were computed with the labels of rows that are later test rows.

Why it matters: the mean of the target in each group holds the labels of the test rows
themselves. Where groups are small the feature is nearly the answer.

Limits: told only where a model is scored on such rows, and of means by group: one mean of the
whole target tells a row nothing of its own label. Means of the training rows, mapped to
the test rows, are right; so is an encoder inside a pipeline. A mean that is taken by hand is
NBS302 as well: that it would be even if it were not of the target.

Source: Micci-Barreca 2001 (target statistics); Prokhorenkova et al. 2018, section 3.
"""

BAD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
flats = pd.read_csv("flats.csv")
# %% [2]
flats["level"] = flats.groupby("street")["sold"].transform("mean") #! NBS302 #! NBS342
# %% [3]
train, test = train_test_split(flats, random_state=0)
model = LogisticRegression().fit(train[["level", "area"]], train["sold"])
print(model.score(test[["level", "area"]], test["sold"]))
"""
GOOD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
flats = pd.read_csv("flats.csv")
train, test = train_test_split(flats, random_state=0)
# %% [2]
level = train.groupby("street")["sold"].mean()
train = train.assign(level=train["street"].map(level))
test = test.assign(level=test["street"].map(level).fillna(0.5))
# %% [3]
model = LogisticRegression().fit(train[["level", "area"]], train["sold"])
print(model.score(test[["level", "area"]], test["sold"]))
"""
SAYS = "{what|a mean of the target} [is|may be] made with the labels of later test rows"
REMEDY = "compute it from the training rows only, or put a TargetEncoder into the pipeline"
