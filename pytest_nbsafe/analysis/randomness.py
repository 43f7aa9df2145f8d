"""Which calls draw from a random source that a notebook can seed, and which calls seed it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.imports import STAR, Import
from pytest_nbsafe.analysis.syntax import Invocation

Source = Literal["random", "numpy", "torch", "tensorflow", "generator"]


class Seeded(NamedTuple):
    """How a message names a source, and the call that seeds it."""

    name: str
    seed: str


SOURCES: dict[Source, Seeded] = {
    "random": Seeded("Python's `random`", "random.seed(0)"),
    "numpy": Seeded("numpy's global state", "np.random.seed(0)"),
    "torch": Seeded("torch's global generator", "torch.manual_seed(0)"),
    "tensorflow": Seeded("TensorFlow's global generator", "tf.random.set_seed(0)"),
    "generator": Seeded("a generator of its own", ""),
}
_STATES = {
    "random": "Python's random state",
    "numpy": "numpy's random state",
    "torch": "torch's random state",
    "tensorflow": "TensorFlow's random state",
}
ALL: frozenset[Source] = frozenset({"random", "numpy", "torch", "tensorflow"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- what draws ------------------------------------------------------------------------------------

_RANDOM = _words(
    """
    betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
    lognormvariate normalvariate paretovariate randbytes randint random randrange sample shuffle
    triangular uniform vonmisesvariate weibullvariate
    """
)
_NUMPY = _words(
    """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power rand
    randint randn random random_integers random_sample ranf rayleigh sample shuffle standard_cauchy
    standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald
    weibull zipf
    """
)
_TORCH = _words(
    """
    bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like
    randperm
    """
)
_TENSORFLOW = _words("categorical gamma normal poisson shuffle truncated_normal uniform")
_TENSORFLOW_1 = _words(
    "multinomial random_crop random_gamma random_normal random_shuffle random_uniform"
    " truncated_normal"
)
_LAYERS = _words(
    """
    Bilinear Conv1D Conv2D Conv3D Conv1d Conv2d Conv3d Conv2DTranspose ConvTranspose1d
    ConvTranspose2d ConvTranspose3d Convolution2D ConvLSTM2D Dense DepthwiseConv2D Embedding
    EmbeddingBag GRU GRUCell LSTM LSTMCell Linear LocallyConnected2D MultiHeadAttention
    MultiheadAttention RNN RNNCell SeparableConv2D SimpleRNN TimeDistributedDense Transformer
    TransformerDecoderLayer TransformerEncoderLayer
    """
)
_SPLITTERS = {
    "train_test_split": "shuffle!=False",
    "KFold": "shuffle=True",
    "StratifiedKFold": "shuffle=True",
    "StratifiedGroupKFold": "shuffle=True",
}
_SKLEARN = _words(
    """
    BaggingClassifier BaggingRegressor BayesianGaussianMixture BernoulliRBM ExtraTreesClassifier
    ExtraTreesRegressor GaussianMixture GaussianRandomProjection GMM GroupShuffleSplit
    IsolationForest KMeans LatentDirichletAllocation MDS MLPClassifier MLPRegressor MiniBatchKMeans
    Nystroem Perceptron RANSACRegressor RBFSampler RandomForestClassifier RandomForestRegressor
    RandomTreesEmbedding RandomizedSearchCV RepeatedKFold RepeatedStratifiedKFold SGDClassifier
    SGDRegressor ShuffleSplit SparseRandomProjection StratifiedShuffleSplit TSNE k_means make_blobs
    make_classification make_circles make_friedman1 make_gaussian_quantiles make_hastie_10_2
    make_low_rank_matrix make_moons make_multilabel_classification make_regression make_s_curve
    make_sparse_uncorrelated make_spd_matrix make_swiss_roll permutation_importance resample shuffle
    """
)
_IMBLEARN = _words(
    """
    ADASYN BorderlineSMOTE KMeansSMOTE RandomOverSampler RandomUnderSampler SMOTE SMOTEENN SMOTEN
    SMOTENC SMOTETomek SVMSMOTE
    """
)
_NAMES = frozenset().union(
    _RANDOM, _NUMPY - {"f"}, _TORCH, _TENSORFLOW, _TENSORFLOW_1, _LAYERS, _SPLITTERS, _SKLEARN,
    _IMBLEARN, {"UMAP", "DataLoader", "random_split", "random", "default_rng", "RandomState"},
)  # fmt: skip
_UNSEEDED = _words("numpy.random.default_rng numpy.random.RandomState random.Random")
_ALIASES = patterns.compile(r"^(?:(?:matplotlib\.)?pylab|scipy)\.(?:random\.)?(?=[a-z_0-9]+$)")


def draws(call: Invocation, target: str) -> Source | None:
    """Return the source that a call draws from, None if it draws from none that can be seeded.

    Left out is what takes its own seed, what has a fixed one by default, and where chance only
    breaks ties (decision trees).
    """
    room, _, name = target.rpartition(".")
    top = room.partition(".")[0]
    if target in _UNSEEDED:
        return None if _given(call) else "generator"
    if room == "random":
        return "random" if name in _RANDOM else None
    if room == "numpy.random" or (room == "numpy.random.mtrand" and name in _NUMPY):
        return "numpy" if name in _NUMPY else None
    if top in {"sklearn", "imblearn", "umap"}:
        return "numpy" if _is_estimator(name) and not _seeded(call, name) else None
    if target.startswith("scipy.stats.") and name == "rvs":
        return None if _seeded(call, name) else "numpy"
    if top in {"torch", "torchvision"}:
        return "torch" if _draws_in_torch(call, room, name) else None
    if top in {"tensorflow", "keras"}:
        return "tensorflow" if _draws_in_tensorflow(call, room, name) else None
    return None


def state_of(source: Source) -> str:
    """Return the symbol of what a seed sets and a draw reads."""
    return _STATES[source]


def canonical(target: str) -> str:
    """Return a dotted name with numpy's own place for what other modules hand on from it."""
    moved = _ALIASES.sub("numpy.random.", target)
    return moved if moved.rpartition(".")[2] in _NUMPY | {"seed"} else target


