"""A mean, median, range or the like of rows that are later test rows went into the features.

Why it matters: `(df - df.mean()) / df.std()` above the split does by hand what a scaler does
that was fitted on all rows, and so does filling gaps with a median of all: training rows then
hold something of the test rows, and the score on these says too much.

Limits: told only where a model is scored on such rows, as a warning where it only predicts them.
Constants, row-wise functions, statistics that are only printed or drawn, and statistics of each
row alone are left alone.

Source: NBLyzer, section 4.2 (normalising and extrapolating functions); Kaufman et al. 2012.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
# %% [2]
X = (X - X.mean(axis=0)) / X.std(axis=0) #! NBS302
# %% [3]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
# %% [2]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
mean, spread = X_train.mean(axis=0), X_train.std(axis=0)
# %% [3]
model = LogisticRegression().fit((X_train - mean) / spread, y_train)
print(model.score((X_test - mean) / spread, y_test))
"""
SAYS = "{what} of rows that are later test rows [goes|may go] into the features"
REMEDY = "split first, and compute it from the training rows only"
