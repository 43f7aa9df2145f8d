"""Further notebooks, with the libraries and habits of many hands: what leaks, and what does not."""

import pytest
from leakcase import marked, told

LEAKY = {
    "lstm": """
# %%
import numpy as np, pandas as pd
from sklearn.preprocessing import MinMaxScaler
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense
from sklearn.metrics import mean_squared_error
df = pd.read_csv("px.csv")
data = df["Close"].values.reshape(-1, 1)
sc = MinMaxScaler()
data = sc.fit_transform(data) #! NBS301
# %%
def windows(a, n):
    X, y = [], []
    for i in range(n, len(a)):
        X.append(a[i-n:i])
        y.append(a[i])
    return np.array(X), np.array(y)
X, y = windows(data, 60)
split = int(len(X) * .8)
X_train, X_test = X[:split], X[split:]
y_train, y_test = y[:split], y[split:]
# %%
model = Sequential()
model.add(LSTM(50))
model.add(Dense(1))
model.compile(loss="mse")
model.fit(X_train, y_train, epochs=5, validation_data=(X_test, y_test))
pred = model.predict(X_test)
pred = sc.inverse_transform(pred)
true = sc.inverse_transform(y_test)
print(np.sqrt(mean_squared_error(true, pred)))
""",
    "lstm split before window scaled all": """
# %%
import numpy as np, pandas as pd
from sklearn.preprocessing import MinMaxScaler
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense
from sklearn.metrics import mean_squared_error
df = pd.read_csv("px.csv")
sc = MinMaxScaler()
data = sc.fit_transform(df[["Close"]]) #! NBS301
n = int(len(data) * .8)
train, test = data[:n, :], data[n:, :]
# %%
def windows(a, n):
    X, y = [], []
    for i in range(len(a) - n - 1):
        X.append(a[i:i+n, 0])
        y.append(a[i+n, 0])
    return np.array(X), np.array(y)
X_train, y_train = windows(train, 5)
X_test, y_test = windows(test, 5)
X_train = np.reshape(X_train, (X_train.shape[0], 1, X_train.shape[1]))
model = Sequential([LSTM(50), Dense(1)])
model.compile(loss="mse")
model.fit(X_train, y_train)
mean_squared_error(y_test, model.predict(X_test))
""",
    "keras early stop on test": """
# %%
from tensorflow import keras
from sklearn.model_selection import train_test_split
from sklearn.datasets import load_wine
X, y = load_wine(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(X, y)
m = keras.Sequential([keras.layers.Dense(10)])
m.compile("adam", "mse")
es = keras.callbacks.EarlyStopping(patience=3)
m.fit(x_train, y_train, validation_data=(x_test, y_test), callbacks=[es]) #! NBS322
loss, acc = m.evaluate(x_test, y_test)
""",
    "custom transformer": """
# %%
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
class Center(BaseEstimator, TransformerMixin):
    def fit(self, X, y=None):
        self.mean_ = X.mean() #! NBS302
        return self
    def transform(self, X):
        return X - self.mean_
df = pd.read_csv("a.csv")
X, y = Center().fit_transform(df.drop(columns="y")), df["y"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "kaggle with holdout": """
# %%
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
for data in [train, test]:
    data["Age"] = data["Age"].fillna(data["Age"].median()) #! NBS302
X, y = train.drop("Survived", axis=1), train["Survived"]
a, b, c, d = train_test_split(X, y)
m = RandomForestClassifier().fit(a, c)
print(m.score(b, d))
pred = m.predict(test)
""",
    "loop select_dtypes": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
for col in df.select_dtypes(include="number").columns:
    df[col].fillna(df[col].mean(), inplace=True) #! NBS302
X = df.drop("y", axis=1); y = df.y
a, b, c, d = train_test_split(X, y)
Ridge().fit(a, c).score(b, d)
""",
    "apply lambda standardise": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
X = df[["a", "b"]].apply(lambda col: (col - col.mean()) / col.std()) #! NBS302
a, b, c, d = train_test_split(X, df["y"])
Ridge().fit(a, c).score(b, d)
""",
    "group fill lambda": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
df["a"] = df.groupby("k")["a"].transform(lambda s: s.fillna(s.median())) #! NBS302
a, b, c, d = train_test_split(df[["a", "b"]], df["y"])
Ridge().fit(a, c).score(b, d)
""",
    "column transformer before split": """
# %%
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import StandardScaler, OneHotEncoder
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
ct = make_column_transformer((StandardScaler(), ["a"]), (OneHotEncoder(), ["k"]))
X = ct.fit_transform(df) #! NBS301
a, b, c, d = train_test_split(X, df["y"])
Ridge().fit(a, c).score(b, d)
""",
    "statsmodels leak": """
# %%
import pandas as pd, statsmodels.api as sm
from sklearn.model_selection import train_test_split
from sklearn.metrics import r2_score
df = pd.read_csv("a.csv")
train, test = train_test_split(df)
res = sm.OLS(df["y"], sm.add_constant(df[["a"]])).fit() #! NBS312
r2_score(test["y"], res.predict(sm.add_constant(test[["a"]])))
""",
    "xgb train early stop test": """
# %%
import xgboost as xgb
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.metrics import accuracy_score
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
dtr, dte = xgb.DMatrix(a, label=c), xgb.DMatrix(b, label=d)
bst = xgb.train({}, dtr, 100, evals=[(dte, "test")], early_stopping_rounds=10) #! NBS322
accuracy_score(d, bst.predict(dte) > .5)
""",
    "indices split leak": """
# %%
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
tr, te = train_test_split(range(len(y)), test_size=.2, stratify=y)
sc = StandardScaler().fit(X) #! NBS301
SVC().fit(sc.transform(X[tr]), y[tr]).score(sc.transform(X[te]), y[te])
""",
    "next split leak": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import ShuffleSplit
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X) #! NBS305
tr, te = next(ShuffleSplit(1).split(X))
SVC().fit(X[tr], y[tr]).score(X[te], y[te])
""",
    "two functions return tuple": """
