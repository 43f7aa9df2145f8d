"""The target, or a column made of it, is among the features.

Why it matters: the model reads the answer. The score is perfect, or nearly, and means nothing.

Limits: told where the page shows it: the target's own column is not left out of the features,
or a column that was made of the target row by row is among them. A window over the target that
ends with the row's own, or its change up to there, is a warning. A column that happens to say
the same is not seen. A target that is made of features is left alone.

Source: Kaufman et al. 2012 (illegitimate features).
"""

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier
wine = load_wine(as_frame=True).frame
# %% [2]
train, test = train_test_split(wine, random_state=0)
model = DecisionTreeClassifier(random_state=0).fit(train, train["target"]) #! NBS341
# %% [3]
print(model.score(test, test["target"]))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier
wine = load_wine(as_frame=True).frame
# %% [2]
train, test = train_test_split(wine, random_state=0)
features = wine.columns.drop("target")
model = DecisionTreeClassifier(random_state=0).fit(train[features], train["target"])
# %% [3]
print(model.score(test[features], test["target"]))
"""
SAYS = "{what|the target} [is|may be] among the features"
REMEDY = "leave it out of the features: `X = df.drop(columns=...)`"
