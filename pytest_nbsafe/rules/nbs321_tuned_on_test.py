"""A parameter, threshold or model was chosen by the score on the test rows.

Why it matters: the best of many scores is also the luckiest. Chosen on the test rows, it is no
longer a score on rows that nothing was learned from, and no rows are left that could tell.

Limits: told where the choice can be read: a loop that keeps the best score, `max` or `argmax`
of scores, the first row of a table sorted by them, an optimiser that is given the score. The
worst of them is no choice. A few scores side by side are not told here (NBS323 notes them), nor
is a choice that is then scored on rows of its own.

Source: Cawley & Talbot 2010; Hastie, Tibshirani & Friedman 2009, section 7.2.
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
best = 0
for k in range(1, 20):
    model = KNeighborsClassifier(k).fit(X_train, y_train)
    score = model.score(X_test, y_test) #! NBS321
    if score > best:
        best, best_k = score, k
# %% [3]
print(best_k, best)
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
best = 0
for k in range(1, 20):
    score = cross_val_score(KNeighborsClassifier(k), X_train, y_train).mean()
    if score > best:
        best, best_k = score, k
# %% [3]
print(best_k, KNeighborsClassifier(best_k).fit(X_train, y_train).score(X_test, y_test))
"""
SAYS = "{plain what|the model} [is|may be] chosen by this score on the test rows"
REMEDY = "choose by cross-validation on the training rows, and score the test rows once"