# %%
import pandas as pd
from sklearn.feature_selection import SelectKBest
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
def load():
    df = pd.read_csv("a.csv")
    return df.drop("y", axis=1), df["y"]
def select(X, y, k=5):
    s = SelectKBest(k=k)
    s.fit(X, y) #! NBS303
    cols = X.columns[s.get_support()]
    return X[cols]
def main():
    X, y = load()
    X = select(X, y)
    a, b, c, d = train_test_split(X, y)
    clf = SVC()
    clf.fit(a, c)
    return clf.score(b, d)
if __name__ == "__main__":
    print(main())
""",
    "corr abs sort": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
c = df.corr()["y"].abs().sort_values(ascending=False) #! NBS303
best = c.index[1:6]
X = df[best]
a, b, p, q = train_test_split(X, df["y"])
Ridge().fit(a, p).score(b, q)
""",
    "cross val on upsampled": """
# %%
import pandas as pd
from sklearn.utils import resample
from sklearn.svm import SVC
from sklearn.model_selection import cross_val_score
df = pd.read_csv("a.csv")
a, b = df[df.y == 0], df[df.y == 1]
up = resample(b, n_samples=len(a), random_state=0) #! NBS311
df2 = pd.concat([a, up])
cross_val_score(SVC(), df2.drop(columns="y"), df2.y)
""",
    "augment": """
# %%
import numpy as np
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5)); y = (X[:, 0] > 0).astype(int)
X_aug = np.vstack([X, X + rng.normal(scale=.01, size=X.shape)]) #! NBS311
y_aug = np.concatenate([y, y])
a, b, c, d = train_test_split(X_aug, y_aug)
SVC().fit(a, c).score(b, d)
""",
    "zscore of random": """
# %%
import numpy as np
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5)); y = (X[:, 0] > 0).astype(int)
X = (X - X.mean(0)) / X.std(0) #! NBS302
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "groups": """
# %%
import numpy as np, pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
rng = np.random.default_rng(0)
n_p = 40
df = pd.DataFrame({"patient": np.repeat(np.arange(n_p), 8)})
base = rng.normal(size=n_p)
df["x"] = base[df["patient"]] + rng.normal(size=len(df)) * .1
df["y"] = (base > 0).astype(int)[df["patient"]]
X, y = df[["x"]], df["y"]
a, b, c, d = train_test_split(X, y) #! NBS332
SVC().fit(a, c).score(b, d)
""",
    "threshold max key": """
# %%
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
X, y = make_classification(900)
a, b, c, d = train_test_split(X, y)
p = LogisticRegression().fit(a, c).predict_proba(b)[:, 1]
best_t = max(np.arange(.1, .9, .05), key=lambda t: f1_score(d, p > t)) #! NBS321
print(f1_score(d, p > best_t))
""",
    "sorted": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
results = []
for C in [.1, 1, 10]:
    results.append((SVC(C=C).fit(a, c).score(b, d), C)) #! NBS321
best_score, best_C = sorted(results)[-1]
print(best_C)
""",
    "argmax of comprehension": """
# %%
import numpy as np
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
Cs = np.logspace(-3, 3, 7)
accs = [SVC(C=C).fit(a, c).score(b, d) for C in Cs] #! NBS321
best_C = Cs[int(np.argmax(accs))]
final = SVC(C=best_C).fit(a, c)
""",
    "results frame idxmax": """
# %%
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
rows = []
for C in [.1, 1, 10]:
    rows.append({"C": C, "acc": SVC(C=C).fit(a, c).score(b, d)}) #! NBS321
res = pd.DataFrame(rows)
best = res.loc[res["acc"].idxmax()]
""",
    "grid best score on scaled": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import GridSearchCV
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X) #! NBS305
g = GridSearchCV(SVC(), {"C": [1, 2]}, cv=5).fit(X, y)
print(g.best_score_)
""",
    "two splits": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y, random_state=0)
m = SVC().fit(a, c) #! NBS312
# %%
a, b, c, d = train_test_split(X, y, random_state=1)
m.score(b, d)
""",
    "overlapping slices": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
