"""Pages that hang on what no name shows: whatever is edited, they show what a full run shows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import percent
import pytest
import tiers

from resume.shown_pages import shown, shown_page

pytestmark = pytest.mark.kernel

SETTINGS = {
    "logging": (
        "logging.basicConfig(level=20, force=True, format='%(message)s')",
        "logging.basicConfig(level=40, force=True, format='%(message)s')",
        "logging.info('told'); logging.getLogger().level",
    ),
    "csv": ("csv.register_dialect('mine', delimiter=';')", "None", "csv.list_dialects()"),
    "sys": ("sys.setrecursionlimit(5000)", "None", "sys.getrecursionlimit()"),
    "sys.path": ("sys.path.append('/nowhere')", "None", "sys.path[-1]"),
    "modules": (
        "sys.modules['fake'] = types.ModuleType('fake')",
        "fake = 3",
        "'fake' in sys.modules",
    ),
    "numbers": ("numbers.Number.register(list)", "None", "isinstance([], numbers.Number)"),
    "calendar": ("calendar.setfirstweekday(3)", "None", "calendar.firstweekday()"),
    "warnings": (
        "warnings.simplefilter('error')",
        "warnings.simplefilter('ignore')",
        "try: warnings.warn('few')\nexcept UserWarning: print('raised')",
    ),
    "monkeypatch": (
        "def quiet(value): return 'quiet'\njson.dumps = quiet",
        "def quiet(value): return 'silent'\njson.dumps = quiet",
        "print(json.dumps(3))",
    ),
    "atexit": ("atexit.register(print, 'over')", "None", "atexit._ncallbacks() > 0"),
    "folder": ("os.chdir('below')", "None", "os.path.basename(os.getcwd())"),
    "environ": (
        "os.environ['MADE'] = 'one'",
        "os.environ['MADE'] = 'other'",
        "os.environ.get('MADE')",
    ),
    "umask": ("os.umask(0o077)", "None", "mask = os.umask(0)\nos.umask(mask)\noct(mask)"),
    "seed": ("random.seed(3)", "random.seed(4)", "random.seed and random.random()"),
    "decimal": ("decimal.getcontext().prec = 5", "None", "decimal.Decimal(1) / 3"),
    "precision": ("%precision 3", "None", "1 / 3"),
    "echo": ("%config InteractiveShell.ast_node_interactivity = 'all'", "None", "1\n2"),
    "magic": ("%load_ext own_magic", "pass", "%%own\nwords"),
    "run": ("%run other.py", "made_elsewhere = 4", "made_elsewhere"),
    "global": (
        "def put():\n    global put_there\n    put_there = 1\nput()",
        "put_there = 2",
        "put_there",
    ),
    "update": ("globals().update(put_so=1)", "put_so = 2", "put_so"),
    "decorator": (
        "@codecs.register\ndef look(name): return codecs.lookup('utf8') if name == 'own' else None",
        "None",
        "try: print(codecs.lookup('own').name)\nexcept LookupError: print('none')",
    ),
    "result": ("old = csv.field_size_limit(9)", "None", "csv.field_size_limit()"),
    "alias": (
        "from logging import root as log\nlog.extra = 1",
        "None",
        "hasattr(logging.root, 'extra')",
    ),
    "class": (
        "class Point:\n    size = 1\np = Point()\nclass Point:\n    size = 2",
        "class Point:\n    size = 3\np = Point()",
        "isinstance(p, Point), p.size",
    ),
    "widget": (
        "w = Widget(3)\nw",
        "w = Widget(4)\nw",
        "w.value += 1\nw",
    ),
}
ABOVE = """
import atexit, calendar, codecs, csv, decimal, json, logging, numbers, os, random, sys, types
import warnings
class Widget:
    def __init__(self, value):
        self.value = value
    def _repr_mimebundle_(self, **_):
        view = {"model_id": str(self.value), "version_major": 2, "version_minor": 0}
        return {"text/plain": f"W({self.value})", "application/vnd.jupyter.widget-view+json": view}
"""
MAGIC = """
def load_ipython_extension(shell):
    shell.register_magic_function(lambda line, cell: print(cell.upper()), "cell", "own")
