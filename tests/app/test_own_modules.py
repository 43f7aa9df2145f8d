"""What a notebook does through modules of its project: told without running anything."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import makenb
import pytest

from pytest_nbsafe.analysis.modules.module_text import JOINT
from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.whatif import whatif

FILES = {
    "pyproject.toml": "[project]\nname = 'acme'\n",
    "src/acme/__init__.py": "from .prep import scale\n",
    "src/acme/prep.py": """
        import numpy as np
        from sklearn.preprocessing import StandardScaler
        from acme import util

        def scale(frame):
            return StandardScaler().fit_transform(frame)

        def drop_first(rows):
            util.remove(rows)

        def noise(n):
            return np.random.rand(n)

        if __name__ == "__main__":
            print(scale([[1]]))
        """,
    "src/acme/util.py": "def remove(rows, at=0):\n    rows.pop(at)\n",
    "books/helpers.py": """
        from math import pi
        __all__ = ["area"]
        __all__ += ["TAU"]
        TAU = 2 * pi
        def area(r):
            return pi * r * r
        def hidden(): ...
        """,
}
LEAK = """
    # %% [1]
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    {importing}
    df = pd.read_csv("a.csv")
    # %% [2]
    X = {scale}(df.drop(columns="y"))
    X_train, X_test, y_train, y_test = train_test_split(X, df["y"], random_state=0)
    # %% [3]
    model = LogisticRegression().fit(X_train, y_train)
    print(model.score(X_test, y_test))
    """


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a package under src and helpers beside its notebooks."""
    (tmp_path / ".git").mkdir()
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    monkeypatch.setenv("NBSAFE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def told(repository: Path, text: str, *, cache: bool = False) -> list[str]:
    """Return what is told of a notebook, as "NBS101 3:1 error"."""
    notebook = makenb.write(repository / "books" / "nb.ipynb", text)
    found = check([notebook], {"cache": cache}).findings
    return [f"{f.code} {f.location.cell}:{f.location.line} {f.severity}" for f in found]


@pytest.mark.parametrize(
    ("importing", "scale"),
    [
        ("from acme.prep import scale", "scale"),
        ("from acme.prep import scale as s", "s"),
        ("from acme import scale", "scale"),
        ("import acme", "acme.scale"),
        ("import acme.prep as p", "p.scale"),
        ("from acme import prep", "prep.scale"),
        ("import acme.prep", "acme.prep.scale"),
    ],
)
def test_a_leak_through_a_helper_is_told_where_the_helper_is_called(
    repository: Path, importing: str, scale: str
) -> None:
    text = LEAK.format(importing=importing, scale=scale)
    notebook = makenb.write(repository / "books" / "nb.ipynb", text)
    (finding,) = check([notebook], {"cache": False}).findings
    assert (finding.code, finding.location.cell, finding.location.line) == ("NBS301", 2, 1)
    assert finding.severity == "error"
    assert [step.cause for step in finding.steps][1] == (
        "StandardScaler().fit_transform(frame) learns from all of them (src/acme/prep.py, line 6)"
    )
    assert JOINT not in finding.message + finding.remedy + "".join(s.cause for s in finding.steps)


def test_no_leak_where_the_helper_is_given_training_rows(repository: Path) -> None:
    text = LEAK.format(importing="from acme.prep import scale", scale="")
    text = text.replace(".fit(X_train", ".fit(scale(X_train)").replace("(df.drop", "df.drop", 1)
    assert told(repository, text.replace('columns="y"))', 'columns="y")')) == []


def test_a_helper_changes_what_it_is_given(repository: Path) -> None:
    text = """
        # %% [1]
        from acme import prep
        rows = [1, 2, 3]
        # %% [3]
        prep.drop_first(rows)
        # %% [2]
        print(rows)
        """
    assert told(repository, text) == ["NBS103 3:1 warning"]
    assert told(repository, text.replace("prep.drop_first", "len")) == []


def test_what_if_knows_what_a_helper_changes(repository: Path) -> None:
    text = "# %% [1]\nfrom acme import prep\nrows = [1]\n# %% [2]\nprep.drop_first(rows)\n"
    text += "# %% [3]\nprint(rows)\n"
    notebook = makenb.write(repository / "books" / "nb.ipynb", text)
    assert whatif(notebook, {}, 2).answer.makes == ("rows",)
    notebook = makenb.write(notebook, text.replace("prep.drop_first", "len"))
    assert whatif(notebook, {}, 2).answer.makes == ()


def test_a_helper_draws(repository: Path) -> None:
    text = "# %% [1]\nfrom acme.prep import noise\n# %% [2]\nx = noise(3)\n"
    assert told(repository, text) == ["NBS405 2:1 warning"]
    seeded = "import numpy as np\nnp.random.seed(1)\nfrom acme"
    assert told(repository, text.replace("from acme", seeded)) == []


def test_a_leak_through_names_that_a_package_brings_by_star_imports(repository: Path) -> None:
    package = repository / "src" / "acme" / "__init__.py"
    package.write_text("from .prep import *\nfrom .util import *\n", encoding="utf-8")
    text = LEAK.format(importing="from acme import *", scale="scale")
    assert told(repository, text) == ["NBS301 2:1 error"]


def test_what_a_star_import_brings_is_known(repository: Path) -> None:
    text = """
        # %% [1]
        from helpers import *
        # %% [2]
        print(area(2) + TAU)
        # %% [3]
        hidden()
        """
    assert told(repository, text) == ["NBS101 3:1 error"]


@pytest.mark.parametrize(
    "more",
    [
        "__all__ = [name for name in dir() if name[0] == 'h']\n",
        "def __getattr__(name):\n    return name\n",
        "def broken(:\n",
        "globals().update(hidden=1)\n",
        "from somewhere import *\n",
    ],
)
def test_what_a_module_does_not_tell_stays_unknown(repository: Path, more: str) -> None:
    with (repository / "books" / "helpers.py").open("a", encoding="utf-8") as file:
        file.write(more)
    if more.startswith(("globals", "from")):
        text = (repository / "books" / "helpers.py").read_text(encoding="utf-8")
        text = text.replace('__all__ = ["area"]\n__all__ += ["TAU"]\n', "")
        (repository / "books" / "helpers.py").write_text(text, encoding="utf-8")
    assert told(repository, "# %% [1]\nfrom helpers import *\n# %% [2]\nprint(hidden2())\n") == []


def test_a_cached_answer_hangs_on_the_modules(repository: Path) -> None:
    text = "# %% [1]\nfrom helpers import *\n# %% [2]\nhidden()\n"
    helpers = repository / "books" / "helpers.py"
    before = helpers.read_text(encoding="utf-8")
    assert told(repository, text, cache=True) == ["NBS101 2:1 error"]
    assert told(repository, text, cache=True) == ["NBS101 2:1 error"]
    helpers.write_text(before.replace('["TAU"]', '["hidden"]'), encoding="utf-8")
    assert told(repository, text, cache=True) == []
    helpers.unlink()
    assert told(repository, text, cache=True) == []  # nothing is known of it any more
    helpers.write_text(before, encoding="utf-8")
    assert told(repository, text, cache=True) == ["NBS101 2:1 error"]


def test_modules_are_read_and_never_run(repository: Path) -> None:
    (repository / "books" / "helpers.py").write_text(
        "raise SystemExit('it was run')\ndef area(r): ...\n", encoding="utf-8"
    )
    assert told(repository, "# %% [1]\nfrom helpers import *\n# %% [2]\narea(1)\n") == []


def test_a_link_out_of_the_repository_is_not_followed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "helpers.py"
    outside.write_text("def area(r): ...\n", encoding="utf-8")
    (repository / "books" / "helpers.py").unlink()
    (repository / "books" / "helpers.py").symlink_to(outside)
    assert told(repository, "# %% [1]\nfrom helpers import *\n# %% [2]\nhidden()\n") == []