m = SVC().fit(X[:120], y[:120]) #! NBS312
m.score(X[100:], y[100:])
""",
    "two samples": """
# %%
import pandas as pd
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
train = df.sample(frac=.8, random_state=0)
test = df.sample(frac=.2, random_state=0)
m = SVC().fit(train[["a"]], train["y"]) #! NBS312
m.score(test[["a"]], test["y"])
""",
    "test is sample of all": """
# %%
import pandas as pd
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
test = df.sample(frac=.2)
m = SVC().fit(df[["a"]], df["y"]) #! NBS312
m.score(test[["a"]], test["y"])
""",
    "te loop": """
# %%
import pandas as pd
from sklearn.tree import DecisionTreeRegressor
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
target = "price"
for col in ["city", "kind"]:
    means = df.groupby(col)[target].mean() #! NBS302 NBS342
    df[col + "_te"] = df[col].map(means)
X, y = df.drop(columns=[target]), df[target]
a, b, c, d = train_test_split(X, y)
DecisionTreeRegressor().fit(a, c).score(b, d)
""",
    "te merge": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
agg = df.groupby("city").agg(rate=("y", "mean")).reset_index() #! NBS302 NBS342
df = df.merge(agg, on="city", how="left")
train, test = train_test_split(df)
Ridge().fit(train[["rate"]], train["y"]).score(test[["rate"]], test["y"])
""",
    "interpolate": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
s = pd.read_csv("s.csv", parse_dates=["t"], index_col="t")
s["v2"] = s["v"].interpolate() #! NBS333
n = int(len(s) * .8)
m = Ridge().fit(s[["v2"]].iloc[:n], s["w"].iloc[:n])
m.score(s[["v2"]].iloc[n:], s["w"].iloc[n:])
""",
    "index date shuffled": """
# %%
import numpy as np, pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
idx = pd.date_range("2020", periods=500)
df = pd.DataFrame({"a": np.arange(500), "b": np.random.randn(500).cumsum()}, index=idx)
a, b, c, d = train_test_split(df[["a"]], df["b"], test_size=.3) #! NBS331
Ridge().fit(a, c).score(b, d)
""",
    "groups by kfold shuffle": """
# %%
import numpy as np, pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import StratifiedKFold, cross_val_score
df = pd.DataFrame({"subject_id": np.repeat(np.arange(30), 10), "x": np.random.randn(300)})
df["y"] = np.random.randint(0, 2, 300)
print(cross_val_score(SVC(), df[["x"]], df["y"], cv=StratifiedKFold(5, shuffle=True))) #! NBS332
""",
    "oversample both parts from before": """
# %%
from imblearn.over_sampling import SMOTE
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.metrics import f1_score
X, y = make_classification(900)
Xr, yr = SMOTE().fit_resample(X, y) #! NBS311
f = []
for tr, te in StratifiedKFold(5).split(Xr, yr):
    m = RandomForestClassifier().fit(Xr[tr], yr[tr])
    f.append(f1_score(yr[te], m.predict(Xr[te])))
""",
    "decorated": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
import functools
def log(f):
    @functools.wraps(f)
    def inner(*args, **kw):
        print(f)
        return f(*args, **kw)
    return inner
@log
def scale(X):
    return StandardScaler().fit_transform(X) #! NBS301
X, y = load_wine(return_X_y=True)
X = scale(X)
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "closure": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
def make_scaler(ref):
    sc = StandardScaler().fit(ref) #! NBS301
    def apply(Z):
        return sc.transform(Z)
    return apply
X, y = load_wine(return_X_y=True)
f = make_scaler(X)
a, b, c, d = train_test_split(X, y)
SVC().fit(f(a), c).score(f(b), d)
""",
    "star unpack": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
parts = train_test_split(StandardScaler().fit_transform(X), y) #! NBS301
Xtr, Xte, *ys = parts
SVC().fit(Xtr, ys[0]).score(Xte, ys[1])
""",
    "walrus lambda": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
norm = lambda s: (s - s.min()) / (s.max() - s.min()) #! NBS302
df = pd.read_csv("a.csv")
for c in ["a", "b"]:
    df[c] = norm(df[c])
tr, te = train_test_split(df)
SVC().fit(tr[["a", "b"]], tr.y).score(te[["a", "b"]], te.y)
""",
    "pipe": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
def fill(t):
    return t.assign(a=t["a"].fillna(t["a"].mean())) #! NBS302
