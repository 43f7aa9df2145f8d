"""The environment of a real run, as the JSON report tells it."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import makenb
import pytest

from pytest_nbsafe.app.run import run
from pytest_nbsafe.reports import json as json_report

CELLS = """
# %% [1]
import beside
import os, json
os.environ["SECRET"], os.getenv("NOT_SET"), os.environ.get("MODE")
print(len(os.environ["SECRET"]))
#> 6
# %% [2]
import numpy, yaml
from pathlib import Path
numpy.random.seed(7)
table = (Path("..") / "data" / "table.csv").read_text()
_ = Path("written.txt").write_text("x"), Path("written.txt").read_text()
with open("empty.txt") as stream:
    _ = stream.read()
"""


@pytest.mark.kernel
def test_what_a_run_took_place_in_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hidden")
    monkeypatch.setenv("MODE", "fast")
    (tmp_path / ".git").mkdir()
    path = makenb.write(tmp_path / "nb" / "x.ipynb", CELLS)
    for name in ("data/table.csv", "nb/beside.py", "nb/empty.txt", "nb/unread.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("", encoding="utf-8")
    text = json_report.render(run([path], {}))
    ran_in: dict[str, Any] = json.loads(text)["notebooks"][0]["environment"]
    assert ran_in["python"] == platform.python_version()
    assert {"numpy", "pyyaml"} <= ran_in["packages"].keys()
    assert ran_in["packages"]["numpy"] == version("numpy")
    assert {"ipykernel", "ipython", "pip"}.isdisjoint(ran_in["packages"])
    assert list(ran_in["files"]) == ["../data/table.csv", "beside.py", "empty.txt"]
    assert ran_in["seeds"] == ["numpy.random.seed(7)"]
    assert ran_in["variables"] == ["MODE", "SECRET"]
    assert "hidden" not in text


@pytest.mark.kernel
def test_what_shows_an_error_is_not_what_the_cells_ran_in(tmp_path: Path) -> None:
    fails = makenb.write(tmp_path / "fails.ipynb", "# %% [1]\nimport yaml\n# %% [2]\n1 / 0\n")
    names = makenb.write(tmp_path / "names.ipynb", "# %% [1]\nimport executing\n# %% [2]\n1 / 0\n")
    report = json.loads(json_report.render(run([fails, names], {})))
    packages = [{*each["environment"]["packages"]} for each in report["notebooks"]]
    assert packages == [{"pyyaml"}, {"executing"}]
