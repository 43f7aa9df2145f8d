"""What `nbsafe fix --static` mends: pins, paths and, with --unsafe, seeds."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app import fix as app_fix
from pytest_nbsafe.app.discovery import Which
from pytest_nbsafe.fix import relative_paths
from pytest_nbsafe.notebook import load

NUMPY = metadata.version("numpy")


def mended(path: Path, text: str, *, unsafe: bool = False) -> list[str]:
    """Return the sources of a notebook's cells after what needs no run was mended."""
    makenb.write(path, text)
    settings = {"static": True, "cache": False}
    (fixed,) = app_fix.fix([path], settings, Which(), unsafe=unsafe)
    assert fixed.refused == ()
    app_fix.write(fixed)
    return [cell.source for cell in load.read(path).cells]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("%pip install numpy", f"%pip install numpy=={NUMPY}"),
        ("!pip install -q numpy[all]", f"!pip install -q numpy[all]=={NUMPY}"),
        ("%pip install numpy lifelines==0.27", f"%pip install numpy=={NUMPY} lifelines==0.27"),
        ("%pip install numpy no-such-package", "%pip install numpy no-such-package"),
        ("%pip install 'numpy>=1'", "%pip install 'numpy>=1'"),
        ("%conda install numpy", "%conda install numpy"),
    ],
)
def test_an_install_gets_the_version_that_is_here(
    tmp_path: Path, written: str, expected: str
) -> None:
    assert mended(tmp_path / "nb.ipynb", f"# %% [1]\n{written}\n") == [expected]


def test_the_version_that_the_page_shows_goes_first(tmp_path: Path) -> None:
    text = "# %% [1]\n%pip install numpy\n#> Successfully installed numpy-1.21.0\n"
    assert mended(tmp_path / "nb.ipynb", text) == ["%pip install numpy==1.21.0"]


def test_another_kernel_has_other_versions(tmp_path: Path) -> None:
    text = "# kernel: theirs\n# %% [1]\n%pip install numpy\n"
    assert mended(tmp_path / "nb.ipynb", text) == ["%pip install numpy"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("'/home/ana/thesis/data/heights.txt'", "'data/heights.txt'"),
        ('r"C:\\Users\\ana\\data\\heights.txt"', '"data/heights.txt"'),
        ("'~/thesis/top.txt'", "'../top.txt'"),
        ("'/home/ana/elsewhere.txt'", "'/home/ana/elsewhere.txt'"),
        ("'/home/ana/thesis/data'", "'/home/ana/thesis/data'"),
        ("'/home/ana/both.txt'", "'/home/ana/both.txt'"),
        ("f'/home/ana/data/{name}.txt'", "f'/home/ana/data/{name}.txt'"),
    ],
)
def test_a_path_of_one_machine_becomes_one_beside_the_notebook(
    tmp_path: Path, written: str, expected: str
) -> None:
    folder = tmp_path / "notebooks"
    (folder / "data").mkdir(parents=True)
    for name in ("notebooks/data/heights.txt", "top.txt", "both.txt", "notebooks/both.txt"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    text = f"# %% [1]\nname = 'heights'\nlines = open({written}).read()\n"
    (source,) = mended(folder / "nb.ipynb", text)
    assert source == f"name = 'heights'\nlines = open({expected}).read()"


def test_a_path_that_is_right_here_leads_to_the_same_file(tmp_path: Path) -> None:
    for name in ("a/rows.csv", "b/rows.csv"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    assert (
        relative_paths._beside(str(tmp_path / "a" / "rows.csv"), tmp_path / "b") == "../a/rows.csv"
    )
    assert relative_paths._beside("/nowhere/rows.csv", tmp_path / "b") == "rows.csv"


DRAWS = "# %% [2]\ndrawn = {}\n# %% [3]\nprint(drawn)\n"


@pytest.mark.parametrize(
    ("imports", "draw", "expected"),
    [
        ("import random", "random.random()", "import random\nrandom.seed(0)"),
        (
            "import math\nimport numpy as numbers\nimport os",
            "numbers.random.rand(3)",
            "import math\nimport numpy as numbers\nimport os\nnumbers.random.seed(0)",
        ),
        (
            "%time 1\nimport numpy as np",
            "np.random.rand(3)",
            "%time 1\nimport numpy as np\nnp.random.seed(0)",
        ),
        (
            "import pandas as pd",
            "pd.Series(range(9)).sample(3).sum()",
            "import numpy as np\n\nnp.random.seed(0)\nimport pandas as pd",
        ),
        ("from random import random", "random()", "from random import random"),
    ],
)
def test_a_seed_is_set_where_results_may_change(
    tmp_path: Path, imports: str, draw: str, expected: str
) -> None:
    text = f"# %% [1]\n{imports}\n{DRAWS.format(draw)}"
    assert mended(tmp_path / "nb.ipynb", text)[0] == imports
    assert mended(tmp_path / "nb.ipynb", text, unsafe=True)[0] == expected