df = pd.read_csv("a.csv").pipe(fill)
tr, te = train_test_split(df)
SVC().fit(tr[["a", "b"]], tr.y).score(te[["a", "b"]], te.y)
""",
    "eval on validation then unscaled? fit on val": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.impute import SimpleImputer
train, test = pd.read_csv("tr.csv"), pd.read_csv("te.csv")
def clean(t):
    imp = SimpleImputer()
    return imp.fit_transform(t[["a", "b"]]) #! NBS304
SVC().fit(clean(train), train.y).score(clean(test), test.y)
""",
    "clusters as features of all": """
# %%
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
df["k"] = KMeans(5).fit_predict(df[["a", "b"]]) #! NBS301
tr, te = train_test_split(df, random_state=0)
Ridge().fit(tr[["a", "k"]], tr.y).score(te[["a", "k"]], te.y)
""",
    "log of target left in": """
# %%
import pandas as pd, numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
df["log_price"] = np.log(df["price"]) #! NBS341
X, y = df.drop(columns=["price"]), df["price"]
a, b, c, d = train_test_split(X, y)
m = Ridge().fit(a, c)
m.score(b, d)
""",
    "scaling the test part alone with its own max": """
# %%
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_digits(return_X_y=True)
a, b, c, d = train_test_split(X, y)
a = a / a.max(); b = b / b.max() #! NBS304
SVC().fit(a, c).score(b, d)
""",
    "flows through unknown helper stays maybe?": """
# %%
import pandas as pd
from sklearn.preprocessing import StandardScaler
from helpers import my_split, evaluate
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
X = StandardScaler().fit_transform(df.drop(columns="y")) #! NBS301?
a, b, c, d = my_split(X, df["y"])
m = SVC().fit(a, c)
m.score(b, d)
""",
    "counts from value_counts map": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
