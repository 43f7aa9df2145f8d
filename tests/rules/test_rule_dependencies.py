"""NBS408: which imports a project's declarations cover."""

from __future__ import annotations

import sys
from pathlib import Path

import percent
import pytest

from pytest_nbsafe.app.check import check
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.project import distributions


def findings(folder: Path, files: dict[str, str], *cells: str) -> list[Finding]:
    """Return what is found in a notebook with these cells, beside these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = folder / "nb.ipynb"
    text = "".join(f"# %%\n{cell}\n" for cell in cells)
    percent.write(percent.parse(text, str(path)), path)
    return list(check([path], {"select": ["NBS408"], "cache": False}).findings)


def told(folder: Path, requirements: str, *cells: str) -> list[str]:
    """Return "cell:line module" of each finding in a project with these requirements."""
    files = {"requirements.txt": requirements.replace(" ", "\n")}
    return [
        f"{f.location.cell}:{f.location.line} {f.message.split('`')[1]}"
        for f in findings(folder, files, *cells)
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("import shap", ["1:1 shap"]),
        ("import os\nimport plotly.express as px, dash", ["1:2 dash", "1:2 plotly"]),
        ("from sklearn.svm import SVC", ["1:1 sklearn"]),
        ("def f():\n    import cv2", ["1:2 cv2"]),
        ("import shap\nimport shap.plots", ["1:1 shap"]),
        ("from google.cloud import storage", []),
        ("import pandas, numpy, dateutil", []),
        ("import json, sys, xml.etree.ElementTree, distutils.core, tomllib, cgi, imp", []),
        ("try:\n    import shap\nexcept ImportError:\n    shap = None", []),
        ("if TYPE_CHECKING:\n    import shap", []),
        ("from . import shap", []),
        ("import IPython, pip, pkg_resources", []),
        ("!pip install -q shap\nimport shap", []),
        ("!pip install scikit-learn\nimport sklearn", []),
        ("# import shap", []),
        ("import helper", ["1:1 helper"]),
        ("import sys\nsys.path.append('..')\nimport helper, shap", ["1:3 shap"]),
        ("%cd ..\nimport helper, shap", ["1:2 shap"]),
    ],
)
def test_imports(tmp_path: Path, cell: str, expected: list[str]) -> None:
    assert sorted(told(tmp_path, "pandas", cell)) == expected


@pytest.mark.parametrize(
    ("module", "requirement"),
    [
        ("sklearn", "scikit_learn"),
        ("cv2", "opencv-python-headless"),
        ("PIL", "Pillow"),
        ("yaml", "PyYAML"),
        ("bs4", "beautifulsoup4"),
        ("torch", "torchvision"),
        ("numpy", "scikit-learn"),
        ("psycopg2", "psycopg2-binary"),
        ("serial", "pyserial"),
        ("magic", "python-magic"),
        ("azure", "azure-storage-blob"),
        ("anything", "anaconda"),
        ("sentence_transformers", "sentence-transformers"),
    ],
)
def test_a_declared_distribution_brings_a_module(
    tmp_path: Path, module: str, requirement: str
) -> None:
    assert told(tmp_path, requirement, f"import {module}") == []


def test_nothing_is_told_where_nothing_is_declared(tmp_path: Path) -> None:
    assert findings(tmp_path, {"pyproject.toml": "[tool.ruff]\n"}, "import shap") == []


def test_nothing_is_told_where_a_declaration_cannot_be_read(tmp_path: Path) -> None:
    files = {"requirements.txt": "a", "setup.py": "("}
    assert findings(tmp_path, files, "import shap") == []


def test_modules_of_the_project_are_its_own(tmp_path: Path) -> None:
    files = {"requirements.txt": "a", "helper.py": "", "src/pkg/__init__.py": "", "lib/a.py": ""}
    assert findings(tmp_path, files, "import helper, pkg.x\nfrom lib import a") == []


def test_the_message_names_the_distribution_and_the_file(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, {"environment.yml": "dependencies: [a]"}, "import cv2")
    assert found.message == "`cv2` is imported, but the project does not declare `opencv-python`"
    assert found.remedy == "add `opencv-python` to environment.yml"
    assert (found.verdict, found.severity) == ("proved", "warning")


def test_a_module_that_is_not_known_may_be_one_of_the_project(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, {"requirements.txt": "a"}, "import helper")
    assert found.message == "`helper` is imported, but the project neither holds nor declares it"


def test_a_suppressed_import_is_not_told(tmp_path: Path) -> None:
    cells = ["import shap  # nbsafe: ignore[NBS408] mine", "import shap"]
    assert told(tmp_path, "a", *cells) == ["2:1 shap"]


def test_the_well_known_names_are_no_modules_of_python() -> None:
    known = " ".join((distributions._table()["names"]["known"], *distributions._table()["modules"]))
    assert set(known.split()) & set(sys.stdlib_module_names) == set()


def test_false_negative_a_name_that_begins_like_a_declared_one(tmp_path: Path) -> None:
    assert told(tmp_path, "plotly-express", "import plotly") == []


def test_false_positive_a_module_of_an_unusual_distribution(tmp_path: Path) -> None:
    assert told(tmp_path, "mesa-tools", "import agents") == ["1:1 agents"]
