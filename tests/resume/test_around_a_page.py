"""What stands around a page and is no value: where it changes, what hangs on it runs again."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import IPython
import makenb
import pytest
import tiers

from pytest_nbsafe import project
from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.findings import Report

HOME = "~/"
"""Begins the names of files that lie in the user's own folder."""
STARTUP = f"{HOME}.ipython/profile_default/startup/00.py"
CONFIG = f"{HOME}.ipython/profile_default/ipython_config.py"
KEPT = f"{HOME}.ipython/profile_default/db/autorestore/kept"
PACKAGE = {"pkg/__init__.py": "", "pkg/data.txt": "one"}
LOGS = "logging.basicConfig(level='INFO', stream=sys.stdout)\n"
STORED = "what another notebook has stored"
METADATA = "Metadata-Version: 2.1\nName: own\nVersion: {}\n"


USUAL = {"data of a package"}


class Case(NamedTuple):
    """The cells of a page, which set `x`; what lies around them at first, and what is laid then."""

    text: str
    before: Mapping[str, str]
    then: Mapping[str, str]


CASES = {
    "a package for a module": Case(
        "import helper\n# %% [2]\nx = helper.f()",
        {"helper.py": "def f(): return 1"},
        {"helper/__init__.py": "def f(): return 2"},
    ),
    "a module that was not there": Case(
        "try:\n    import later\n    x = 1\nexcept ImportError:\n    x = 0",
        {},
        {"later.py": ""},
    ),
    "data of a package": Case(
        "import pkgutil, pkg\nx = pkgutil.get_data('pkg', 'data.txt')",
        PACKAGE,
        {"pkg/data.txt": "two"},
    ),
    "a file that becomes no module": Case(
        "import runpy\nx = runpy.run_module('part')['y']",
        {"part.py": "y = 1"},
        {"part.py": "y = 22"},
    ),
    "what IPython runs at its start": Case(
        "x = from_startup", {STARTUP: "from_startup = 5"}, {STARTUP: "from_startup = 6"}
    ),
    "a folder that becomes a package": Case(
        "import helper\n# %% [2]\nx = helper.f()",
        {"helper.py": "def f(): return 1", "helper/data.txt": ""},
        {"helper/__init__.py": "def f(): return 2"},
    ),
    "a module that comes first": Case(
        "from helper import f\n# %% [2]\nx = f()",
        {
            "src/helper.py": "def f(): return 1",
            "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\n",
        },
        {"helper.py": "def f(): return 2"},
    ),
    "a module for that of a library": Case(
        "import iniconfig\n# %% [2]\nx = hasattr(iniconfig, 'IniConfig')",
        {},
        {"iniconfig.py": ""},
    ),
    "a module that was asked for": Case(
        "import importlib.util\nx = importlib.util.find_spec('later') is None",
        {},
        {"later.py": ""},
    ),
    "a part of a package": Case(
        "import pkg.part\n# %% [2]\nx = pkg.part.y",
        {"pkg/__init__.py": "", "pkg/part.py": "y = 1"},
        {"pkg/part/__init__.py": "y = 2"},
    ),
    "what a module imports": Case(
        "import helper\n# %% [2]\nx = helper.found()",
        {
            "helper.py": "def found():\n    try:\n        import later\n        return 1\n"
            "    except ImportError:\n        return 0\n"
        },
        {"later.py": ""},
    ),
    "data that a module reads when it is imported": Case(
        "import pkg\nx = pkg.text",
        {
            "pkg/__init__.py": "import pkgutil\ntext = pkgutil.get_data('pkg', 'data.txt')",
            "pkg/data.txt": "one",
        },
        {"pkg/data.txt": "two"},
    ),
    "an archive of modules": Case(
        "import sys\nsys.path.insert(0, 'lib.zip')\nimport zipped\nx = zipped.y",
        {"lib.zip": "y = 1"},
        {"lib.zip": "y = 22"},
    ),
    "a file that is loaded by its path": Case(
        "import importlib.util\nspec = importlib.util.spec_from_file_location('m', 'part.py')\n"
        "m = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(m)\nx = m.y",
        {"part.py": "y = 1"},
        {"part.py": "y = 22"},
    ),
    "the modules of a package": Case(
        "import pkgutil, pkg\nx = [m.name for m in pkgutil.iter_modules(pkg.__path__)]",
        PACKAGE,
        {"pkg/added.py": ""},
    ),
    "the version of a package of the project": Case(
        "import importlib.metadata\nown = importlib.metadata.version('own')\nx = own",
        {"own-1.dist-info/METADATA": METADATA.format(1)},
        {"own-1.dist-info/METADATA": METADATA.format(2)},
    ),
    "a package of the project that comes": Case(
        "import importlib.metadata as m\ntry:\n    own = m.version('own')\n"
        "except m.PackageNotFoundError:\n    own = None\nx = own",
        {},
        {"own-1.dist-info/METADATA": METADATA.format(1)},
    ),
    "a file that Python's library looks for": Case(
        "import gettext\nx = gettext.find('words', 'texts', ['de'])",
        {},
        {"texts/de/LC_MESSAGES/words.mo": ""},
    ),
    "settings of a library in the folder": Case(
        "import matplotlib\nx = matplotlib.rcParams['lines.linewidth']",
        {f"{HOME}.config/matplotlib/made": ""},  # it would be made in the first run
        {"matplotlibrc": "lines.linewidth: 7\n"},
    ),
    "what a module sets of a library when it is imported": Case(
        "import helper, logging\n# %% [2]\nlogging.getLogger('a').info('told')\nx = 1",
        {"helper.py": "import logging, sys\n"},
        {"helper.py": f"import logging, sys\n{LOGS}"},
    ),
    "what a function of a module sets of a library": Case(
        "import helper, logging\n# %% [2]\nhelper.begin()\n"
        "# %% [3]\nlogging.getLogger('a').info('told')\nx = 1",
        {"helper.py": "import logging, sys\ndef begin():\n    pass\n"},
        {"helper.py": f"import logging, sys\ndef begin():\n    {LOGS}"},
    ),
    "a name that IPython sets at its start": Case(
        "x = globals().get('from_startup', 0)", {}, {STARTUP: "from_startup = 5"}
    ),
    "settings of IPython": Case(
        "1\n2\nx = 3", {}, {CONFIG: "c.InteractiveShell.ast_node_interactivity = 'all'\n"}
    ),
    STORED: Case("%store -r kept\nx = kept", {KEPT: "I1\n."}, {KEPT: "I2\n."}),
}