df["freq"] = df["city"].map(df["city"].value_counts()) #! NBS302
tr, te = train_test_split(df)
SVC().fit(tr[["freq"]], tr.y).score(te[["freq"]], te.y)
""",
    "mode fill": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
df["Embarked"].fillna(df["Embarked"].mode()[0], inplace=True) #! NBS302
X, y = df.drop("Survived", axis=1), df["Survived"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "loc fill": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
df.loc[df.Age.isnull(), "Age"] = df.Age.mean() #! NBS302
X, y = df.drop("Survived", axis=1), df["Survived"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "np where fill": """
# %%
import pandas as pd, numpy as np
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
df["Age"] = np.where(df["Age"].isna(), df["Age"].median(), df["Age"]) #! NBS302
X, y = df.drop("Survived", axis=1), df["Survived"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "clip by quantile": """
# %%
import pandas as pd, numpy as np
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
lo, hi = df["Fare"].quantile([.01, .99]) #! NBS302
df["Fare"] = df["Fare"].clip(lo, hi)
X, y = df.drop("Survived", axis=1), df["Survived"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "loop dict means": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
means = {}
for c in ["Age", "Fare"]:
    means[c] = df[c].mean() #! NBS302
df = df.fillna(means)
a, b, c, d = train_test_split(df[["Age", "Fare"]], df["Survived"])
SVC().fit(a, c).score(b, d)
""",
    "lgb callback": """
# %%
import lightgbm as lgb
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
m = lgb.LGBMClassifier()
m.fit(a, c, eval_set=[(b, d)], callbacks=[lgb.early_stopping(10)]) #! NBS322
print(m.score(b, d))
""",
}
CLEAN = {
    "cut by quantile then split": """
# %%
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.linear_model import Ridge
df = pd.read_csv("a.csv")
q1, q3 = df["x"].quantile(.25), df["x"].quantile(.75)
df = df[(df["x"] > q1 - 1.5 * (q3 - q1)) & (df["x"] < q3 + 1.5 * (q3 - q1))]
X, y = df.drop("y", axis=1), df["y"]
a, b, c, d = train_test_split(X, y)
Ridge().fit(a, c).score(b, d)
""",
    "lstm": """
# %%
import numpy as np, pandas as pd
from sklearn.preprocessing import MinMaxScaler
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense
from sklearn.metrics import mean_squared_error
df = pd.read_csv("px.csv")
n = int(len(df) * .8)
train, test = df[["Close"]].values[:n], df[["Close"]].values[n:]
sc = MinMaxScaler()
train = sc.fit_transform(train)
test = sc.transform(test)
# %%
def windows(a, n):
    X, y = [], []
    for i in range(len(a) - n - 1):
        X.append(a[i:i+n, 0])
        y.append(a[i+n, 0])
    return np.array(X), np.array(y)
X_train, y_train = windows(train, 5)
X_test, y_test = windows(test, 5)
model = Sequential([LSTM(50), Dense(1)])
model.compile(loss="mse")
model.fit(X_train, y_train)
mean_squared_error(y_test, model.predict(X_test))
""",
    "keras validation split": """
# %%
from tensorflow.keras.datasets import mnist
from tensorflow.keras.models import Sequential
from tensorflow.keras.callbacks import EarlyStopping
from tensorflow.keras.layers import Dense
(x_train, y_train), (x_test, y_test) = mnist.load_data()
x_train, x_test = x_train / 255.0, x_test / 255.0
m = Sequential([Dense(10)])
m.compile("adam", "mse")
m.fit(x_train, y_train, validation_split=.1, callbacks=[EarlyStopping()])
m.evaluate(x_test, y_test)
""",
    "custom transformer": """
# %%
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
from sklearn.pipeline import make_pipeline
class Center(BaseEstimator, TransformerMixin):
    def fit(self, X, y=None):
        self.mean_ = X.mean()
        return self
    def transform(self, X):
        return X - self.mean_
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y"), df["y"]
a, b, c, d = train_test_split(X, y)
t = Center().fit(a)
SVC().fit(t.transform(a), c).score(t.transform(b), d)
m = make_pipeline(Center(), SVC()).fit(a, c)
m.score(b, d)
""",
    "kaggle submission": """
# %%
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
full = pd.concat([train, test])
full["Age"] = full["Age"].fillna(full["Age"].median())
X = full[:len(train)].drop("Survived", axis=1)
y = train["Survived"]
m = RandomForestClassifier().fit(X, y)
pred = m.predict(full[len(train):].drop("Survived", axis=1))
pd.DataFrame({"id": test["id"], "Survived": pred}).to_csv("sub.csv")
""",
    "onehot only": """
# %%
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import StandardScaler, OneHotEncoder
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
ct = make_column_transformer((OneHotEncoder(), ["k"]), remainder="passthrough")
X = ct.fit_transform(df.drop(columns="y"))
a, b, c, d = train_test_split(X, df["y"])
Ridge().fit(a, c).score(b, d)
""",
    "voting of models": """
# %%
from sklearn.ensemble import VotingClassifier
from sklearn.svm import SVC
from sklearn.linear_model import LogisticRegression
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
models = {"svc": SVC(), "lr": LogisticRegression()}
for name, m in models.items():
    m.fit(a, c)
    print(name, m.score(b, d))
v = VotingClassifier(list(models.items())).fit(a, c)
v.score(b, d)
""",
    "undersample before split": """
# %%
from imblearn.under_sampling import RandomUnderSampler
from sklearn.svm import SVC
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
X, y = make_classification(900)
X, y = RandomUnderSampler().fit_resample(X, y)
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "cells train score and kfold": """
# %%
from sklearn.svm import SVC
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split, cross_val_score
X, y = load_wine(return_X_y=True)
m = SVC().fit(X, y)
print(m.score(X, y))
print(cross_val_score(SVC(), X, y))
""",
    "statsmodels": """
# %%
import pandas as pd, statsmodels.api as sm
from sklearn.model_selection import train_test_split
from sklearn.metrics import r2_score
df = pd.read_csv("a.csv")
train, test = train_test_split(df)
X = sm.add_constant(train[["a"]])
res = sm.OLS(train["y"], X).fit()
print(res.summary())
r2_score(test["y"], res.predict(sm.add_constant(test[["a"]])))
""",
    "indices split": """
# %%
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
tr, te = train_test_split(np.arange(len(y)), test_size=.2, stratify=y)
sc = StandardScaler().fit(X[tr])
SVC().fit(sc.transform(X[tr]), y[tr]).score(sc.transform(X[te]), y[te])
""",
    "index loc": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
X_train, X_test = train_test_split(df[["a", "b"]])
y_train, y_test = df.loc[X_train.index, "y"], df.loc[X_test.index, "y"]
SVC().fit(X_train, y_train).score(X_test, y_test)
""",
    "shuffle split loop": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import StratifiedShuffleSplit
X, y = load_wine(return_X_y=True)
sss = StratifiedShuffleSplit(n_splits=1, test_size=.2)
for tr, te in sss.split(X, y):
    a, b = X[tr], X[te]
    c, d = y[tr], y[te]
SVC().fit(a, c).score(b, d)
""",
    "corr among features": """
# %%
import pandas as pd, numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y"), df["y"]
print(X.corr())
a, b, p, q = train_test_split(X, y)
Ridge().fit(a, p).score(b, q)
""",
    "gridsearch best score only": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import GridSearchCV
X, y = load_wine(return_X_y=True)
g = GridSearchCV(SVC(), {"C": [1, 2]}).fit(X, y)
print(g.best_score_)
""",
    "grid on scaled train": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import GridSearchCV, train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
sc = StandardScaler().fit(a)
g = GridSearchCV(SVC(), {"C": [1, 2]}, cv=5).fit(sc.transform(a), c)
print(g.best_score_)
print(g.score(sc.transform(b), d))
""",
    "te inside folds": """
# %%
import pandas as pd, numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
df = pd.read_csv("a.csv")
scores = []
for tr, te in KFold(5, shuffle=True, random_state=0).split(df):
    train, test = df.iloc[tr].copy(), df.iloc[te].copy()
    rate = train.groupby("city")["y"].mean()
    train["rate"] = train["city"].map(rate)
    test["rate"] = test["city"].map(rate).fillna(train["y"].mean())
    m = Ridge().fit(train[["rate"]], train["y"])
    scores.append(m.score(test[["rate"]], test["y"]))
""",
    "sort by date tabular": """
# %%
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv", parse_dates=["signup_date"])
df["month"] = df["signup_date"].dt.month
df = df.sort_values("signup_date")
X, y = df[["month", "b"]], df["y"]
a, b, c, d = train_test_split(X, y)
Ridge().fit(a, c).score(b, d)
""",
    "while True function pipeline evaluate helper": """
# %%
from sklearn.datasets import load_wine
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import train_test_split
def prepare(test_size=.2, seed=0):
    X, y = load_wine(return_X_y=True)
    return train_test_split(X, y, test_size=test_size, random_state=seed)
def report(model, X, y, name="x"):
    p = model.predict(X)
    print(name, accuracy_score(y, p), classification_report(y, p))
    return accuracy_score(y, p)
X_train, X_test, y_train, y_test = prepare()
model = Pipeline([("sc", StandardScaler()), ("clf", SVC())])
model.fit(X_train, y_train)
report(model, X_train, y_train, "train")
report(model, X_test, y_test, "test")
""",
    "dict of parts": """
# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
parts = dict(zip(["a", "b", "c", "d"], train_test_split(X, y)))
sc = StandardScaler().fit(parts["a"])
SVC().fit(sc.transform(parts["a"]), parts["c"]).score(sc.transform(parts["b"]), parts["d"])
""",
    "ks test drift": """
# %%
import pandas as pd
from scipy.stats import ks_2samp
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
tr, te = train_test_split(df)
for c in ["a", "b"]:
    print(ks_2samp(tr[c], te[c]), te[c].mean() - tr[c].mean())
SVC().fit(tr[["a", "b"]], tr.y).score(te[["a", "b"]], te.y)
""",
    "class balance and weights": """
# %%
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_class_weight
X, y = make_classification(900)
w = compute_class_weight("balanced", classes=np.unique(y), y=y)
print(y.mean(), np.bincount(y))
a, b, c, d = train_test_split(X, y, stratify=y)
m = LogisticRegression(class_weight=dict(enumerate(w))).fit(a, c)
print(m.score(b, d), (y == 1).mean(), max(d.mean(), 1 - d.mean()))
""",
    "baseline on test": """
# %%
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split
X, y = load_diabetes(return_X_y=True)
a, b, c, d = train_test_split(X, y)
m = Ridge().fit(a, c)
base = np.full(len(d), c.mean())
print(mean_squared_error(d, m.predict(b)), mean_squared_error(d, base))
res = d - m.predict(b)
print(res.mean(), res.std(), np.corrcoef(d, m.predict(b)))
""",
    "permutation importance and calibration on test": """
# %%
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.metrics import confusion_matrix, roc_auc_score, ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y)
rf = RandomForestClassifier().fit(X_train, y_train)
p = rf.predict(X_test)
cm = confusion_matrix(y_test, p)
cm = cm / cm.sum(axis=1, keepdims=True)
print(permutation_importance(rf, X_test, y_test).importances_mean.argsort())
print(rf.feature_importances_.argmax(), p.mean())
ConfusionMatrixDisplay.from_estimator(rf, X_test, y_test)
""",
    "manual folds by array_split": """
