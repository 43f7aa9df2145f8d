"""An absolute path, or one in the home folder, is read or written.

Why it matters: the file is there on the author's machine only. Everybody else gets an error,
or, worse, another file of the same name.

Limits: told where the path is handed to a call or a magic that takes it for a path, by itself
or through a name. Left alone are `/tmp` and folders of the system, the folders of hosted
platforms (`/content`, `/kaggle`, `/dbfs`), hidden settings (`~/.aws`), stand-ins such as
`/path/to`, files that are `nonexistent` by name, addresses, routes, and what is only printed or
compared. One finding for each folder of a user or drive.

Source: Pimentel et al. 2019 (use relative paths for the data).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import one_line

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.machine_paths import MachinePath

_MOST_STEPS = 5
_MARKS = (
    "'/", '"/', "~/", "~\\", ":\\", "\\\\", "/home/", "/Users/", "/mnt/", "/media/", "/Volumes/",
    "/root/", "/scratch/", "/gpfs/", "/lustre/", "cd /", "run /", "load /", "file /",
    "expanduser", "Path.home",
)  # fmt: skip

BAD = """\
# %% [1]
source = "/home/ana/thesis/heights.txt"
# %% [2]
heights = open("/home/ana/thesis/heights.txt").read() #! NBS406
"""
GOOD = """\
# %% [1]
heights = open("heights.txt").read()
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each use; those under one folder end as one finding."""
    cells = [cell.number for cell in facts.notebook.code_cells if _may_hold(cell.source)]
    if not cells:
        return
    from pytest_nbsafe.analysis import machine_paths

    paths = machine_paths.of(facts.graph, cells)
    places = Counter(path.root for path in paths)
    uses: Counter[str] = Counter()
    for path in paths:
        uses[path.root] += 1
        shown = 1 < uses[path.root] <= _MOST_STEPS + 1
        yield _claim(facts, path, places[path.root], shown=shown)


def _may_hold(source: str) -> bool:
    """Tell whether a cell may hold such a path; `://` is that of an address."""
    if "/" not in source and "\\" not in source and "~" not in source:
        return False  # most cells; it need not be looked through for each mark
    return any(mark in source for mark in _MARKS) or source.count(":/") > source.count("://")


def _claim(facts: Facts, path: MachinePath, places: int, *, shown: bool) -> Claim:
    written = one_line(path.path, 80)
    home = path.path.startswith("~")
    kind = "a path in the home folder" if home else "a path that exists on one machine only"
    times = f" (one of {places} places that use `{path.root}`)" if places > 1 else ""
    return claim(
        facts,
        "NBS406",
        path.cell,
        path.span,
        "proved",
        f"`{written}` is {kind}{times}",
        remedy=_remedy(path),
        fault=("NBS406", path.root),
        also=f"also uses `{written}`" if shown else "",
    )


def _remedy(path: MachinePath) -> str:
    last = re.split(r"[\\/]+", path.path.rstrip("\\/"))[-1]
    is_data = re.fullmatch(r"[\w\-]+(?:\.\w+)+", last) and not last.endswith((".exe", ".jar"))
    example = f", such as `data/{last}`," if is_data else ""
    return f"write a path relative to the notebook{example} or take the folder from a setting"
