"""Notebooks that only look as if they leaked: nothing is told of them."""

import pytest
from leakcase import told

CLEAN = {
    "scaler of the training rows": """
# %%
X, y = load_iris(return_X_y=True)
a, b, c, d = train_test_split(X, y)
sc = StandardScaler().fit(a)
SVC().fit(sc.transform(a), c).score(sc.transform(b), d)
""",
    "the same name, split first": """
# %%
df = pd.read_csv("a.csv")
train, test = train_test_split(df)
# %%
med = train["x"].median()
for part in (train, test):
    part["x"] = part["x"].fillna(med)
m = Ridge().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "constants and single rows": """
# %%
X, y = load_wine(return_X_y=True)
X = np.log1p(X / 255.0)
X = X / np.linalg.norm(X, axis=1, keepdims=True)
X = X - X.mean(axis=1, keepdims=True)
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "what learns nothing": """
# %%
X, y = load_wine(return_X_y=True)
X = PolynomialFeatures(2).fit_transform(Normalizer().fit_transform(X))
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "categories of the target and of features": """
# %%
df = pd.read_csv("a.csv")
df["kind"] = LabelEncoder().fit_transform(df["kind"])
y = LabelEncoder().fit_transform(df["label"])
X = pd.get_dummies(df.drop(columns=["label"]), columns=["city"])
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "hashed texts": """
# %%
mails = pd.read_csv("mail.csv")
X = HashingVectorizer().transform(mails["text"])
a, b, c, d = train_test_split(X, mails["spam"])
LogisticRegression().fit(a, c).score(b, d)
""",
    "statistics that are printed": """
# %%
df = pd.read_csv("a.csv")
print(df.mean(), df.describe(), df["x"].std())
mu = df["x"].mean()
print(f"mean {mu}")
train, test = train_test_split(df)
m = Ridge().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "a scaled copy for a picture": """
# %%
X, y = load_wine(return_X_y=True)
P = PCA(2).fit_transform(StandardScaler().fit_transform(X))
print(P[:, 0], KMeans(3).fit_predict(P))
# %%
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "a column that is dropped again": """
# %%
df = pd.read_csv("a.csv")
df["z"] = (df["x"] - df["x"].mean()) / df["x"].std()
df = df[df["z"].abs() < 3].drop(columns="z")
train, test = train_test_split(df)
m = Ridge().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "refitted on all rows after the score": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
m = make_pipeline(StandardScaler(), SVC()).fit(a, c)
print(m.score(b, d))
# %%
final = clone(m).fit(X, y)
m.fit(X, y)
""",
    "a pipeline in a cross-validation": """
# %%
X, y = load_wine(return_X_y=True)
pipe = Pipeline([("s", StandardScaler()), ("k", SelectKBest(k=4)), ("m", SVC())])
print(cross_val_score(pipe, X, y, cv=5).mean())
pred = cross_val_predict(pipe, X, y)
print(accuracy_score(y, pred))
""",
    "over-sampling in the pipeline": """
# %%
X, y = make_classification(900, weights=[.9])
print(cross_val_score(balanced_pipeline(SMOTE(), SVC()), X, y).mean())
""",
    "over-sampling of the training rows": """
# %%
X, y = make_classification(900, weights=[.9])
a, b, c, d = train_test_split(X, y, stratify=y)
a, c = RandomOverSampler().fit_resample(a, c)
SVC().fit(a, c).score(b, d)
""",
    "up-sampling of the training rows by hand": """
# %%
df = pd.read_csv("a.csv")
train, test = train_test_split(df, stratify=df["y"])
rare = train[train["y"] == 1]
more = resample(rare, replace=True, n_samples=500)
train = pd.concat([train[train["y"] == 0], more])
m = SVC().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "fold loop with everything inside": """
# %%
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y").values, df["y"].values
scores = []
for tr, te in KFold(5, shuffle=True).split(X):
    sc = StandardScaler()
    A, B = sc.fit_transform(X[tr]), sc.transform(X[te])
    A, yA = SMOTE().fit_resample(A, y[tr])
    m = LogisticRegression().fit(A, yA)
    scores.append(f1_score(y[te], m.predict(B)))
print(np.mean(scores), np.max(scores))
""",
    "folds made before": """
# %%
df = pd.read_csv("a.csv")
folds = list(KFold(5).split(df))
for train_index, test_index in folds:
    train, test = df.iloc[train_index], df.iloc[test_index]
    mu = train["x"].mean()
    m = Ridge().fit(train[["x"]] - mu, train["y"])
    print(m.score(test[["x"]] - mu, test["y"]))
""",
    "sample and drop": """
# %%
df = pd.read_csv("a.csv")
train = df.sample(frac=.8, random_state=1)
test = df.drop(train.index)
sc = StandardScaler().fit(train[["x"]])
m = Ridge().fit(sc.transform(train[["x"]]), train["y"])
m.score(sc.transform(test[["x"]]), test["y"])
""",
    "bootstrap, scored out of bag": """
# %%
df = pd.read_csv("a.csv")
for i in range(20):
    bag = df.sample(frac=1, replace=True)
    rest = df[~df.index.isin(bag.index)]
    m = Ridge().fit(bag[["x"]], bag["y"])
    print(m.score(rest[["x"]], rest["y"]))
""",
    "walking forward": """
# %%
s = pd.read_csv("s.csv", index_col="t", parse_dates=True)
s["lag"] = s["v"].shift(1)
s = s.dropna()
errors = []
for i in range(100, len(s)):
    past, now = s.iloc[:i], s.iloc[i:i + 1]
    m = Ridge().fit(past[["lag"]], past["v"])
    errors.append(mean_squared_error(now["v"], m.predict(now[["lag"]])))
""",
    "dates cut in order": """
# %%
s = pd.read_csv("s.csv", parse_dates=["t"])
s = s.sort_values("t")
s["lag"] = s["v"].shift(1)
s["week"] = s["v"].shift(1).rolling(7).mean()
train, test = s[s["t"] < "2020-01-01"], s[s["t"] >= "2020-01-01"]
sc = StandardScaler().fit(train[["lag", "week"]])
m = Ridge().fit(sc.transform(train[["lag", "week"]]), train["v"])
m.score(sc.transform(test[["lag", "week"]]), test["v"])
""",
    "train_test_split without shuffling": """
# %%
s = pd.read_csv("s.csv", index_col="t", parse_dates=True)
s["lag"] = s["v"].shift(1)
s = s.dropna()
a, b, c, d = train_test_split(s[["lag"]], s["v"], shuffle=False)
print(Ridge().fit(a, c).score(b, d))
print(cross_val_score(Ridge(), s[["lag"]], s["v"], cv=TimeSeriesSplit(5)))
""",
    "tomorrow's price as the target": """
# %%
px = pd.read_csv("px.csv", index_col="day", parse_dates=True)
px["tomorrow"] = px["close"].shift(-1)
px["up"] = (px["tomorrow"] > px["close"]).astype(int)
px = px.iloc[:-1]
train, test = px.iloc[:-100], px.iloc[-100:]
cols = ["close", "volume"]
m = RandomForestClassifier().fit(train[cols], train["up"])
print(m.score(test[cols], test["up"]))
""",
    "k by a validation part": """
# %%
X, y = load_wine(return_X_y=True)
A, X_test, B, y_test = train_test_split(X, y, random_state=0)
X_train, X_val, y_train, y_val = train_test_split(A, B, random_state=0)
best, best_k = 0, None
for k in range(1, 20):
    score = KNeighborsClassifier(k).fit(X_train, y_train).score(X_val, y_val)
    if score > best:
        best, best_k = score, k
KNeighborsClassifier(best_k).fit(A, B).score(X_test, y_test)
""",
    "a search on the training rows": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
gs = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 9]}).fit(a, c)
print(gs.best_score_, gs.score(b, d), gs.best_estimator_.score(b, d))
print(SVC(**gs.best_params_).fit(a, c).score(b, d))
""",
    "models side by side": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
for m in (SVC(), KNeighborsClassifier(), DecisionTreeClassifier()):
    print(m.fit(a, c).score(a, c), m.score(b, d))
""",
    "scores of seeds, averaged": """
# %%
X, y = load_wine(return_X_y=True)
out = []
for seed in range(20):
    a, b, c, d = train_test_split(X, y, random_state=seed)
    out.append(SVC().fit(a, c).score(b, d))
print(np.mean(out), np.std(out), max(out))
""",
    "early stopping on a validation part": """
# %%
X, y = make_classification(900)
A, b, B, d = train_test_split(X, y)
a, v, c, w = train_test_split(A, B)
m = XGBClassifier(early_stopping_rounds=5)
m.fit(a, c, eval_set=[(v, w)])
m.score(b, d)
""",
    "groups kept together": """
# %%
df = pd.read_csv("scans.csv")
print(df.groupby("patient_id").size())
X, y = df[["a", "b"]], df["ill"]
for tr, te in GroupKFold(5).split(X, y, df["patient_id"]):
    m = SVC().fit(X.iloc[tr], y.iloc[tr])
    print(m.score(X.iloc[te], y.iloc[te]))
""",
    "two files": """
# %%
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
sc = StandardScaler()
X, Z = sc.fit_transform(train[["a", "b"]]), sc.transform(test[["a", "b"]])
SVC().fit(X, train["y"]).score(Z, test["y"])
""",
    "two files, joined for their columns and cut apart": """
# %%
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
n = train.shape[0]
both = pd.concat((train, test)).reset_index(drop=True)
both = pd.get_dummies(both, columns=["city"])
both["size"] = both["a"] * both["b"]
A, B = both[:n], both[n:]
m = SVC().fit(A.drop(columns="y"), A["y"])
m.score(B.drop(columns="y"), B["y"])
""",
    "clusters": """
# %%
X = StandardScaler().fit_transform(load_iris().data)
km = KMeans(3).fit(X)
print(km.score(X), km.predict(X))
""",
    "statistics of the training rows as a feature": """
# %%
df = pd.read_csv("a.csv")
train, test = train_test_split(df, random_state=0)
rate = train.groupby("city")["y"].mean()
train["rate"] = train["city"].map(rate)
test["rate"] = test["city"].map(rate).fillna(train["y"].mean())
m = Ridge().fit(train[["rate"]], train["y"])
m.score(test[["rate"]], test["y"])
""",
    "a target cut at its median": """
# %%
df = pd.read_csv("a.csv")
y = (df["price"] > df["price"].median()).astype(int)
X = df.drop(columns=["price"])
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "names that are used for another table": """
# %%
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
# %%
X, y = load_iris(return_X_y=True)
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "an unknown function": """
# %%
from helpers import prepare
X, y = prepare("a.csv")
a, b, c, d = train_test_split(X, y)
sc = StandardScaler().fit(a)
SVC().fit(sc.transform(a), c).score(sc.transform(b), d)
""",
    "an unknown function that splits": """
# %%
from helpers import split
X, y = load_wine(return_X_y=True)
a, b, c, d = split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "columns by a list of names": """
# %%
df = pd.read_csv("a.csv")
target = "y"
features = [c for c in df.columns if c not in [target, "id"]]
a, b, c, d = train_test_split(df[features], df[target])
SVC().fit(a, c).score(b, d)
""",
    "columns chosen by a transformer": """
# %%
df = pd.read_csv("a.csv")
pre = ColumnTransformer([("n", StandardScaler(), ["a", "b"]), ("c", OneHotEncoder(), ["k"])])
train, test = train_test_split(df)
m = make_pipeline(pre, LogisticRegression()).fit(train, train["y"])
m.score(test, test["y"])
""",
}


@pytest.mark.parametrize("text", CLEAN.values(), ids=list(CLEAN))
def test_nothing_is_told_of_what_is_right(text: str) -> None:
    assert told(text) == []
