"""Early stopping watches the rows that are then reported as test rows.

Why it matters: to stop where the test score is best is to choose the number of rounds by it.
The reported score is the best of hundreds.

Limits: told where the fit is given the test rows to watch and something stops it by them
(`early_stopping_rounds`, a callback such as EarlyStopping or ModelCheckpoint; CatBoost keeps
the best of its trees unless told not to). Rows that are only watched to draw a curve are left
alone.

Source: Prechelt 1998 (early stopping needs rows of its own); Kapoor & Narayanan 2023.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = XGBClassifier(early_stopping_rounds=10)
model.fit(X_train, y_train, eval_set=[(X_test, y_test)]) #! NBS322
# %% [3]
print(model.score(X_test, y_test))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier
X, y = load_wine(return_X_y=True)
X_rest, X_test, y_rest, y_test = train_test_split(X, y, random_state=0)
X_train, X_val, y_train, y_val = train_test_split(X_rest, y_rest, random_state=0)
# %% [2]
model = XGBClassifier(early_stopping_rounds=10)
model.fit(X_train, y_train, eval_set=[(X_val, y_val)])
# %% [3]
print(model.score(X_test, y_test))
"""
SAYS = "{what} [stops|may stop] by its score on the test rows"
REMEDY = "split the training rows again, and let it watch that part"