# %%
import numpy as np
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
idx = np.random.permutation(len(X))
folds = np.array_split(idx, 5)
scores = []
for i in range(5):
    te = folds[i]
    tr = np.concatenate([folds[j] for j in range(5) if j != i])
    sc = StandardScaler().fit(X[tr])
    scores.append(SVC().fit(sc.transform(X[tr]), y[tr]).score(sc.transform(X[te]), y[te]))
print(np.mean(scores))
""",
    "mask by isin ids": """
# %%
import pandas as pd, numpy as np
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
ids = df["uid"].unique()
rng = np.random.default_rng(0)
test_ids = rng.choice(ids, size=20, replace=False)
is_test = df["uid"].isin(test_ids)
train, test = df[~is_test], df[is_test]
SVC().fit(train[["a"]], train["y"]).score(test[["a"]], test["y"])
""",
    "boolean column split": """
# %%
import pandas as pd
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
train = df.query("year < 2015")
test = df.query("year >= 2015")
sc = StandardScaler().fit(train[["a"]])
SVC().fit(sc.transform(train[["a"]]), train["y"]).score(sc.transform(test[["a"]]), test["y"])
""",
    "loc with date strings": """
# %%
import pandas as pd
from sklearn.preprocessing import StandardScaler
from sklearn.linear_model import Ridge
s = pd.read_csv("s.csv", index_col=0, parse_dates=True)
s["lag"] = s.v.shift()
train, test = s.loc[:"2019"].dropna(), s.loc["2020":].dropna()
sc = StandardScaler().fit(train[["lag"]])
m = Ridge().fit(sc.transform(train[["lag"]]), train.v)
m.score(sc.transform(test[["lag"]]), test.v)
""",
    "clusters as features of train only": """
