"""Notebooks that leak: each leak is told at the line that is marked, and nothing else is."""

import pytest
from leakcase import marked, told

LEAKY = {
    "chained calls": """
# %%
X, y = load_iris(return_X_y=True)
Xs = StandardScaler().fit(X).transform(X) #! NBS301
# %%
a, b, c, d = train_test_split(Xs, y)
accuracy_score(d, SVC().fit(a, c).predict(b))
""",
    "statistics kept in names": """
# %%
df = pd.read_csv("a.csv")
mu = df["x"].mean() #! NBS302
sd = df["x"].std() #! NBS302
df["x"] = (df["x"] - mu) / sd
# %%
train, test = train_test_split(df)
m = LinearRegression().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "fillna with the medians of all columns": """
# %%
df = pd.read_csv("a.csv")
df = df.fillna(df.median()) #! NBS302
X, y = df.drop("y", axis=1), df["y"]
# %%
a, b, c, d = train_test_split(X, y)
m = Ridge().fit(a, c)
print(mean_squared_error(d, m.predict(b)))
""",
    "fillna in place": """
# %%
df = pd.read_csv("a.csv")
df["age"].fillna(df["age"].median(), inplace=True) #! NBS302
train, test = train_test_split(df)
m = Ridge().fit(train[["age"]], train.y)
m.score(test[["age"]], test.y)
""",
    "min-max by numpy": """
# %%
X, y = load_wine(return_X_y=True)
X = (X - np.min(X, axis=0)) / (np.max(X, axis=0) - np.min(X, axis=0)) #! NBS302
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "a function that loads and scales": """
# %%
def load(path):
    table = pd.read_csv(path)
    y = table.pop("y")
    scaler = MinMaxScaler()
    return scaler.fit_transform(table), y #! NBS301
# %%
X, y = load("a.csv")
X_train, X_test, y_train, y_test = train_test_split(X, y)
# %%
def evaluate(model):
    model.fit(X_train, y_train)
    return accuracy_score(y_test, model.predict(X_test))
print(evaluate(SVC()))
""",
    "the scaler of a loop": """
# %%
X, y = load_wine(return_X_y=True)
for scaler in (StandardScaler(), MinMaxScaler()):
    Z = scaler.fit_transform(X) #! NBS301
    a, b, c, d = train_test_split(Z, y, random_state=0)
    print(SVC().fit(a, c).score(b, d))
""",
    "text vectors of all rows": """
# %%
mails = pd.read_csv("mail.csv")
cv = CountVectorizer()
X = cv.fit_transform(mails["text"]).toarray() #! NBS301
X_train, X_test, y_train, y_test = train_test_split(X, mails["spam"], test_size=.2)
clf = LogisticRegression().fit(X_train, y_train)
print(f1_score(y_test, clf.predict(X_test)))
""",
    "split by a random mask and its complement": """
# %%
df = pd.read_csv("a.csv")
df["x"] = df.x / df.x.max() #! NBS302
msk = np.random.rand(len(df)) < 0.8
train, test = df[msk], df[~msk]
# %%
m = LinearRegression().fit(train[["x"]], train["y"])
np.sqrt(mean_squared_error(test["y"], m.predict(test[["x"]])))
""",
    "split by slices of shuffled positions": """
# %%
X, y = load_iris(return_X_y=True)
X = PCA(2).fit_transform(X) #! NBS301
idx = np.arange(len(X))
np.random.shuffle(idx)
cut = int(.7 * len(X))
tr, te = idx[:cut], idx[cut:]
# %%
knn = KNeighborsClassifier().fit(X[tr], y[tr])
print((knn.predict(X[te]) == y[te]).mean())
""",
    "fold loop over scaled rows": """
# %%
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X) #! NBS305
# %%
scores = []
for tr, te in KFold(5).split(X):
    m = LogisticRegression().fit(X[tr], y[tr])
    scores.append(m.score(X[te], y[te]))
print(np.mean(scores))
""",
    "fold loop that fits on all rows": """
# %%
X, y = load_wine(return_X_y=True)
scores = []
for tr, te in StratifiedKFold(5).split(X, y):
    m = LogisticRegression().fit(X, y) #! NBS312
    scores.append(m.score(X[te], y[te]))
""",
    "cross_validate on imputed rows": """
# %%
df = pd.read_csv("a.csv")
y = df.pop("y")
X = SimpleImputer().fit_transform(df) #! NBS305
res = cross_validate(Ridge(), X, y, cv=5)
""",
    "selection by an importance of all rows": """
# %%
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y"), df["y"]
forest = RandomForestClassifier().fit(X, y) #! NBS303
top = X.columns[forest.feature_importances_ > .05]
# %%
a, b, c, d = train_test_split(X[top], y)
print(SVC().fit(a, c).score(b, d))
""",
    "support of a selector as a mask of columns": """
# %%
X, y = load_wine(return_X_y=True)
keep = SelectKBest(f_classif, k=3).fit(X, y).get_support() #! NBS303
a, b, c, d = train_test_split(X[:, keep], y)
SVC().fit(a, c).score(b, d)
""",
    "smote of everything": """
# %%
X, y = make_classification(900, weights=[.9])
sm = SMOTE()
X_new, y_new = sm.fit_resample(X, y) #! NBS311
# %%
a, b, c, d = train_test_split(X_new, y_new)
tree = DecisionTreeClassifier()
tree.fit(a, c)
roc_auc_score(d, tree.predict_proba(b)[:, 1])
""",
    "rows put in twice by hand": """
# %%
df = pd.read_csv("a.csv")
rare = df[df["y"] == 1]
df = pd.concat([df, rare, rare]) #! NBS311
train, test = train_test_split(df)
m = SVC().fit(train[["x"]], train["y"])
m.score(test[["x"]], test["y"])
""",
    "a search on all rows, scored on a part": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
# %%
gs = GridSearchCV(SVC(), {"C": [1, 10]}, cv=5)
gs.fit(X, y) #! NBS312
print(gs.best_estimator_.score(b, d))
""",
    "parameters found on all rows": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
gs = GridSearchCV(SVC(), {"C": [1, 10]}).fit(X, y) #! NBS321
# %%
best = SVC(**gs.best_params_).fit(a, c)
best.score(b, d)
""",
    "test rows appended to the training rows": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
a = np.vstack([a, b]) #! NBS313
c = np.hstack([c, d])
SVC().fit(a, c).score(b, d)
""",
    "k by the largest of a list of test scores": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
# %%
acc = []
for k in range(1, 30):
    knn = KNeighborsClassifier(k)
    knn.fit(a, c)
    acc.append(accuracy_score(d, knn.predict(b))) #! NBS321
best_k = np.argmax(acc) + 1
# %%
print(KNeighborsClassifier(best_k).fit(a, c).score(b, d))
""",
    "a dict of test scores and its maximum": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
scores = {}
for depth in [1, 2, 3, 4]:
    tree = DecisionTreeClassifier(max_depth=depth).fit(a, c)
    scores[depth] = tree.score(b, d) #! NBS321
best = max(scores, key=scores.get)
""",
    "threshold by the roc curve of the test rows": """
# %%
X, y = make_classification(900)
a, b, c, d = train_test_split(X, y)
p = LogisticRegression().fit(a, c).predict_proba(b)[:, 1]
fpr, tpr, cuts = roc_curve(d, p) #! NBS321
best = cuts[np.argmax(tpr - fpr)]
# %%
print(f1_score(d, p > best))
""",
    "early stopping on the test rows": """
# %%
X, y = make_classification(900)
a, b, c, d = train_test_split(X, y)
m = XGBClassifier(early_stopping_rounds=5)
m.fit(a, c, eval_set=[(b, d)]) #! NBS322
m.score(b, d)
""",
    "the target left in": """
# %%
df = pd.read_csv("a.csv")
y = df["price"]
X = df.drop(columns=["id"])
a, b, c, d = train_test_split(X, y)
m = Ridge().fit(a, c) #! NBS341
m.score(b, d)
""",
    "target means by transform": """
# %%
df = pd.read_csv("a.csv")
df["enc"] = df.groupby("city")["y"].transform("mean") #! NBS342 NBS302
train, test = train_test_split(df)
m = Ridge().fit(train[["enc", "x"]], train["y"])
m.score(test[["enc", "x"]], test["y"])
""",
    "pct_change of later rows": """
# %%
px = pd.read_csv("px.csv", parse_dates=["day"], index_col="day")
px["next"] = px["close"].pct_change().shift(-1) #! NBS333
px["up"] = (px["close"].shift(-1) > px["close"]).astype(int)
px = px.dropna()
n = int(len(px) * .8)
train, test = px[:n], px[n:]
m = RandomForestClassifier().fit(train[["next", "close"]], train["up"])
m.score(test[["next", "close"]], test["up"])
""",
    "a series shuffled by train_test_split": """
# %%
s = pd.read_csv("load.csv", parse_dates=["t"]).set_index("t")
s["yesterday"] = s["load"].shift(24)
s["mean"] = s["load"].rolling(7).mean().shift(1)
s = s.dropna()
# %%
X_tr, X_te, y_tr, y_te = train_test_split(s[["yesterday", "mean"]], s["load"]) #! NBS331
m = RandomForestRegressor().fit(X_tr, y_tr)
m.score(X_te, y_te)
""",
    "fitted on the test part again": """
# %%
X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y)
sc = StandardScaler()
a = sc.fit_transform(a)
b = sc.fit_transform(b) #! NBS304
SVC().fit(a, c).score(b, d)
""",
    "both files scaled together and cut apart": """
