"""Leaks in networks that are trained by hand, step by step."""

import pytest
from leakcase import marked, told

HEAD = """\
# %% [2]
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
X, y = load_wine(return_X_y=True)
"""
NET = """\
net = nn.Sequential(nn.Linear(13, 8), nn.ReLU(), nn.Linear(8, 3)).to("cpu")
loss_of = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""
SPLIT = """\
a, b, ya, yb = (torch.tensor(part) for part in train_test_split(X, y, random_state=0))
"""
TRAIN = """\
for epoch in range(50):
    optimizer.zero_grad()
    loss = loss_of(net(a), ya)
    loss.backward()
    optimizer.step()
"""
SCORE = """\
with torch.no_grad():
    print((net(b).argmax(dim=1) == yb).float().mean().item())
"""


def test_what_is_learned_before_the_split() -> None:
    text = HEAD + "X = StandardScaler().fit_transform(X) #! NBS301\n" + SPLIT + NET + TRAIN + SCORE
    assert marked(text) == told(text)


def test_a_split_before_everything_is_clean() -> None:
    assert told(HEAD + SPLIT + NET + TRAIN + SCORE) == []


def test_rows_that_the_network_learned_from() -> None:
    whole = "a, ya = torch.tensor(X), torch.tensor(y)\n"
    text = HEAD + SPLIT + whole + NET + TRAIN.replace("backward()", "backward() #! NBS312") + SCORE
    assert marked(text) == told(text)


@pytest.mark.parametrize(
    "score",
    [
        "(torch.max(net(b), 1)[1] == yb).sum().item() / len(yb)",
        "accuracy_score(yb, net(b).argmax(1).numpy())",
        "loss_of(net(b), yb).item()",
        "F.cross_entropy(net(b), yb).item()",
    ],
)
def test_the_best_score_of_the_test_rows_is_a_choice(score: str) -> None:
    keep = "    if value > best:\n        best = value\n"
    text = (
        HEAD
        + SPLIT
        + NET
        + "best = 0\n"
        + TRAIN
        + f"    value = {score} #! NBS321\n"
        + keep
        + "print(best)\n"
    )
    assert marked(text) == told(text)


def test_a_class_of_the_page_is_a_network() -> None:
    text = (
        HEAD
        + "X = X / X.max(axis=0) #! NBS302\n"
        + SPLIT
        + """\
class Net(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.one, self.two = nn.Linear(13, inner), nn.Linear(inner, 3)
    def forward(self, x):
        return self.two(F.relu(self.one(x)))
net = Net(16)
optimizer, loss_of = torch.optim.Adam(net.parameters()), nn.CrossEntropyLoss()
"""
        + TRAIN
        + SCORE
    )
    assert marked(text) == told(text)


LOADERS = """\
data = TensorDataset(torch.tensor(X), torch.tensor(y))
train, val, test = random_split(data, [0.6, 0.2, 0.2])
train_loader, val_loader, test_loader = (DataLoader(part, 16) for part in (train, val, test))
def run(model, loader, optimizer):
    for i, (xb, yb) in enumerate(loader):
        optimizer.zero_grad()
        F.cross_entropy(model(xb), yb).backward()
        optimizer.step()
def right(model, loader):
    found = total = 0
    model.eval()
    with torch.no_grad():
        for xb, yb in loader:
            _, predicted = torch.max(model(xb), 1)
            found += (predicted == yb).sum().item()
            total += len(yb)
    return found / total
"""


def test_loaders_of_parts_are_clean() -> None:
    text = (
        HEAD
        + LOADERS
        + NET
        + "best = 0\n"
        + "for epoch in range(9):\n    run(net, train_loader, optimizer)\n"
        + "    value = right(net, val_loader)\n    if value > best:\n        best = value\n"
        + "print(right(net, test_loader))\n"
    )
    assert told(text) == []


def test_loaders_of_rows_that_were_scaled_whole() -> None:
    text = (
        HEAD
        + "X = MinMaxScaler().fit_transform(X) #! NBS301\n"
        + LOADERS
        + NET
        + "run(net, train_loader, optimizer)\nprint(right(net, test_loader))\n"
    )
    assert marked(text) == told(text)


def test_the_training_score_alone_is_no_fault_of_a_loop() -> None:
    text = HEAD + SPLIT + NET + TRAIN + SCORE.replace("(b)", "(a)").replace("yb", "ya")
    assert told(text) == []


def test_loaders_of_an_unknown_kind_are_left_alone() -> None:
    text = (
        HEAD
        + "from ourlib import make\ntrain, test = make('a'), make('b')\n"
        + NET
        + "for xb, yb in train:\n    loss_of(net(xb), yb).backward()\n"
        + "for xb, yb in test:\n    print((net(xb).argmax(1) == yb).float().mean().item())\n"
    )
    assert told(text) == []


def test_a_class_that_inherits_its_fit_is_known() -> None:
    text = """
# %%
class Scaler(StandardScaler):
    pass
X, y = load_wine(return_X_y=True)
X = Scaler().fit_transform(X) #! NBS301
a, b, ya, yb = train_test_split(X, y)
SVC().fit(a, ya).score(b, yb)
"""
    assert marked(text) == told(text)


def test_a_gradient_is_taken_of_what_was_predicted() -> None:
    text = """
# %%
import tensorflow as tf
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X) #! NBS301
a, b, ya, yb = train_test_split(X, y)
net = tf.keras.Sequential([tf.keras.layers.Dense(3)])
for step in range(100):
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.mse(ya, net(a, training=True))
    optimizer.apply_gradients(zip(tape.gradient(loss, net.weights), net.weights))
print(accuracy_score(yb, net.predict(b).argmax(axis=1)))
"""
    assert {line.replace("?", "") for line in told(text)} == set(marked(text))
