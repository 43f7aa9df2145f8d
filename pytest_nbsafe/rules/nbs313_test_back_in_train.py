"""Test rows were joined to the training rows, and the model was then scored on them.

Why it matters: as for NBS312. It often comes from a cell that puts both parts together again
for a final model, while the cell that scores is still there and runs after it.

Limits: told where the joined table is what the model was fitted on, and its test part is
scored.

Source: Kapoor & Narayanan 2023 (no clean separation of train and test).
"""

BAD = """\
# %% [1]
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
wine = load_wine(as_frame=True).frame
train, test = train_test_split(wine, random_state=0)
# %% [2]
more = pd.concat([train, test]) #! NBS313
model = LogisticRegression().fit(more.drop(columns="target"), more["target"])
# %% [3]
print(model.score(test.drop(columns="target"), test["target"]))
"""
GOOD = """\
# %% [1]
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
wine = load_wine(as_frame=True).frame
train, test = train_test_split(wine, random_state=0)
# %% [2]
model = LogisticRegression().fit(train.drop(columns="target"), train["target"])
print(model.score(test.drop(columns="target"), test["target"]))
# %% [3]
more = pd.concat([train, test])
final = LogisticRegression().fit(more.drop(columns="target"), more["target"])
"""
SAYS = "test rows [are|may be] joined to the training rows here, and scored on later"
REMEDY = "score the model that was fitted on the training rows alone"
