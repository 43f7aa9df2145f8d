"""Cross-validation runs on data that a scaler, imputer or the like was fitted on whole.

Why it matters: each fold is a test set once, and what was fitted on all rows knows every fold.
The mean of the scores says too much, and choosing parameters by it prefers those that profit
most.

Limits: a step inside a pipeline that is cross-validated is fitted in each fold, and left alone;
so is what learns nothing. Told for `cross_val_score` and its kin, for searches whose best score
is used, and for loops over the folds of a splitter.

Source: Hastie, Tibshirani & Friedman 2009, section 7.10.2; Kaufman et al. 2012.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
# %% [2]
X = StandardScaler().fit_transform(X) #! NBS305
# %% [3]
print(cross_val_score(SVC(), X, y).mean())
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
# %% [2]
model = make_pipeline(StandardScaler(), SVC())
# %% [3]
print(cross_val_score(model, X, y).mean())
"""
SAYS = "{what} {learns} the test rows of every fold too"
REMEDY = "cross-validate {pipeline}"
