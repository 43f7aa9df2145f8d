"""NBS405: which draws are unseeded, of which source, and what seeds them."""

from __future__ import annotations

import pytest
from rulecase import facts_of

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules import evaluate

ONLY = Config(select=("NBS405",))
IMPORTS = """\
import random, time
import numpy as np, pandas as pd, tensorflow as tf, scipy.stats as st, torch
from torch import nn
from sklearn.model_selection import *
from sklearn.cluster import KMeans
"""


def findings(*cells: str, imports: str = IMPORTS) -> tuple[Finding, ...]:
    return evaluate(facts_of("".join(f"# %%\n{c}\n" for c in (imports, *cells)), ONLY))


def told(*cells: str, imports: str = IMPORTS) -> list[str]:
    """Return "cell:line name source" of each finding."""
    found = findings(*cells, imports=imports)
    return [
        f"{f.location.cell}:{f.location.line} {f.message.split('`')[1]} "
        f"{f.message.partition(' draws from ')[2].partition(',')[0]}".strip()
        for f in found
    ]


NUMPY = "numpy's global state"
TENSORFLOW = "TensorFlow's global generator"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = random.random()", "2:1 random.random Python's `random`"),
        ("x = np.random.rand(3)", f"2:1 np.random.rand {NUMPY}"),
        ("x = st.norm.rvs(size=3)", f"2:1 st.norm.rvs {NUMPY}"),
        ("x = st.bootstrap((a,), np.mean)", f"2:1 st.bootstrap {NUMPY}"),
        ("x = train_test_split(a, b)", f"2:1 train_test_split {NUMPY}"),
        ("x = train_test_split(a, random_state=None)", f"2:1 train_test_split {NUMPY}"),
        ("x = KFold(5, shuffle=True)", f"2:1 KFold {NUMPY}"),
        ("x = KMeans(3).fit(a)", f"2:1 KMeans {NUMPY}"),
        ("x = df.sample(frac=0.1)", f"2:1 df.sample {NUMPY}"),
        ("x = np.random.default_rng()", "2:1 np.random.default_rng"),
        ("x = np.random.RandomState(None)", "2:1 np.random.RandomState"),
        ("x = random.Random()", "2:1 random.Random"),
        ("x = torch.randn(3)", "2:1 torch.randn torch's global generator"),
        ("x = nn.Linear(3, 4)", "2:1 nn.Linear torch's global generator"),
        (
            "x = torch.utils.data.DataLoader(a, shuffle=True)",
            "2:1 torch.utils.data.DataLoader torch's global generator",
        ),
        ("x = tf.random.normal((2,))", "2:1 tf.random.normal TensorFlow's global generator"),
        (
            "x = tf.keras.layers.Dense(3)",
            "2:1 tf.keras.layers.Dense TensorFlow's global generator",
        ),
    ],
)
def test_an_unseeded_draw(cell: str, expected: str) -> None:
    assert told(cell) == [expected]


@pytest.mark.parametrize(
    "cell",
    [
        "x = train_test_split(a, b, random_state=1)",
        "x = train_test_split(a, b, shuffle=False)",
        "x = train_test_split(a, b, **options)",
        "x = KFold(5)",
        "x = KMeans(3, random_state=seed_of_mine)",
        "x = df.sample(frac=0.1, random_state=1)",
        "df.sample(n=5)",
        "print(df.sample(n=5))",
        "x = space.sample()",
        "x = np.random.default_rng(3)",
        "x = st.norm.rvs(size=3, random_state=1)",
        "x = st.bootstrap((a,), np.mean, rng=1)",
        "x = torch.utils.data.DataLoader(a)",
        "time.sleep(random.uniform(1, 2))",
        "state = random.getstate(); np.random.get_state()",
        "def f(random): return random.random()\nf(x)",
        "x = mine.random.rand()",
        "# np.random.rand()",
        "def f(): return np.random.rand()",
        "%run setup.py\nx = np.random.rand()",
    ],
)
def test_nothing_to_seed(cell: str) -> None:
    assert told(cell) == []


