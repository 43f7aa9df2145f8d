"""Help for the tests of the faces: notebooks as percent text, written where they are needed."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import percent

CLEAN = """
# %% [1]
a = 1
# %% [2]
print(a)
#> 1
"""

BROKEN = """
# %% [1]
a = 1
# %% [markdown]
Some text.
# %% [2]
print(a)
print(missing_name)
#> 1
"""

OUT_OF_ORDER = """
# %% [4]
a = 5
# %% [2]
b = a
# %% [3]
c = a + b
"""


def write(path: Path, text: str = CLEAN) -> Path:
    """Write the notebook that `text` stands for to `path`, and return that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    percent.write(percent.parse(dedent(text).lstrip("\n"), str(path)), path)
    return path