# %%
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
tr, te = train_test_split(df, random_state=0)
km = KMeans(5).fit(tr[["a", "b"]])
tr = tr.assign(k=km.predict(tr[["a", "b"]]))
te = te.assign(k=km.predict(te[["a", "b"]]))
Ridge().fit(tr[["a", "k"]], tr.y).score(te[["a", "k"]], te.y)
""",
    "stacking by hand": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split, cross_val_predict
import numpy as np
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
base = [SVC(), LogisticRegression()]
Z = np.column_stack([cross_val_predict(m, a, c) for m in base])
for m in base: m.fit(a, c)
Zt = np.column_stack([m.predict(b) for m in base])
meta = LogisticRegression().fit(Z, c)
print(meta.score(Zt, d))
""",
    "learning curve by hand": """
# %%
from sklearn.datasets import load_wine
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
for n in (10, 50, 100):
    m = SVC().fit(a[:n], c[:n])
    print(n, m.score(a[:n], c[:n]), m.score(b, d))
""",
    "torch loop": """
# %%
import torch, numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_iris(return_X_y=True)
a, b, c, d = train_test_split(X, y)
sc = StandardScaler(); a = sc.fit_transform(a); b = sc.transform(b)
at, ct = torch.tensor(a), torch.tensor(c)
net = torch.nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=.1)
for e in range(10):
    loss = torch.nn.functional.cross_entropy(net(at), ct)
    opt.zero_grad(); loss.backward(); opt.step()
acc = (net(torch.tensor(b)).argmax(1).numpy() == d).mean()
""",
    "dropna and duplicates": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv").dropna().drop_duplicates().reset_index(drop=True)
df = df.sample(frac=1, random_state=0)
X, y = df.iloc[:, :-1], df.iloc[:, -1]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "augment train only": """
# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
X, y = load_digits(return_X_y=True)
a, b, c, d = train_test_split(X, y)
a2 = np.vstack([a, a + np.random.normal(size=a.shape)])
c2 = np.concatenate([c, c])
SVC().fit(a2, c2).score(b, d)
""",
    "target encoder in pipeline": """
# %%
import pandas as pd
from sklearn.preprocessing import TargetEncoder
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.model_selection import cross_val_score, train_test_split
df = pd.read_csv("a.csv")
X, y = df[["city"]], df["y"]
print(cross_val_score(make_pipeline(TargetEncoder(), Ridge()), X, y))
a, b, c, d = train_test_split(X, y)
te = TargetEncoder().fit(a, c)
Ridge().fit(te.transform(a), c).score(te.transform(b), d)
""",
    "log of target and back": """
# %%
import pandas as pd, numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv")
df["log_price"] = np.log(df["price"])
X, y = df.drop(columns=["price", "log_price"]), df["log_price"]
a, b, c, d = train_test_split(X, y)
m = Ridge().fit(a, c)
mean_absolute_error(np.exp(d), np.exp(m.predict(b)))
""",
    "two models one refit on all train": """
# %%
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split, RandomizedSearchCV
X, y = load_wine(return_X_y=True)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, random_state=1)
X_fit, X_val, y_fit, y_val = train_test_split(X_tr, y_tr, random_state=1)
best, score = None, -1
for n in [10, 50, 100]:
    rf = RandomForestClassifier(n).fit(X_fit, y_fit)
    s = rf.score(X_val, y_val)
    if s > score: best, score = n, s
final = RandomForestClassifier(best).fit(X_tr, y_tr)
print(final.score(X_te, y_te))
""",
    "retrain on train plus val": """
# %%
import numpy as np
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
a1, v, c1, w = train_test_split(a, c)
m = RandomForestClassifier().fit(a1, c1)
print(m.score(v, w))
m = RandomForestClassifier().fit(np.vstack([a1, v]), np.concatenate([c1, w]))
print(m.score(b, d))
""",
    "predict new data": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split
df = pd.read_csv("a.csv"); new = pd.read_csv("new.csv")
X, y = df[["a", "b"]], df.y
a, b, c, d = train_test_split(X, y)
sc = StandardScaler().fit(a)
m = SVC().fit(sc.transform(a), c)
print(m.score(sc.transform(b), d))
sc2 = StandardScaler().fit(X); m2 = SVC().fit(sc2.transform(X), y)
new["p"] = m2.predict(sc2.transform(new[["a", "b"]]))
""",
    "recommender mean by user of train": """
