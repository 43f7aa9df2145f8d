"""Random edits of a notebook and of what stands around it, each made in a copy of its folder."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Page = dict[str, Any]
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_BOUND = re.compile(r"^([A-Za-z]\w*) *= ", re.MULTILINE)
_TEXTS = frozenset({".csv", ".txt", ".json"})
VARIABLE = "PLANTED_WORD"
PACKAGE = "planted_package"
_WHEN_NS = 1_700_000_000_000_000_000

HELPER = """LIMIT = {limit}
held = []
def scale(value):
    held.append(value)
    return value * LIMIT
def unused():
    return {limit}
"""
PLANTED = """
import planted_helper
planted_scale = planted_helper.scale(3)
# ---
import csv
with open('planted.csv') as planted_file:
    planted_rows = list(csv.reader(planted_file))
# ---
import os
planted_word = os.environ.get('PLANTED_WORD', 'none')
# ---
import planted_package
planted_version = planted_package.VERSION
# ---
import os
planted_link = open('planted_link.txt').read()
planted_names = sorted(os.listdir('planted_folder'))
# ---
planted_list = [1]
planted_alias = {'held': planted_list}
# ---
planted_limit = 4
def planted_few(values):
    return [value for value in values if value < planted_limit]
# ---
planted_list.append(7)
# ---
planted_count = planted_few([1, 4, 7])
planted_count
# ---
class Planted:
    def __init__(self, value):
        self.value = value
    def __repr__(self):
        return f'Planted({self.value})'
planted = Planted(2)
# ---
planted.value += 1
# ---
import random
random.seed(3)
planted_drawn = [random.random() for _ in range(3)]
# ---
planted_next = random.random()
# ---
with open('planted_out.txt', 'a') as planted_out:
    written = planted_out.write('x')