@pytest.mark.parametrize("name", tiers.sampled(CASES, USUAL.__contains__, 2))
def test_what_changed_around_a_page_is_heeded(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == STORED and IPython.version_info < (9,) and not find_spec("pickleshare"):
        pytest.skip("this IPython stores nothing without pickleshare")
    _held_against_a_full_run(own_store, monkeypatch, CASES[name])


def _held_against_a_full_run(folder: Path, monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    monkeypatch.setenv("HOME", str(folder.parent / "home"))
    _lay(folder, case.before)
    text = f"# %% [1]\n{case.text}\n# %% [9]\nprint(x)\n#> saved\n"
    path = makenb.write(folder / "nb.ipynb", text)
    first = _messages(_run(path, "on"))
    (folder / "unrelated.txt").touch()
    (folder / "unrelated.py").touch()
    again = _run(path, "on").notebooks[0].resumed
    assert again is not None
    assert again.runs == again.reused, "what nobody asks for is nothing to it"
    _lay(folder, case.then)
    now, full = _run(path, "on"), _run(path, "off")
    assert _messages(now) == _messages(full) != first


def _run(path: Path, resume: str) -> Report:
    project.forget()
    return session.examine(path, configuration(path, {"resume": resume}))


def _messages(report: Report) -> list[str]:
    return [finding.message for finding in report.findings]


def _lay(folder: Path, contents: Mapping[str, str]) -> None:
    for name, content in contents.items():
        file = Path(os.environ["HOME"], name[2:]) if name.startswith(HOME) else folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".zip":
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("zipped.py", content)
        else:
            file.write_text(content, encoding="utf-8")
