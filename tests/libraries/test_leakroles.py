"""The tables of the learning libraries: their form, and what the installed packages say of them."""

import importlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable
from types import ModuleType

import pytest

from pytest_nbsafe.absint.leakage.leak import names_learning
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.libraries import keys, leakroles, spellings
from pytest_nbsafe.libraries.datafiles import section

SKLEARN = """
preprocessing impute decomposition feature_selection feature_extraction feature_extraction.text
feature_extraction.image model_selection pipeline compose metrics metrics.pairwise metrics.cluster
linear_model ensemble tree svm neighbors naive_bayes neural_network discriminant_analysis
gaussian_process cluster mixture manifold random_projection cross_decomposition isotonic multiclass
multioutput semi_supervised datasets utils covariance inspection frozen kernel_approximation
kernel_ridge calibration dummy
""".split()  # noqa: SIM905 - a list of as many lines
IMBLEARN = ("over_sampling", "under_sampling", "combine", "ensemble", "metrics", "datasets")


def _learnt(name: str) -> str:
    found = leakroles.load().class_of(name)
    assert found is not None, name
    return found.learns


# -- the form of the tables ------------------------------------------------------------------------


def test_every_key_is_a_role_an_effect_or_a_trait() -> None:
    known = set(keys.SECTIONS["leakage"])
    used = {key for _, table in section("leakage") for key in table}
    assert used - known == set()


def test_no_name_has_two_effects_or_two_roles() -> None:
    twice = []
    for title, table in section("leakage"):
        for group in (keys.ROLES, keys.GENERAL):
            words = Counter(word for key in group for word in table.get(key, ()))
            twice += [(title, word) for word, times in words.items() if times > 1]
    assert twice == []


# -- what the packages hold ------------------------------------------------------------------------


def _public(module: ModuleType) -> list[str]:
    """Return the public classes and functions that a module holds itself."""
    package = module.__name__.partition(".")[0]
    listed = hasattr(module, "__all__")
    names = []
    for name in getattr(module, "__all__", dir(module)):
        hidden = name.startswith("_") or name.endswith(("Tags", "Warning"))
        found = None if hidden else module.__dict__.get(name)
        own = listed or getattr(found, "__module__", "") == module.__name__
        if own and (inspect.isclass(found) or inspect.isroutine(found)):
            names.append(f"{module.__name__}.{name}")
    assert names, package
    return names


def _unclassified(package: str, modules: Iterable[str]) -> list[str]:
    known = leakroles.load()
    return [
        name
        for module in modules
        for name in _public(importlib.import_module(f"{package}.{module}"))
        if known.class_of(name) is None and known.effect_of(name) is None
    ]


def test_all_public_names_of_scikit_learn_are_classified() -> None:
    pytest.importorskip("sklearn")
    assert _unclassified("sklearn", SKLEARN) == []


def test_all_public_names_of_imbalanced_learn_are_classified() -> None:
    pytest.importorskip("imblearn")
    assert _unclassified("imblearn", IMBLEARN) == []


def _estimators() -> list[tuple[str, type]]:
    utils = pytest.importorskip("sklearn.utils")
    return sorted(utils.all_estimators())


def _public_module(found: type) -> str:
    """Return where a class is imported from: what stands before the first private module."""
    return re.sub(r"\._.*", "", found.__module__)


def test_roles_agree_with_what_scikit_learn_says_of_its_classes() -> None:
    from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin

    mixins = {"classifier": ClassifierMixin, "regressor": RegressorMixin, "clusterer": ClusterMixin}
    wrong = []
    for name, found in _estimators():
        module = _public_module(found)
        known = leakroles.load().class_of(f"{module}.{name}")
        if known is None or (known.role in mixins and not issubclass(found, mixins[known.role])):
            wrong.append(name)
    assert wrong == ["SpectralBiclustering", "SpectralCoclustering"]  # of a mixin of their own


def test_what_transforms_with_the_target_is_said_to_learn_it() -> None:
    """A transformer whose tags ask for a target is one of those that learn the target."""
    wrong = []
    for name, found in _estimators():
        known = leakroles.load().class_of(f"{_public_module(found)}.{name}")
        if known is None or known.role not in {"transformer", "encoder", "selector", "vectorizer"}:
            continue
        asks = inspect.signature(found.fit).parameters.get("y")  # type: ignore[attr-defined] # every estimator has it
        required = asks is not None and asks.default is inspect.Parameter.empty
        if required and known.learns != "target" and name not in {"LabelEncoder", "LabelBinarizer"}:
            wrong.append(name)
    assert wrong == ["MultiLabelBinarizer"]  # its y are the rows themselves