# ---
planted_read = open('planted_out.txt').read()
# ---
import os
os.mkdir('planted_made')
# ---
planted_all = sorted(name for name in globals() if name.startswith('planted_l'))
# ---
planted_set = {str(n) for n in range(9)} | {'1', 'a'}
planted_order = list(planted_set)
# ---
planted_lazy = (n * planted_limit for n in range(4))
# ---
planted_sum = sum(planted_lazy)
# ---
import numpy as np
planted_array = np.arange(24.0).reshape(4, 6)
planted_view = planted_array[1:, ::2]
# ---
planted_array[2, 2] = -planted_array.sum()
# ---
import pandas as pd
planted_table = pd.DataFrame({'a': [3, 1, 2], 'b': list('xyz')})
# ---
planted_table['c'] = planted_table.a * 2
# ---
planted_part = planted_table[planted_table.a > 1]
planted_part
# ---
del planted_next
# ---
import csv, logging, sys
planted_told = logging.getLogger().level, csv.list_dialects(), sys.getrecursionlimit()
# ---
print(planted_alias, planted)
# ---
print(planted_view.sum(), planted_rows)
""".strip("\n").split("\n# ---\n")
"""Cells that use what is edited around a notebook; each stands after those that it needs."""


def cells_of(page: Page) -> list[dict[str, Any]]:
    """Return the code cells of a page."""
    return [cell for cell in page["cells"] if cell["cell_type"] == "code"]


def text_of(cell: Mapping[str, Any]) -> str:
    """Return the text of a cell."""
    return "".join(cell["source"])


def code_cell(text: str, count: int | None = None) -> dict[str, Any]:
    """Return a cell that has not been run, or as this count."""
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": {},
        "outputs": [],
        "source": text,
    }


class Project:
    """A notebook in a folder of its own, with the files, the module and the package around it.

    `library` is the folder that the package lies in; it has to be on the path of the process.
    """

    def __init__(self, notebook: Path, folder: Path, library: Path, rng: random.Random) -> None:
        self.folder, self.library, self.rng = folder, library, rng
        folder.mkdir(parents=True)
        self.path = folder / notebook.name
        self.page: Page = json.loads(notebook.read_text(encoding="utf-8"))
        self.page.setdefault("metadata", {}).pop("widgets", None)
        self.environ: dict[str, str] = {}
        self._files: dict[str, tuple[bytes, int]] = {}
        self._links: dict[str, str] = {"planted_link.txt": "planted_a.txt"}
        for name, content in _beside(notebook):
            self._files[name] = content, _WHEN_NS
        for name, text in {
            "planted_helper.py": HELPER.format(limit=5),
            "planted.csv": "a,b\n1,2\n3,4\n",
            "planted_a.txt": "first\n",
            "planted_b.txt": "other\n",
            "planted_folder/one.txt": "1",
        }.items():
            self._files[name] = text.encode(), _WHEN_NS
        self.version = 0
        self.install()

    def plant(self, share: float) -> None:
        """Put cells into the page that use what stands around it, most in the order of the list."""
        at = 0
        last = max((cell.get("execution_count") or 0 for cell in cells_of(self.page)), default=0)
        for text in PLANTED:
            if self.rng.random() > share:
                continue
            last += 1
            count = last if self.rng.random() < 0.5 else None
            at = min(at + self.rng.randrange(3), len(self.page["cells"]))
            self.page["cells"].insert(at, code_cell(text, count))
            at += 1

    def install(self) -> None:
        """Install the next version of the package."""
        folder = self.library / PACKAGE
        folder.mkdir(parents=True, exist_ok=True)
        for old in self.library.glob("*.dist-info"):
            (old / "METADATA").unlink()
            old.rmdir()
        self.version += 1
        text = f"VERSION = '1.{self.version}'\n"
        (folder / "__init__.py").write_text(text, encoding="utf-8")
        about = self.library / f"{PACKAGE}-1.{self.version}.dist-info"
        about.mkdir()
        told = f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.{self.version}\n"
        (about / "METADATA").write_text(told, encoding="utf-8")

    def lay(self) -> None:
        """Lay the folder as it is meant to be: what a run has left is taken away."""
        wanted = {**self._files, self.path.name: (json.dumps(self.page).encode(), _WHEN_NS)}
        for found in sorted(self.folder.rglob("*"), reverse=True):
            name = found.relative_to(self.folder).as_posix()
            if found.is_dir() and not found.is_symlink():
                if not any(each.startswith(f"{name}/") for each in wanted):
                    found.rmdir()
            elif name not in wanted or found.is_symlink():
                found.unlink()
        for name, (content, when_ns) in wanted.items():
            file = self.folder / name
            file.parent.mkdir(exist_ok=True, parents=True)
            if not file.exists() or file.read_bytes() != content:
                file.write_bytes(content)
            os.utime(file, ns=(when_ns, when_ns))
        for name, target in self._links.items():
            (self.folder / name).symlink_to(target)

    # -- edits of a cell ---------------------------------------------------------------------------

    def _some_cell(self) -> dict[str, Any]:
        return self.rng.choice(cells_of(self.page))

    def _change(self, edit: Callable[[str], str]) -> str:
        cell = self._some_cell()
        old = text_of(cell)
        cell["source"] = edit(old)
        return f"{old!r} -> {text_of(cell)!r}"

    def constant(self) -> str:
        """Change a number in a cell."""
        fitting = [cell for cell in cells_of(self.page) if _NUMBER.search(text_of(cell))]
        if not fitting:
            return self.line()
        cell = self.rng.choice(fitting)
        old = text_of(cell)
        found = self.rng.choice([*_NUMBER.finditer(old)])
        number = max(int(found[0][:6]) + self.rng.choice((-1, 1, 2)), 0)
        cell["source"] = f"{old[: found.start()]}{number}{old[found.end() :]}"
        return f"{old!r} -> {cell['source']!r}"

    def line(self) -> str:
        """Add a line that uses, keeps or changes what there is."""
        return self._change(lambda old: f"{old}\n{self._statement()}")

    def first_line(self) -> str:
        """Put a line before the text of a cell."""
        return self._change(lambda old: f"{self._statement()}\n{old}")

    def _statement(self) -> str:
        name, other = self._some_name(), self._some_name()
        number = self.rng.randrange(9)
        return self.rng.choice(
            (
                f"added_{number} = {number}",
                f"print({name})",
                f"alias_{number} = {name}",
                f"kept_{number} = [{name}, {other}]",
                f"{name} = {other}",
                f"import copy; {name} = copy.copy({name})",
                f"if isinstance({name}, list): {name}.append({number})",
                f"if isinstance({name}, dict): {name}['added'] = {number}",
                f"if hasattr({name}, 'columns'): {name}['added'] = {number}",
                f"if hasattr({name}, 'flat') and {name}.size: {name}.flat[0] = {number}",
                f"later_{number} = lambda: {name}",
                f"repr({name})[:200]",
                f"import random; random.seed({number})",
                f"import numpy; numpy.random.seed({number})",
                f"import os; os.environ['ADDED'] = '{number}'",
                f"import warnings; warnings.filterwarnings('ignore', 'w{number}')",
                f"globals()['by_{number}'] = {name}",
                f"del {name}",
                f"assert {name} is not None",
            )
        )

    def _some_name(self) -> str:
        texts = map(text_of, cells_of(self.page))
        names: list[str] = [name for text in texts for name in _BOUND.findall(text)]
        return self.rng.choice(names or ["None"])

    def comment(self) -> str:
        """Add a comment, or a blank line."""
        lines = self.rng.choice(("# why\n", "\n", "# why\n\n# so\n"))
        return self._change(lambda old: old if old[:1] == "%" else f"{lines}{old}")

    def twice(self) -> str:
        """Repeat the last line of a cell that stands by itself."""

        def edit(old: str) -> str:
            lines = old.rstrip("\n").split("\n")
            is_whole = lines[-1][:1].isalpha() and not lines[-1].startswith(("else", "except"))
            return "\n".join([*lines, lines[-1]]) if is_whole else old

        return self._change(edit)

    def setting(self) -> str:
        """Change what no name holds."""
        number = self.rng.randrange(5, 9)
        texts = (
            f"import pandas as pd\npd.set_option('display.max_rows', {number})",
            f"import numpy as np\nnp.set_printoptions(precision={number})",
            f"import decimal\ndecimal.getcontext().prec = {number}",
            f"import matplotlib\nmatplotlib.rcParams['lines.linewidth'] = {number}",
            "%matplotlib inline",
            "%load_ext autoreload",
            "%config InlineBackend.figure_format = 'svg'",
            f"%precision {number}",
            "import os\nos.makedirs('planted_other', exist_ok=True)\nos.chdir('planted_other')",
            f"import sys\nsys.path.append('/nowhere/{number}')",
            f"import math\nmath.planted = {number}",
            f"import logging\nlogging.basicConfig(level={number}, force=True)",
            f"sys = __import__('sys')\nsys.setrecursionlimit(3{number}00)",
            f"csv = __import__('csv')\ncsv.register_dialect('d{number}', delimiter=';')",
            "%config InteractiveShell.ast_node_interactivity = 'all'",
            "import atexit\natexit.register(print, 'over')",
            f"import planted_helper\nplanted_helper.LIMIT = {number}",
        )
        return self._insert(self.rng.choice(texts))

    # -- edits of the page -------------------------------------------------------------------------

    def _insert(self, text: str) -> str:
        at = self.rng.randrange(len(self.page["cells"]) + 1)
        self.page["cells"].insert(at, code_cell(text))
        return f"{text!r} at {at}"

    def added(self) -> str:
        """Add a cell."""
        return self._insert(f"{self._statement()}\n{self._statement()}")

    def removed(self) -> str:
        """Remove a cell."""
        if len(cells_of(self.page)) < 3:
            return self.added()
        cell = self._some_cell()
        self.page["cells"].remove(cell)
        return repr(text_of(cell))

    def order(self) -> str:
        """Move a cell elsewhere."""
        cell = self._some_cell()
        self.page["cells"].remove(cell)
        at = self.rng.randrange(len(self.page["cells"]) + 1)
        self.page["cells"].insert(at, cell)
        return f"{text_of(cell)!r} to {at}"

    def tag(self) -> str:
        """Tag a cell."""
        cell = self._some_cell()
        cell["metadata"]["tags"] = ["edited"]
        return repr(text_of(cell))

    # -- edits around it ---------------------------------------------------------------------------

    def data(self) -> str:
        """Change a file of data; every other time it has the size and time that it had."""
        names = [name for name in self._files if Path(name).suffix in _TEXTS]
        name = self.rng.choice([name for name in names if self._files[name][0]])
        content, when_ns = self._files[name]
        digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
        if digits and self.rng.random() < 0.5:
            at = self.rng.choice(digits)
            content = content[:at] + bytes([49 + (content[at] - 47) % 9]) + content[at + 1 :]
        else:
            content, when_ns = content + b"7,8\n", when_ns + 1_000_000_000
        self._files[name] = content, when_ns
        return name

    def module(self) -> str:
        """Change the module of the project."""
        limit = self.rng.randrange(1, 9)
        text = HELPER.format(limit=limit)
        if self.rng.random() < 0.3:
            text = f"# why\n{text}"
        self._files["planted_helper.py"] = text.encode(), _WHEN_NS
        return f"limit {limit}"

    def package(self) -> str:
        """Install another version of the package."""
        self.install()
        return str(self.version)

    def variable(self) -> str:
        """Change a variable of the environment."""
        self.environ[VARIABLE] = str(self.rng.randrange(3))
        return self.environ[VARIABLE]

    def link(self) -> str:
        """Turn a symlink."""
        target = self.rng.choice(("planted_a.txt", "planted_b.txt"))
        self._links["planted_link.txt"] = target
        return target

    def folder_of_data(self) -> str:
        """Put a file into a folder, or take it away."""
        name = "planted_folder/two.txt"
        if name in self._files:
            del self._files[name]
        else:
            self._files[name] = b"2", _WHEN_NS
        return name

    def module_before(self) -> str:
        """Put a module before another of its name, or take it away."""
        name, text = self.rng.choice(
            (
                ("planted_helper/__init__.py", HELPER.format(limit=9)),
                ("planted_package.py", "VERSION = 'here'\n"),
            )
        )
        if self._files.pop(name, None) is None:
            self._files[name] = text.encode(), _WHEN_NS
        return name


KINDS: tuple[tuple[int, Callable[[Project], str]], ...] = (
    (4, Project.constant),
    (4, Project.line),
    (2, Project.first_line),
    (2, Project.comment),
    (2, Project.twice),
    (2, Project.setting),
    (3, Project.added),
    (3, Project.removed),
    (3, Project.order),
    (1, Project.tag),
    (2, Project.data),
    (2, Project.module),
    (1, Project.package),
    (2, Project.variable),
    (1, Project.link),
    (1, Project.folder_of_data),
    (1, Project.module_before),
)
"""Every kind of edit, with how often it is made."""


def edit(project: Project) -> str:
    """Make a random edit, and return what was done."""
    rng = project.rng
    weights = [weight for weight, _ in KINDS]
    ((_, kind),) = rng.choices(KINDS, weights)
    return f"{kind.__name__}: {kind(project)}"


def _beside(notebook: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files that lie beside a notebook, and in its folders, by their relative names."""
    for file in sorted(notebook.parent.rglob("*")):
        name = file.relative_to(notebook.parent)
        is_hidden = any(part[:1] in "._" and part != "__init__.py" for part in name.parts)
        if file.is_file() and file.suffix not in {".ipynb", ".gz"} and not is_hidden:
            yield name.as_posix(), file.read_bytes()
