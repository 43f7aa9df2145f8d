"""Which names belong together, and which do not, where that is easily got wrong."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from keeping import columns_are_copied_late
from kept_here import kept_here, question
from tiers import every

from pytest_nbsafe.kernel.checkpoint import blobs, pickling
from pytest_nbsafe.kernel.checkpoint.array_memory import owner_of
from pytest_nbsafe.kernel.checkpoint.counted_references import Holders, sharing
from pytest_nbsafe.kernel.checkpoint.covariables import groups, tied
from pytest_nbsafe.kernel.checkpoint.reachable import Surface
from pytest_nbsafe.kernel.checkpoint_contract import CoVariable
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

np = pytest.importorskip("numpy")


class Page:
    """The namespace of a notebook, in this process."""

    def __init__(self, module: types.ModuleType, folder: Path) -> None:
        self.home, self.folder = vars(module), str(folder)

    def run(self, source: str) -> None:
        exec(source, self.home)

    def own(self) -> list[str]:
        made = (types.ModuleType, type, types.FunctionType)
        return [
            name
            for name, value in self.home.items()
            if not name.startswith("__") and not isinstance(value, made)
        ]

    def groups(self) -> set[str]:
        own = self.own()
        found = [g.names for g in groups(self.home, own, own, Surface(self.home))]
        others = {name: [n for n in names if n != name] for names in found for name in names}
        assert tied(self.home, own, own, Surface(self.home)) == others
        return {" ".join(names) for names in found}

    def tied_to(self, name: str) -> str:
        """Return the names that what is done to one may change too, classes among them."""
        own = [each for each in self.home if not each.startswith("__")]
        found = tied(self.home, own, own, Surface(self.home))
        assert all(name in found[other] for other in found[name])
        counted = sharing(name, Holders(self.home, own, [], [self.home]))
        assert counted is None or set(found[name]) <= set(counted)
        return " ".join(found[name])

    def look(self) -> None:
        """Look at all that cells have made, as a kernel does after each run."""
        look = Snapshot(Texts(), self.home)
        made = [value for name, value in self.home.items() if not name.startswith("__")]
        assert {look.fingerprint(value)["cause"] for value in made} == {""}

    def hash_of(self, name: str) -> str:
        found = Snapshot(Texts(), self.home).fingerprint(self.home[name])
        assert found["cause"] == ""
        return found["hash"]

    def keep(self, *names: str) -> list[CoVariable]:
        return [*kept_here(self.home, Texts(), question(self.folder, *names))]

    def load(self, covariable: CoVariable) -> dict[str, Any]:
        assert covariable["cause"] == ""
        stream, *buffers = (blobs.read(self.folder, file) for file in covariable["files"])
        return pickling.load(stream, buffers)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    made = Page(module, tmp_path)
    made.run("import numpy as np, functools, json, weakref")
    yield made


# ------------------------------------------------------------------ what ties names together

APART = {
    "two molecules": (
        "from rdkit import Chem\na, b = (Chem.MolFromSmiles(t) for t in ('CO', 'CCO'))"
    ),
    "shapes": "import shapely\na, b = [shapely.Point(0, 0)], [shapely.Point(0, 0)]",
    "an array and a part of a library that nobody knows": (
        "import zmq\na, b = np.zeros(3), zmq.Frame(b'x')"
    ),
    "a type of numbers": "d = np.dtype([('i', 'i4')])\na = np.zeros(2, d)\nb = np.zeros(2, d)",
    "a class of numpy": "k = np.ndarray\na = np.zeros(2)\nb = [np.zeros(2), k]",
    "a class of the notebook": "class C: pass\na = C()\nb = C()\na.x = b.x = C",
    "a function without a state": "def f(): pass\na = [f, len, np.sum]\nb = [f, len, np.sum]",
    "a member of an enumeration": "import enum\nE = enum.Enum('E', 'A B')\na = [E.A]\nb = [E.A]",
    "numbers and texts": "n, t = 10 ** 9, 'text'\na = [n, t, None]\nb = [n, t, None]",
    "a moment": "import datetime as dt\nm = dt.datetime(2020, 1, 1)\na = [m]\nb = [m]",
    "a module": "a = [np, json]\nb = [np, json]",
    "a column of pandas": (
        "import pandas as pd\na = pd.DataFrame({'x': [1.0], 'y': [2.0]})\nb = a['x']"
    ),
    "categories": (
        "import pandas as pd\nt = pd.CategoricalDtype(['u', 'v'])\n"
        "a = pd.Series(['u'], dtype=t)\nb = pd.Series(['v'], dtype=t)"
    ),
    "a series of polars": "import polars as pl\na = np.zeros(9)\nb = pl.Series('x', a + 1)",
    "two series of polars": "import polars as pl\na = pl.Series(np.zeros(9))\nb = a.alias('y')",
    "a column of arrow": "import pyarrow as pa\na = pa.table({'x': np.zeros(9)})\nb = a['x']",
    "a type of torch": (
        "import torch\na = torch.zeros(2)\nb = torch.zeros(2)\nc = [a.dtype, a.device]"
    ),
}
TOGETHER = {
    "a view": "a = np.zeros(9)\nb = a[::-2]",
    "two views of what has no name": "a, b = (lambda base: (base[:3], base[3:]))(np.zeros(9))",
    "another shape": "a = np.zeros(6)\nb = a.reshape(2, 3).T",
    "a field": "a = np.zeros(2, [('i', 'i4')])\nb = a['i']",
    "a row": "a = np.zeros(2, [('i', 'i4')])\nb = a[0]",
    "a row of a part": "a = np.zeros(9, [('i', 'i4')])\nb = [a[2:][1]]",
    "a record": "a = np.rec.array([(1, 2.0)], dtype=[('i', 'i4'), ('x', 'f8')])\nb = a[0]",
    "two rows of what has no name": (
        "a, b = (lambda base: (base[0], base[1]))(np.zeros(2, [('i', 'i4')]))"
    ),
    "an object in a row": "b = [1]\na = np.array([(b, 1)], [('o', object), ('i', 'i4')])[0]",
    "an iterator": "a = [1, 2]\nb = iter(a)",
    "a generator": "a = [[1]]\nb = (x for x in a)\nnext(b)",
    "a method": "class C: pass\na = C()\nb = a.__setattr__",
    "a method of a list": "a = []\nb = a.append",
    "a partial function": "a = [1]\nb = functools.partial(len, a)",
    "a property's memory": "a = {}\nclass C: pass\nb = C()\nb.__dict__['x'] = a",
    "a view of a dictionary": "a = {}\nb = a.values()",
    "a proxy of a dictionary": "import types\na = {}\nb = types.MappingProxyType(a)",
    "a closure": "a = []\ndef make(a):\n    return lambda: a\nb = [make(a)]",
    "a function with a state": "def f(): pass\nf.calls = 1\na = [f]\nb = [f]",
    "a default": "a = []\nb = [lambda x=a: x]",
    "a reference that does not hold": "class C: pass\na = C()\nb = weakref.ref(a)",
    "a proxy": "class C: pass\na = C()\nb = weakref.proxy(a)",
    "a proxy that was there first": "class C: pass\nb = C()\na = weakref.proxy(b)",
    "a set of such references": "class C: pass\na = C()\nb = weakref.WeakSet([a])",
    "an exception": "a = [1]\nb = ValueError(a)",
    "a view of bytes": "a = bytearray(3)\nb = memoryview(a)",
    "an array of objects": "a = [1]\nb = np.array([a, None], dtype=object)",
    "notes of a table": "import pandas as pd\na = [1]\nb = pd.Series([1])\nb.attrs['n'] = a",
    "the index of a table": "import pandas as pd\na = pd.Series([1], ['x'])\nb = [a.index]",
    "the array of a column": "import pandas as pd\na = pd.Series([1])\nb = a.array",
    "a resampler": (
        "import pandas as pd\na = pd.Series([1], pd.DatetimeIndex(['2020']))\n"
        "b = a.resample('D')\na.iloc[0] = 2"
    ),
    "an accessor": "import pandas as pd\na = pd.Series([1], dtype='category')\nb = a.cat",
    "a view of a tensor": "import torch\na = torch.zeros(4)\nb = a[1:].view(3, 1)",
    "a series of polars": "import polars as pl\na = np.zeros(9)\nb = pl.Series('x', a[2:])",
    "a frame of polars": "import polars as pl\na = np.zeros(9)\nb = [pl.DataFrame({'x': a})]",
    "an array of arrow": "import pyarrow as pa\na = np.zeros(9)\nb = pa.array(a[2:5])",
    "a table of arrow": "import pyarrow as pa\na = np.zeros(9)\nb = pa.table({'x': a})",
    "bytes of arrow": "import pyarrow as pa\na = np.zeros(9)\nb = pa.py_buffer(a)",
    "a tree of points": (
        "from sklearn.neighbors import KDTree\na = np.zeros((9, 2))\nb = KDTree(a)"
    ),
    "a molecule and an atom of it": (
        "from rdkit import Chem\na = Chem.MolFromSmiles('CO')\nb = [a.GetAtomWithIdx(0)]"
    ),
    "parts of a library that nobody knows": "import zmq\na, b = zmq.Frame(b'x'), [zmq.Frame(b'x')]",
    "memory of nobody": (
        "import ctypes, zmq\na, text = zmq.Frame(b'x'), b'held'\n"
        "look = ctypes.pythonapi.PyMemoryView_FromMemory\nlook.restype = ctypes.py_object\n"
        "b = np.asarray(look(ctypes.c_char_p(text), ctypes.c_ssize_t(4), 0x100))"
    ),
    "a tensor of an array": "import torch\na = np.zeros(4)\nb = torch.from_numpy(a)",
}


def _run(page: Page, source: str) -> None:
    try:
        page.run(source)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=columns_are_copied_late if what == "a column of pandas" else ())
        for what in APART
    ],
)
def test_it_ties_nothing_together(page: Page, what: str) -> None:
    _run(page, APART[what])
    assert {"a", "b"} <= page.groups()


@pytest.mark.parametrize("what", every(2, TOGETHER))
def test_it_ties_two_names_together(page: Page, what: str) -> None:
    _run(page, TOGETHER[what])
    assert "a b" in page.groups()


def test_false_negative_of_what_a_class_of_the_notebook_holds(page: Page) -> None:
    page.run("a = []\nclass C:\n    items = a\nb = C()")
    assert page.groups() == {"a", "b"}  # else all objects of a class would be one


def test_false_negative_of_a_picture_that_shows_an_array(page: Page) -> None:
    _run(page, "from PIL import Image\na = np.zeros((9, 9), 'u1')\nb = Image.fromarray(a)")
    page.run("before = b.getpixel((0, 0))\na[0, 0] = 7\nafter = b.getpixel((0, 0))")
    assert (page.home["before"], page.home["after"]) == (0, 7)
    assert {"a", "b"} <= page.groups()


def test_false_negative_of_a_member_of_an_enumeration_that_gets_an_attribute(page: Page) -> None:
    page.run("import enum\nclass E(enum.Enum): A = 1\na, b = E.A, [E.A]\na.note = 1")
    assert Snapshot(Texts(), page.home).fingerprint(page.home["E"])["cause"] == ""  # not before
    assert page.tied_to("a") == ""


CHANGED_BY_CLASS = {
    "a number": (
        "class A: n = 0\nclass B(A): pass\na, b, c = A(), [A()], B",
        "a.__class__.n = 2",
        "A B b c",
    ),
    "a list": (
        (
            "class A:\n    held = []\n    def fit(self, x): self.held.append(x)\n"
            "a, b, s = A(), A(), A.held"
        ),
        "a.fit(1)",
        "A b s",
    ),
    "a default": (
        "class A:\n    def fit(self, x, held=[]): held.append(x)\na, b = A(), A()",
        "a.fit(1)",
        "A b",
    ),
    "a closure": (
        (
            "def make():\n    held = []\n    class A:\n"
            "        def fit(self, x): held.append(x)\n    return A()\na = make()\nb = type(a)()"
        ),
        "a.fit(1)",
        "b",
    ),
    "a property": (
        (
            "held = []\nclass A:\n    @property\n    def grown(self, held=held): held.append(1)\n"
            "a, b = A(), A()"
        ),
        "a.grown",
        "A b held",
    ),
    "a member": (
        "import enum\nclass E(enum.Enum):\n    A = [1]\n    B = [2]\na, b = E.A, [E.A]",
        "a.value.append(3)",
        "E b",
    ),
    "a class in a tuple": ("class A: n = 0\na, b = (1, (A,)), A()", "a[1][0].n = 1", "A b"),
    "another class that was changed too": (
        "class A: n = ()\nclass B: n = ()\na, b = A(), B()",
        "A.k = B.k = 1",
        "A",
    ),
    "another name of the class": ("class A: n = 0\na = A", "a.n = 1", "A"),
    "slots": (
        "class A:\n    __slots__ = ('x',)\n    n = []\na, b = A(), A()",
        "a.n.append(1)",
        "A b",
    ),
}
"""What makes `a`, what changes what a class holds by it, and the names that it shows by."""


@pytest.mark.parametrize("what", CHANGED_BY_CLASS)
def test_what_a_class_holds_ties_its_objects_once_it_was_changed(page: Page, what: str) -> None:
    make, change, others = CHANGED_BY_CLASS[what]
    page.run(make)
    page.look()
    assert page.tied_to("a") == ""
    page.run(change)
    assert page.tied_to("a") == others


def test_a_class_that_cannot_be_compared_ties_its_objects(page: Page) -> None:
    page.run("import threading\nclass A: worker = threading.Thread()\na, b = A(), A()")
    look = Snapshot(Texts(), page.home)
    assert look.fingerprint(page.home["A"])["cause"] != ""
    assert page.tied_to("a") == "A b"


KEPT_WITH_CLASSES = {
    "a list of a class": ("class A: held = [1]\na = A.held", "the class A of a cell"),
    "a list in it": (
        "class A: held = [[1]]\na = {'x': A.held[0]}",
        "the class A of a cell",
    ),
    "its own object": ("class A: pass\na = A()\nA.only = a", "the class A of a cell"),
    "an object of it": ("class A:\n    held = [1]\n    def f(self): pass\na = A()", ""),
    "an object of one that counts": (
        "class A:\n    count = 0\n    def __init__(self): A.count += 1\na, b = A(), A()",
        "",
    ),
    "its method": (
        "class A:\n    def __init__(self): self.f = self.g\n    def g(self): return 1\na = A()",
        "",
    ),
    "a result that a method keeps": (
        "class A:\n    @functools.lru_cache\n    def f(self): return [1]\na = A().f()",
        "",
    ),
    "a number": ("class A: held = 10 ** 9\na = [A.held]", ""),
}
"""What makes `a`, and why it is not kept, if it is not."""


@pytest.mark.parametrize("what", KEPT_WITH_CLASSES)
def test_what_a_class_holds_is_not_kept_without_the_class(page: Page, what: str) -> None:
    make, cause = KEPT_WITH_CLASSES[what]
    page.run(make)
    page.look()
    (kept,) = page.keep("a")
    assert kept["names"] == ["a"]
    assert cause in kept["cause"] if cause else kept["cause"] == ""


def test_names_part_when_they_share_no_more(page: Page) -> None:
    page.run("a = [1]\nb = {'x': a}\nc = [b]")
    assert page.groups() == {"a b c"}
    page.run("b['x'] = [*a]")
    assert page.groups() == {"a", "b c"}
    page.run("globals()['d'] = a\ndel c")
    assert page.groups() == {"a d", "b"}


# ------------------------------------------------------------------ how they are kept


def test_memory_is_kept_once_and_a_view_is_its_place_in_it(page: Page) -> None:
    page.run("a = np.arange(100_000.0).reshape(100, 1000)\nb, c = a[::-2, 3:9], a.T")
    (kept,) = page.keep("b")
    assert kept["names"] == ["a", "b", "c"]
    assert 800_000 <= sum(file["whole"] for file in kept["files"]) < 810_000
    loaded = page.load(kept)
    a, b, c = (loaded[name] for name in "abc")
    a[98, 4] = -1
    assert (b.strides, c.strides) == ((-16_000, 8), (8, 8_000))
    assert (b[0, 1] == page.home["b"][0, 1], c[4, 98]) == (True, -1)
    a[99, 4] = -2
    assert b[0, 1] == -2


def test_an_object_of_a_class_that_was_defined_anew_is_not_the_one_that_was_kept(
    page: Page,
) -> None:
    page.run("class C:\n    def m(self): return 1\na = C()\na.x = [1]")
    (kept,) = page.keep("a")
    before = page.hash_of("a")
    page.run("class C:\n    def m(self): return 2")
    page.home["a"] = page.load(kept)["a"]
    assert type(page.home["a"]) is page.home["C"]
    assert page.hash_of("a") != before
    page.run("class C:\n    def m(self): return 1")
    page.home["a"] = page.load(kept)["a"]
    assert type(page.home["a"]) is page.home["C"]
    assert page.hash_of("a") == before


def test_what_a_patched_module_holds_is_not_kept(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.run("a = [1]\nb = {'x': a}\nc = [1]")
    monkeypatch.setattr("json.extra", page.home["a"], raising=False)
    causes = {" ".join(each["names"]): each["cause"] for each in page.keep("a", "b", "c")}
    assert causes == {"a b": "`a` is json.extra", "c": ""}


def test_a_class_of_a_cell_is_not_asked_for_its_name(page: Page) -> None:
    page.run(
        "asked = []\n"
        "class Kind(type):\n"
        "    @property\n"
        "    def __name__(cls):\n"
        "        asked.append(cls)\n"
        "        return 'Own'\n"
        "class Own(metaclass=Kind):\n"
        "    pass\n"
        "a = Own()\n"
        "a.held = b = [1]"
    )
    assert {"a b", "asked"} == page.groups()
    assert sharing("a", Holders(page.home, page.own(), [], [page.home])) == ["b"]
    assert page.home["asked"] == []


def test_the_owner_of_memory_that_is_made_from_a_view_of_itself() -> None:
    class Memory:
        """As arrays of Cython are."""

        def __init__(self) -> None:
            self.held = np.zeros(3)
            self.__array_interface__ = self.held.__array_interface__

        @property
        def base(self) -> object:
            return View(self)

    class View:
        def __init__(self, base: object) -> None:
            self.base = base

    memory = Memory()
    assert owner_of(np.asarray(memory)) is memory