def samples_rows(call: Invocation, *, tables: bool) -> bool:
    """Tell whether this is `df.sample(...)` of a table, without a seed.

    `tables`: nothing in the notebook but a table is known to have such a method, so that a bare
    number of rows is enough to tell.
    """
    if not call.callee.endswith(".sample") or (call.target and "pandas." not in call.target):
        return False
    told = {argument.keyword for argument in call.arguments}
    by_name = told & {"frac", "replace", "axis", "weights"} or ("n" in told and len(told) < 3)
    numbers = [a.keyword for a in call.arguments if a.text.isdigit() or a.text.isidentifier()]
    by_number = tables and numbers == [""]
    return bool(by_name or by_number) and not _seeded(call, "sample")


SAMPLERS = _words(
    "chainer emcee gpytorch gym gymnasium jax numpyro pymc pymc3 pyro ray stan tensorflow"
    " tensorflow_probability torch"
)
"""Modules whose objects have a method `sample` too."""


_ROOMS = frozenset({"sklearn", "imblearn", "umap", "torch", "torchvision", "tensorflow", "keras"})
_MODULES = _words(
    """
    cluster cross_validation data datasets decomposition ensemble inspection keras
    kernel_approximation layers linear_model manifold mixture model_selection neural_network nn
    over_sampling random random_projection stats transforms under_sampling utils
    """
)
"""Modules in those rooms that hold what draws."""
_ANYWHERE = ("seed", "Seed", "SEED", "%run", ".sample(")


def mentioned(imports: Iterable[Import]) -> tuple[str, ...]:
    """Return what a cell holds (one of these) if it draws or seeds, with these imports."""
    found = dict.fromkeys(_ANYWHERE)
    for one in imports:
        found.update(dict.fromkeys(_mentioned(one)))
    return tuple(found)