"""


def page(setting: str, reader: str) -> str:
    return percent.page_of(
        ABOVE.strip(), "unread = 1", setting.strip(), "between = 2", reader.strip()
    )


@pytest.mark.parametrize("name", tiers.spread(72, 4, SETTINGS))
def test_what_no_name_shows(own_store: Path, name: str) -> None:
    (own_store / "below").mkdir()
    (own_store / "own_magic.py").write_text(MAGIC, encoding="utf-8")
    (own_store / "other.py").write_text("made_elsewhere = 3\n", encoding="utf-8")
    path = own_store / "nb.ipynb"
    setting, other, reader = SETTINGS[name]
    first = shown_page(path, page(setting, reader), resumed=True)
    assert first == shown_page(path, page(setting, reader), resumed=False)
    with_other = shown_page(path, page(other, reader), resumed=True)
    assert with_other == shown_page(path, page(other, reader), resumed=False)
    if name != "atexit":
        assert with_other[-1] != first[-1], "it hangs on the setting"
    edited = page(setting, f"edited = 3\n{reader}" if reader[0] != "%" else f"{reader} edited")
    assert shown_page(path, edited, resumed=True) == shown_page(path, edited, resumed=False)


def replaced(folder: Path) -> None:
    """Replace a file by one of equal size and time."""
    data = folder / "data.txt"
    about = data.stat()
    data.write_text("2\n", encoding="utf-8")
    os.utime(data, ns=(about.st_atime_ns, about.st_mtime_ns))


def turned(folder: Path) -> None:
    """Let a link lead elsewhere."""
    (folder / "link.txt").unlink()
    (folder / "link.txt").symlink_to("other.txt")


def edited(folder: Path) -> None:
    """Edit a module of the project."""
    (folder / "helper.py").write_text("K = 2  # other\n", encoding="utf-8")


AROUND = """
# %% [1]
import helper
# %% [2]
number = int(open("data.txt").read())
# %% [3]
linked = int(open("link.txt").read())
# %% [4]
print(number, linked, helper.K)
"""


@pytest.mark.parametrize(
    ("change", "expected"),
    tiers.every_row(4, [(replaced, "2 1 1"), (turned, "1 3 1"), (edited, "1 1 2")]),
)
def test_what_stands_around(own_store: Path, change: Callable[[Path], None], expected: str) -> None:
    for name, text in {"data.txt": "1\n", "one.txt": "1\n", "other.txt": "3\n"}.items():
        (own_store / name).write_text(text, encoding="utf-8")
    (own_store / "link.txt").symlink_to("one.txt")
    (own_store / "helper.py").write_text("K = 1\n", encoding="utf-8")
    path = own_store / "nb.ipynb"
    assert shown_page(path, AROUND, resumed=True)[-1].split() == ["1", "1", "1"]
    change(own_store)
    assert shown_page(path, AROUND, resumed=True)[-1].split() == expected.split()


@pytest.mark.parametrize(
    ("defined", "reader"),
    tiers.spread_rows(
        6,
        2,
        [
            ("def f(x: Size, *more: Size) -> None: pass", "f.__annotations__"),
            ("def f(*, x: 'Size' = 1, **named: Size) -> Size: pass", "f.__annotations__"),
            ("class A:\n    def f(self, x: list[Size]): pass", "A.f.__annotations__"),
            ("def g():\n    def f() -> Size: pass\n    return f\nf = g()", "f.__annotations__"),
            ("class A:\n    x: Size", "A.__annotations__"),
            ("x: Size = 1", "print(__annotations__['x'])"),
        ],
    ),
)
def test_annotations(own_store: Path, defined: str, reader: str) -> None:
    path, cells = own_store / "nb.ipynb", ["Size = int", defined, reader]
    expected = []
    for first in ("Size = int", "Size = str", "from numbers import Number as Size"):
        cells[0] = first
        expected.append(shown(path, *cells, resumed=True))
        assert expected[-1] == shown(path, *cells, resumed=False)
    assert len({each[-1] for each in expected}) == 3, "it hangs on the annotation"


@pytest.mark.corpus
def test_a_module_that_is_loaded_again_between_cells(own_store: Path) -> None:
    path, helper = own_store / "nb.ipynb", own_store / "reloaded.py"
    first = "%load_ext autoreload\n%autoreload 2\nimport reloaded"
    writes = "with open('reloaded.py', 'w') as file: file.write('def limit(): return 22222')"
    helper.write_text("def limit(): return 1", encoding="utf-8")
    os.utime(helper, ns=(0, 0))
    shown(path, first, writes, "reloaded.limit()", resumed=True)
    helper.write_text("def limit(): return 1", encoding="utf-8")
    os.utime(helper, ns=(0, 0))
    cells = first, "pass", "reloaded.limit()"
    assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
