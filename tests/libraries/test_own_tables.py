"""What a user says of libraries in the configuration: it is read like a data file of ours."""

import json
import re
from pathlib import Path
from textwrap import indent
from typing import Any

import makenb
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.libraries import inplace, leakroles, own_tables
from pytest_nbsafe.notebook import load

SHOWN = Path(__file__).parents[2] / "docs" / "guide" / "libraries.md"
EXAMPLE = """\
[tool.nbsafe.libraries.ourlib.classes."ourlib.Frame"]
changes = ["append_rows", "fill"]            # change it in place
pure = ["summary"]                           # leave it as it was
idempotent = ["fill"]                        # a second call has no effect

[tool.nbsafe.libraries.ourlib.functions]
returns = ["ourlib.read_rows:ourlib.Frame"]  # what a function returns

[tool.nbsafe.libraries.ourlib.random.ourlib]
source = "numpy"                             # whose global state `simulate` draws from
draws = ["simulate"]
seeded_by = ["seed"]                         # unless it is given this

[tool.nbsafe.libraries.ourlib.files]
reads = ["read_rows"]
writes = ["store"]
paths = ["ourlib.read_rows", "*.store"]      # their first argument is a path

[tool.nbsafe.libraries.ourlib.leakage.ourlib]
load = ["read_rows"]

[tool.nbsafe.libraries.ourlib.leakage."ourlib.prep"]
transformer = ["Scaler"]                     # `nbsafe explain NBS301` lists these keys
"""
PAGE = """
# %% [1]
import ourlib
from ourlib.prep import Scaler
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
# %% [2]
rows = ourlib.read_rows('/store/2024/rows.bin')
noise = ourlib.simulate(3)
# %% [4]
rows.append_rows(noise)
rows.store('rows.out')
# %% [5]
X = Scaler().fit_transform(rows.values)
train, test = train_test_split(X, random_state=0)
model = LogisticRegression().fit(train[:, 1:], train[:, 0])
print(model.score(test[:, 1:], test[:, 0]))
# %% [6]
kept = ourlib.read_rows('rows.out')
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """Return a notebook that uses a library which nobody but its user knows."""
    return makenb.write(tmp_path / "nb.ipynb", PAGE)


def test_the_documentation_shows_this_example() -> None:
    assert indent(EXAMPLE, "    ") in SHOWN.read_text(encoding="utf-8")


def test_a_library_of_the_users_own_is_read_like_ours(notebook: Path) -> None:
    assert {f.code for f in check([notebook], {"cache": False}).findings} == set()
    (notebook.parent / "pyproject.toml").write_text(EXAMPLE)
    found = {f.code: f.location.cell for f in check([notebook], {"cache": False}).findings}
    assert found == {"NBS106": 3, "NBS301": 4, "NBS405": 2, "NBS406": 2}


def test_changes_and_files_of_the_users_library_are_edges(notebook: Path) -> None:
    (notebook.parent / "pyproject.toml").write_text(EXAMPLE)
    known = configuration(notebook, {}).libraries
    graph = build(load.read(notebook, known))
    assert graph.changers["rows"] == (3,)
    assert graph.binders["'rows.out'"] == (3,)


def _text(**sections: Any) -> str:
    return json.dumps({"ourlib": sections})


def test_a_users_table_of_a_class_adds_to_ours() -> None:
    text = _text(classes={"pandas.DataFrame": {"changes": ["fill_all"]}})
    methods = inplace.load(text).classes["pandas.DataFrame"]
    assert methods.changes == inplace.load().classes["pandas.DataFrame"].changes | {"fill_all"}


def test_words_may_be_one_text_or_a_list_and_tables_may_lie_in_tables() -> None:
    one = own_tables.read(_text(classes={"lib": {"Frame": {"changes": "a b"}}}))
    other = own_tables.read(_text(classes={"lib.Frame": {"changes": ["a", "b"]}}))
    assert one == other == {"classes": (("lib.Frame", {"changes": ("a", "b")}),)}


def test_leak_roles_of_a_library_join_those_of_the_table_for_leakage(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text(
        '[leakage."a"]\ntransformer = ["A"]\n[libraries.b.leakage."b.prep"]\nsampler = ["B"]\n'
    )
    roles = leakroles.load(configuration(tmp_path / "nb.ipynb", {}).leak_roles).classes
    assert (roles["a.A"].role, roles["b.prep.B"].role) == ("transformer", "sampler")


@pytest.mark.parametrize(
    ("table", "says", "hint"),
    [
        ({"file": {}}, '"ourlib": file is not known', "did you mean files?"),
        ({"files": {"read": ["a"]}}, "files: read is not known", "did you mean reads?"),
        ({"files": 3}, "files: cannot be 3", "a table"),
        (
            {"classes": {"ourlib.Frame": {"change": ["a"]}}},
            'classes: "ourlib.Frame": change is not known',
            "did you mean changes?",
        ),
        ({"random": {"ourlib": {"draws": 3}}}, 'random: "ourlib": draws cannot be 3', "a list"),
        (
            {"leakage": {"ourlib": {"transfomer": ["A"]}}},
            'leakage: "ourlib": transfomer is not known',
            "did you mean transformer?",
        ),
    ],
)
def test_a_table_that_is_not_understood_is_named(table: object, says: str, hint: str) -> None:
    with pytest.raises(NbsafeError) as raised:
        own_tables.read(json.dumps({"ourlib": table}))
    assert re.sub(r"\s+", " ", raised.value.message).endswith(says)
    assert hint in raised.value.hint


def test_a_fault_in_the_configuration_is_told_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "nbsafe.toml").write_text("[libraries.ourlib.files]\nread = ['a']\n")
    with pytest.raises(NbsafeError, match="read is not known"):
        configuration(tmp_path / "nb.ipynb", {})