# %%
train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
train["part"], test["part"] = 1, 0
both = pd.concat([train, test])
both["x"] = (both["x"] - both["x"].mean()) / both["x"].std() #! NBS306
# %%
tr, te = both[both["part"] == 1], both[both["part"] == 0]
m = Ridge().fit(tr[["x"]], tr["y"])
m.score(te[["x"]], te["y"])
""",
    "on one path only": """
# %%
X, y = load_wine(return_X_y=True)
if input() == "scale":
    X = StandardScaler().fit_transform(X) #! NBS301?
a, b, c, d = train_test_split(X, y)
SVC().fit(a, c).score(b, d)
""",
    "a class that holds the steps": """
# %%
class Experiment:
    def __init__(self, path):
        self.df = pd.read_csv(path)
        self.scaler = StandardScaler()
        self.model = LogisticRegression()

    def prepare(self):
        X = self.scaler.fit_transform(self.df.drop(columns="y")) #! NBS301
        self.parts = train_test_split(X, self.df["y"])

    def run(self):
        a, b, c, d = self.parts
        self.model.fit(a, c)
        return self.model.score(b, d)
# %%
e = Experiment("a.csv")
e.prepare()
print(e.run())
""",
    "only the training score": """
# %%
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y)
m = SVC().fit(X_train, y_train)
print(accuracy_score(y_train, m.predict(X_train))) #! NBS314
""",
    "one patient on both sides": """
# %%
df = pd.read_csv("scans.csv")
print(df.groupby("patient_id").size())
X, y = df[["a", "b"]], df["ill"]
a, b, c, d = train_test_split(X, y, random_state=0) #! NBS332
SVC().fit(a, c).score(b, d)
""",
}


@pytest.mark.parametrize("text", LEAKY.values(), ids=list(LEAKY))
def test_a_leak_is_told_where_it_comes_from(text: str) -> None:
    assert marked(text) == told(text)