# %%
import pandas as pd, numpy as np
from sklearn.model_selection import train_test_split
from sklearn.metrics import mean_squared_error
r = pd.read_csv("ratings.csv")
train, test = train_test_split(r, random_state=0)
mu = train.groupby("movie")["rating"].mean()
pred = test["movie"].map(mu).fillna(train["rating"].mean())
print(np.sqrt(mean_squared_error(test["rating"], pred)))
""",
    "svd plot after": """
# %%
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
m = LogisticRegression().fit(a, c)
print(m.score(b, d))
Z = PCA(2).fit_transform(X)
m2 = LogisticRegression().fit(Z, y)
print(m2.coef_)
""",
    "polars": """
# %%
import polars as pl
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pl.read_csv("a.csv")
X, y = df.drop("y").to_numpy(), df["y"].to_numpy()
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "group transform count": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
df["Age"] = df["Age"].fillna(0)
df["Title"] = df["Name"].str.extract("([A-Za-z]+)[.]")
df["Title"] = df["Title"].replace(["Lady", "Countess"], "Rare").map({"Mr": 1, "Mrs": 2}).fillna(0)
df["Embarked"] = df["Embarked"].fillna("S")
df["FareBand"] = pd.cut(df["Fare"], [0, 10, 50, 1000], labels=False)
df["IsAlone"] = 0
df.loc[df["SibSp"] + df["Parch"] == 0, "IsAlone"] = 1
df = df.drop(["Name", "Ticket"], axis=1)
X, y = df.drop("Survived", axis=1), df["Survived"]
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "dict means of train": """
# %%
import pandas as pd
from sklearn.svm import SVC
from sklearn.model_selection import train_test_split
df = pd.read_csv("titanic.csv")
train, test = train_test_split(df)
means = {c: train[c].mean() for c in ["Age", "Fare"]}
train, test = train.fillna(value=means), test.fillna(value=means)
SVC().fit(train[["Age"]], train.y).score(test[["Age"]], test.y)
""",
    "cumulative features per user": """
# %%
import pandas as pd
from sklearn.svm import SVC
df = pd.read_csv("t.csv", parse_dates=["ts"]).sort_values("ts")
df["n_before"] = df.groupby("acct").cumcount()
df["mean_before"] = df.groupby("acct")["amt"].transform(lambda s: s.shift(1).expanding().mean())
cut = df["ts"].quantile(.8)
train, test = df[df["ts"] <= cut], df[df["ts"] > cut]
cols = ["n_before", "mean_before"]
SVC().fit(train[cols].fillna(0), train.y).score(test[cols].fillna(0), test.y)
""",
    "early stopping with cv": """
# %%
import lightgbm as lgb
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
m = lgb.LGBMClassifier()
m.fit(a, c, eval_set=[(a, c), (b, d)])
print(m.score(b, d))
""",
}


@pytest.mark.parametrize("text", LEAKY.values(), ids=list(LEAKY))
def test_a_leak_is_told_where_it_comes_from(text: str) -> None:
    assert marked(text) == told(text)


@pytest.mark.parametrize("text", CLEAN.values(), ids=list(CLEAN))
def test_nothing_is_told_of_what_is_right(text: str) -> None:
    assert told(text) == []


SCORED = """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y, random_state=0)
models = {"svc": SVC(), "tree": DecisionTreeClassifier()}
best, table = 0, {"best": 0}
for name, model in models.items():
    score = model.fit(a, c).score(b, d)
"""


@pytest.mark.parametrize(
    ("kept", "leaks"),
    [
        ("    if score > best:\n        best = score\n", ["NBS321 8"]),
        ("    if best < score:\n        best, winner = score, model\n", ["NBS321 8"]),
        ("    if score > table['best']:\n        table['best'] = score\n", ["NBS321 8"]),
        ("    best = score if score > best else best\n", ["NBS321 8"]),
        ("    colour = 'green' if score > 0.9 else 'red'\n", []),
        ("    if score > 0.9:\n        colour = 'green'\n", []),
        ("    if score < best:\n        print(name, 'is no better')\n", []),
    ],
)
def test_a_choice_keeps_what_it_asks_for(kept: str, leaks: list[str]) -> None:
    assert told(SCORED + kept) == leaks


def test_scores_on_rows_of_two_tables_are_no_choice() -> None:
    text = """
# %%
def study(path):
    df = pd.read_csv(path)
    a, b = train_test_split(df, random_state=0)
    return SVC().fit(a[["x"]], a["y"]).score(b[["x"]], b["y"])
one, two = study("one.csv"), study("two.csv")
print(max(one, two))
"""
    assert told(text) == []
