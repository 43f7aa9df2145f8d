"""Modules that are there as attributes of their package, for a cell above has imported them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_nbsafe.runner.live_kernel import LiveKernel
from resume.shown_pages import assert_as_in_full, shown
from resume.test_resume import Runs

pytestmark = pytest.mark.kernel

IMPORTS = "def told():\n    from xml.dom.minidom import parseString\n    return parseString('<a/>')"
ASKS = "print(hasattr(xml, 'dom') and xml.dom.minidom.parseString('<b/>').toxml())"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("first", "edited"),
    [
        ((IMPORTS, "told()", "import xml", ASKS), (IMPORTS, "pass", "import xml", ASKS)),
        (("import xml.dom.minidom", "import xml", ASKS), ("import xml", ASKS)),
        (("import xml.dom.minidom as m", "import xml", ASKS), ("m = 1", "import xml", ASKS)),
    ],
    ids=["called", "removed", "renamed"],
)
def test_the_cell_that_imported_it_is_no_more(
    own_store: Path, first: tuple[str, ...], edited: tuple[str, ...]
) -> None:
    path = own_store / "nb.ipynb"
    shown(path, *first, resumed=True)
    assert shown(path, *edited, resumed=True) == shown(path, *edited, resumed=False)


@pytest.mark.corpus
def test_a_kernel_that_catches_up_has_imported_it(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_as_in_full(own_store, monkeypatch, (IMPORTS, "told();", "import xml", ASKS))


def test_what_no_text_reaches_is_not_imported_again(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(LiveKernel, "import_again", lambda _, names: asked.extend(names))
    for last in ("print(x)", "print(x + 1)"):
        shown(own_store / "nb.ipynb", IMPORTS, "told();", "x = 1", last, resumed=True)
    assert asked == []


@pytest.mark.corpus
def test_of_the_project(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = own_store / "own"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "sums.py").write_text("def total(*given): return sum(given)", encoding="utf-8")
    defined = "def told():\n    from own.sums import total\n    return total(1, 2)"
    page = defined, "told()", "import own", "print(own.sums.total(3, 4))"
    assert_as_in_full(own_store, monkeypatch, page)


@pytest.mark.corpus
def test_other_imports_and_what_packages_give_when_asked(
    own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    runs = Runs(own_store, monkeypatch)
    page = "# %%\nimport numpy as np\n# %%\nx = np.polynomial.Polynomial([1, 2])(3)\n"
    page += (
        "# %%\nprint(x)\n# %%\nprint(np.polynomial.Polynomial([3])(1), np.linalg.norm([3, 4]))\n"
    )
    for was, now, cells in (
        ("as np", "as np\nimport xml.dom", [1]),
        ("Polynomial([1, 2])", "Polynomial([1, 4])", [2, 3]),
        ("print(x)", "print(x + 1)", [3]),
        ("x = np.polynomial.Polynomial([1, 2])(3)", "x = 7", [2, 3]),
    ):
        runs.write(page)
        runs.made()
        runs.write(page.replace(was, now))
        assert runs.made() == cells