@pytest.mark.parametrize(
    ("seed", "left"),
    [
        ("np.random.seed(1)", "random torch tf"),
        ("random.seed(1)", "np torch tf"),
        ("torch.manual_seed(1)", "random np tf"),
        ("tf.random.set_seed(1)", "random np torch"),
        ("tf.keras.utils.set_random_seed(1)", ""),
        ("import lightning as L\nL.seed_everything(1)", ""),
        ("from utils import fix_seeds\nfix_seeds()", ""),
        ("np.random.seed()", "random np torch tf"),
        ("np.random.seed(None)", "random np torch tf"),
        ("def set_seed(s):\n    np.random.seed(s)\n    random.seed(s)\nset_seed(1)", "torch tf"),
        ("def set_seed(s):\n    np.random.seed(s)", "random np torch tf"),
    ],
)
def test_what_a_seed_covers(seed: str, left: str) -> None:
    draws = "a = random.random()\nb = np.random.rand()\nc = torch.rand(1)\nd = tf.random.normal(1)"
    assert [line.split()[1].partition(".")[0] for line in told(seed, draws)] == left.split()


def test_one_finding_a_source_with_a_count() -> None:
    (found,) = findings("x = np.random.rand()", "y = np.random.rand(); z = KMeans(3)")
    assert found.location.cell == 2
    assert found.message.endswith("not seeded above (one of 3 such calls)")


def test_the_first_of_a_line_is_told_and_a_suppression_hides_it() -> None:
    hidden = "x = np.random.rand(), KMeans(3)  # nbsafe: ignore[NBS405]"
    assert told("x = np.random.rand(), KMeans(3)") == [f"2:1 np.random.rand {NUMPY}"]
    assert told(hidden) == []
    assert told(hidden, "y = KMeans(3)") == [f"3:1 KMeans {NUMPY}"]


def test_a_seed_further_down_is_told() -> None:
    (found,) = findings("x = np.random.rand()", "np.random.seed(0)", "y = np.random.rand()")
    assert found.message.endswith("which is seeded only in cell 3")


def test_a_function_draws_where_it_is_called() -> None:
    define = "def f():\n    return np.random.rand()\ndef g():\n    return f()"
    (found,) = findings(define, "x = g()")
    assert (found.location.cell, found.verdict) == (3, "suspected")
    assert [(s.cell, s.line, s.cause) for s in found.steps] == [
        (3, 1, "calls `f`"),
        (2, 2, "calls `np.random.rand` in it"),
    ]
    assert told(define, "np.random.seed(0)", "x = g()") == []
    assert told(define.replace("return np", "np.random.seed(0); return np"), "x = g()") == []


SEEDING = "{decorator}def fix_all(n=1):\n    np.random.seed(n)\n"


@pytest.mark.parametrize(
    ("decorator", "below"),
    [
        ("", "fix_all()"),
        ("", "start(before=[fix_all])"),
        ("", "globals()['fix_all'](3)"),
        ("@run_first\n", ""),
    ],
)
def test_a_seed_in_a_function_that_something_may_call(decorator: str, below: str) -> None:
    draw = "x = np.random.rand()"
    assert told(SEEDING.format(decorator=decorator), f"{below}\n{draw}") == []
    nobody_calls = told(SEEDING.format(decorator=""), draw)
    assert nobody_calls == [f"3:1 np.random.rand {NUMPY}"]


def test_a_class_draws_where_it_is_made() -> None:
    net = "class Net(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(1, 2)"
    assert told(net, "net = Net()") == ["3:1 nn.Linear torch's global generator"]
    assert told(net, "torch.manual_seed(0)\nnet = Net()") == []


def test_a_method_draws_if_it_is_called_somewhere() -> None:
    box = "class Box:\n    def draw(self):\n        return random.random()\nbox = Box()"
    assert told(box) == []
    assert told(box, "box.draw()") == ["2:4 random.random Python's `random`"]


