"""Short recipes as people write them: ways to part X from y, and ways to leak, each told or not."""

from pathlib import Path

import pytest
from leakcase import told

FOLDER = Path(__file__).parent
TAKES = (FOLDER / "takes.txt").read_text(encoding="utf-8").split("\n\n")
RECIPES = (FOLDER / "recipes.txt").read_text(encoding="utf-8").split("\n\n")
HEAD = """\
# %% [2]
from scipy import stats
from sklearn import preprocessing
from sklearn.decomposition import *
from sklearn.ensemble import *
from sklearn.feature_selection import *
from sklearn.impute import KNNImputer
from sklearn.metrics import *
from sklearn.model_selection import *
from sklearn.preprocessing import *
df = pd.read_csv("d.csv")
# %% [3]
"""
SCORE = """
# %% [4]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
m = RandomForestClassifier().fit(X_train, y_train)
print(accuracy_score(y_test, m.predict(X_test)))
"""


@pytest.mark.parametrize("take", TAKES)
def test_the_target_is_taken_out_of_the_features(take: str) -> None:
    assert told(HEAD + take + SCORE) == []


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_leaks_as_it_says(recipe: str) -> None:
    title, _, text = recipe.partition("\n")
    wanted = set(title.lstrip("# ").split()) - {"clean"}
    assert {line.split()[0].rstrip("?") for line in told(HEAD + text)} == wanted
