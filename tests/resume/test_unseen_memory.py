"""Names that look at one thing, of which compiled code alone knows: a cell changes it by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

PAGES = {
    "rdkit": (
        "from rdkit import Chem\nm = Chem.MolFromSmiles('CCO')",
        "a = m.GetAtomWithIdx(0)",
        "a.SetAtomicNum(7)",
        "print(Chem.MolToSmiles(m))",
    ),
    "igraph": (
        "import igraph\ng = igraph.Graph.Ring(3)",
        "es = g.es",
        "es['w'] = [7] * 3",
        "print(g.es['w'])",
    ),
    "onnx": (
        "from onnx import helper\nm = helper.make_model(helper.make_graph([], 'g', [], []))",
        "g = m.graph",
        "g.name = '7'",
        "print(m.graph.name)",
    ),
    "SimpleITK": (
        "import SimpleITK as sitk\nm = sitk.Image(2, 2, sitk.sitkUInt8)",
        "v = sitk.GetArrayViewFromImage(m)",
        "m[0, 0] = 7",
        "print(v.sum())",
    ),
}


@pytest.mark.parametrize("library", PAGES)
def test_what_is_changed_by_another_look(own_store: Path, library: str) -> None:
    pytest.importorskip(library)
    make, look, change, show = PAGES[library]
    path = own_store / "nb.ipynb"
    shown(path, make, look, change, show, resumed=True)
    for cells in (
        (make, look, change, f"{show}\nedited = 1"),
        (make, look, change.replace("7", "8"), show),
        (make, f"{look}\nedited = 1", change, show),
    ):
        assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