@pytest.mark.parametrize(
    ("imports", "cell", "expected"),
    [
        ("from random import choice as c", "x = c(y)", "2:1 c Python's `random`"),
        ("from numpy.random import *", "x = randn(3)", f"2:1 randn {NUMPY}"),
        ("from numpy import *", "x = random.rand(3)", f"2:1 random.rand {NUMPY}"),
        ("from pylab import *", "x = randn(3)", f"2:1 randn {NUMPY}"),
        ("from matplotlib.pylab import *", "x = randn(3)", f"2:1 randn {NUMPY}"),
        ("import pylab as pl", "x = pl.randn(3)", f"2:1 pl.randn {NUMPY}"),
        ("import sklearn.cluster as c", "x = c.KMeans(3)", f"2:1 c.KMeans {NUMPY}"),
        (
            "from sklearn import datasets",
            "x = datasets.make_moons()",
            f"2:1 datasets.make_moons {NUMPY}",
        ),
        ("from scipy import stats", "x = stats.norm.rvs()", f"2:1 stats.norm.rvs {NUMPY}"),
        ("from scipy.stats import norm", "x = norm.rvs()", f"2:1 norm.rvs {NUMPY}"),
        ("import numpy.random as r", "x = r.rand()", f"2:1 r.rand {NUMPY}"),
        (
            "from tensorflow import keras",
            "x = keras.layers.Dense(1)",
            f"2:1 keras.layers.Dense {TENSORFLOW}",
        ),
        (
            "import tensorflow as tf",
            "x = tf.truncated_normal(3)",
            f"2:1 tf.truncated_normal {TENSORFLOW}",
        ),
        ("from numpy import random as r", "x = r.rand(3)", f"2:1 r.rand {NUMPY}"),
        ("import scipy as sp", "x = sp.random.rand(3)", f"2:1 sp.random.rand {NUMPY}"),
        ("from keras.layers import Dense", "x = Dense(3)", f"2:1 Dense {TENSORFLOW}"),
    ],
)
def test_ways_to_import(imports: str, cell: str, expected: str) -> None:
    assert told(cell, imports=imports) == [expected]


def test_keras_alone_may_draw_from_numpy() -> None:
    imports = "import numpy as np\nfrom keras.layers import Dense\nnp.random.seed(0)"
    assert told("x = Dense(3)", imports=imports) == []


def test_the_users_own_names_are_no_source() -> None:
    assert told("x = choice(y)", imports="def choice(y): ...\nfrom numpy.random import *") == []
    assert told("x = random.random()", imports="random = load()") == []


def test_remedies() -> None:
    assert [findings(c)[0].remedy for c in ("x = KMeans(3)", "x = np.random.default_rng()")] == [
        "pass it `random_state=0`, or call `np.random.seed(0)` in a cell above",
        "give it a seed, as in `np.random.default_rng(0)`",
    ]


def test_a_number_of_rows_is_enough_where_only_tables_are_sampled() -> None:
    imports = "import pandas as pd\nimport numpy as np"
    assert told("x = df.sample(100)", imports=imports) == [f"2:1 df.sample {NUMPY}"]
    assert told("x = df[df.a > 1].sample(k)", imports=imports) == [f"2:1 df[].sample {NUMPY}"]
    assert told("x = pd.read_csv(p).sample(3)", imports=imports)[0].startswith("2:1 pd.read_csv()")
    assert told("df.sample(100)", imports=imports) == []
    assert told("x = space.sample()", imports=imports) == []
    assert told("x = df.sample(100, random_state=1)", imports=imports) == []


def test_false_negative_a_number_of_rows_beside_other_samplers() -> None:
    assert told("x = df.sample(100)", imports="import pandas\nimport torch") == []


def test_false_positive_a_draw_that_is_only_timed() -> None:
    assert told("%timeit np.sort(np.random.rand(9))") == []  # its code is no text of the notebook
    assert told("%time x = np.sort(np.random.rand(9))") == [f"2:1 np.random.rand {NUMPY}"]