def _mentioned(one: Import) -> Iterable[str]:
    """Return what stands in a cell that uses one import to draw, empty when it holds none."""
    name, module = one.name, one.target or one.module
    top, _, rest = module.partition(".")
    if module in {"numpy", "scipy", "pylab", "matplotlib.pylab"} and one.attribute != STAR:
        return (f"{name}.rand", f"{name}.stats")
    if module in {"tensorflow", "keras"} and one.attribute != STAR:
        return (f"{name}.rand", f"{name}.truncated", f"{name}.multinomial", "layers.")
    if one.attribute == STAR:
        draws_all = top in {"pylab", "random", "numpy", "scipy", *_ROOMS}
        return sorted(_NAMES) if draws_all or module == "matplotlib.pylab" else ()
    if top not in {"random", "numpy", "scipy", *_ROOMS}:
        return ()
    if not one.attribute or one.attribute in _MODULES:
        return (f"{name}.",)
    return (name,) if one.attribute in _NAMES or rest.startswith("stats.") else ()


def _is_estimator(name: str) -> bool:
    return name in _SKLEARN or name in _SPLITTERS or name in _IMBLEARN or name == "UMAP"


def _seeded(call: Invocation, name: str) -> bool:
    """Tell whether a call is given a seed, may be by `**options`, or is told not to shuffle."""
    texts = {argument.keyword: argument.text for argument in call.arguments}
    if "**" in texts or "*" in texts:
        return True
    condition = _SPLITTERS.get(name, "")
    if (condition == "shuffle=True" and texts.get("shuffle") != "True") or (
        condition == "shuffle!=False" and texts.get("shuffle") == "False"
    ):
        return True
    return any(texts.get(k, "None") != "None" for k in ("random_state", "seed", "generator"))


def _given(call: Invocation) -> bool:
    """Tell whether a call has an argument that says something."""
    return any(argument.text != "None" for argument in call.arguments)


def _draws_in_torch(call: Invocation, room: str, name: str) -> bool:
    if _seeded(call, name):
        return False
    if name == "DataLoader":
        return any(a.keyword == "shuffle" and a.text == "True" for a in call.arguments)
    return (
        (room == "torch" and name in _TORCH)
        or (room.startswith("torch.nn") and name in _LAYERS)
        or name == "random_split"
        or (room == "torchvision.transforms" and name.startswith("Random"))
    )


def _draws_in_tensorflow(call: Invocation, room: str, name: str) -> bool:
    if any(argument.keyword == "seed" and argument.text != "None" for argument in call.arguments):
        return False
    return (
        (room in {"tensorflow.random", "tensorflow.compat.v1.random"} and name in _TENSORFLOW)
        or (room in {"tensorflow", "tensorflow.compat.v1"} and name in _TENSORFLOW_1)
        or ("layers" in room and name in _LAYERS)
    )


# -- what seeds ------------------------------------------------------------------------------------

_SEEDS: dict[str, frozenset[Source]] = {
    "random.seed": frozenset({"random"}),
    "random.setstate": frozenset({"random"}),
    "numpy.random.seed": frozenset({"numpy"}),
    "numpy.random.set_state": frozenset({"numpy"}),
    "torch.manual_seed": frozenset({"torch"}),
    "torch.random.manual_seed": frozenset({"torch"}),
    "torch.set_rng_state": frozenset({"torch"}),
    "tensorflow.random.set_seed": frozenset({"tensorflow"}),
    "tensorflow.random.set_random_seed": frozenset({"tensorflow"}),
    "tensorflow.set_random_seed": frozenset({"tensorflow"}),
    "tensorflow.compat.v1.set_random_seed": frozenset({"tensorflow"}),
    "torch.cuda.manual_seed": frozenset(),
    "torch.cuda.manual_seed_all": frozenset(),
    "torch.initial_seed": frozenset(),
    "torch.seed": frozenset(),
}
_SEEDING = patterns.compile(r"seed", re.IGNORECASE)


def is_seed(target: str) -> bool:
    """Tell whether this is a library's function that seeds."""
    return target in _SEEDS


def seeds(call: Invocation, target: str) -> frozenset[Source]:
    """Return the sources that a call seeds: all of them for a function that is only named so.

    `np.random.seed()` and `seed(None)` take the seed from the system, and so seed nothing.
    """
    if target in _SEEDS:
        empty = target.endswith("seed") and not _given(call)
        return frozenset() if empty else _SEEDS[target]
    last = call.callee.rpartition(".")[2]
    return ALL if _SEEDING.search(last) and not last.startswith(("get", "print")) else frozenset()