# -- single answers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "learns"),
    [
        ("sklearn.preprocessing.StandardScaler", "statistics"),
        ("sklearn.preprocessing.Normalizer", "nothing"),
        ("sklearn.preprocessing.OneHotEncoder", "categories"),
        ("sklearn.feature_selection.SelectKBest", "target"),
        ("sklearn.feature_selection.VarianceThreshold", "statistics"),
        ("sklearn.feature_extraction.text.HashingVectorizer", "nothing"),
        ("category_encoders.TargetEncoder", "target"),
    ],
)
def test_what_fitting_takes_from_the_rows(name: str, learns: str) -> None:
    assert _learnt(name) == learns


def test_an_imputer_with_a_constant_learns_nothing() -> None:
    found = leakroles.load().class_of("sklearn.impute.SimpleImputer")
    assert found is not None
    assert found.fixed_by == (("strategy", "constant"),)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tensorflow.keras.models.Sequential", "keras.models.Sequential"),
        ("sklearn.preprocessing.data.StandardScaler", "sklearn.preprocessing.StandardScaler"),
    ],
)
def test_old_places_of_a_class_are_known(old: str, new: str) -> None:
    assert leakroles.load().class_of(old) == leakroles.load().class_of(new)


def test_a_prefix_stands_for_whole_words_only() -> None:
    assert spellings.load().canonical("tensorflow.kerastools.x") == "tensorflow.kerastools.x"


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("pandas.DataFrame.mean", "statistic"),
        ("pandas.get_dummies", "dummies"),
        ("numpy.log1p", "rowwise"),
        ("sklearn.model_selection.train_test_split", "split"),
        ("sklearn.metrics.f1_score", "metric"),
        ("estimator.fit_transform", "fit_transform"),
        ("somewhere.unheard_of", None),
    ],
)
def test_what_a_function_or_method_does(name: str, effect: str | None) -> None:
    assert leakroles.load().effect_of(name) == effect


def test_a_notebook_is_asked_about_only_when_it_names_a_library_that_learns() -> None:
    assert names_learning(["x = 1", "from sklearn import svm", "svm.SVC().fit(X, y).score(Z, z)"])
    assert not names_learning(["import pandas as pd", "sklearning = 1", "score = 2"])
    assert not names_learning(["from sklearn import svm", "svm.SVC().fit(X, y)"])


# -- a table of the user's own ---------------------------------------------------------------------


def test_a_users_table_extends_what_is_known() -> None:
    table = {
        "ourlib.prep": {"transformer": ["Scaler"], "learns_nothing": "Scaler", "split": ["cut"]}
    }
    extra = json.dumps(table)
    found = leakroles.load(extra).class_of("ourlib.prep.Scaler")
    assert found == leakroles.LibraryClass("ourlib.prep.Scaler", "transformer", "nothing")
    assert leakroles.load(extra).effect_of("ourlib.prep.cut") == "split"
    assert names_learning(["import ourlib.prep", "model.score(X, y)"], extra)


def test_a_table_within_a_table_is_one_of_a_module_within_the_module() -> None:
    extra = json.dumps({"ourlib": {"load": ["rows"], "prep": {"selector": ["Best"]}}})
    known = leakroles.load(extra)
    assert known.effect_of("ourlib.rows") == "load"
    assert known.class_of("ourlib.prep.Best") == leakroles.LibraryClass(
        "ourlib.prep.Best", "selector"
    )


def test_a_users_table_goes_before_ours() -> None:
    extra = json.dumps({"sklearn.preprocessing": {"rowwise": ["scale"]}})
    assert leakroles.load(extra).effect_of("sklearn.preprocessing.scale") == "rowwise"
    assert leakroles.load().effect_of("sklearn.preprocessing.scale") == "fitted"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"lib": {"transfomer": ["A"]}}, '"lib": transfomer is not known'),
        ({"lib": {"transformer": [1]}}, '"lib": transformer cannot be [1]'),
        ({"lib": {"transformer": 7}}, '"lib": transformer cannot be 7'),
        ({"lib": 7}, '"lib" cannot be 7'),
        ({"lib": {"learns_nothing": ["A"]}}, '"lib": A has a trait but no role'),
    ],
)
def test_a_table_that_is_not_understood_is_named(table: object, says: str) -> None:
    with pytest.raises(NbsafeError) as raised:
        leakroles.load(json.dumps(table))
    assert raised.value.slug == "bad-leakage-table"
    assert says in raised.value.message


def test_the_nearest_key_is_named() -> None:
    with pytest.raises(NbsafeError) as raised:
        leakroles.load('{"lib": {"transfomer": ["A"]}}')
    assert raised.value.hint == "did you mean transformer?"
