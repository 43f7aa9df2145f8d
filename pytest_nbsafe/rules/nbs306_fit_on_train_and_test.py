"""Training and test rows were joined, and something was fitted on both.

Why it matters: `pd.concat([train, test])` is a handy way to give both the same columns. But a
scaler, an imputer or a mean of the joined table learns from the test rows, as if there had been
no split.

Limits: told only where a model is scored on such rows, and as a warning where it only predicts
them, as those of a competition's test file without labels. Row-wise changes of the joined table,
`get_dummies` among them, are left alone.

Source: Kaufman et al. 2012; Kapoor & Narayanan 2023 (no clean separation of train and test).
"""

BAD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
# %% [2]
both = pd.concat([train, test])
scaler = StandardScaler().fit(both[["age", "fare"]]) #! NBS306
# %% [3]
model = LogisticRegression().fit(scaler.transform(train[["age", "fare"]]), train["survived"])
print(model.score(scaler.transform(test[["age", "fare"]]), test["survived"]))
"""
GOOD = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
# %% [2]
scaler = StandardScaler().fit(train[["age", "fare"]])
# %% [3]
model = LogisticRegression().fit(scaler.transform(train[["age", "fare"]]), train["survived"])
print(model.score(scaler.transform(test[["age", "fare"]]), test["survived"]))
"""
SAYS = "{what} [learns|may learn] from training and test rows, joined"
REMEDY = "fit it on the training rows only"
