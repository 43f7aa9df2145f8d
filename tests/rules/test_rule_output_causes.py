"""What NBS402 names as what may have changed since the page was saved."""

from pathlib import Path

import pytest
from rulecase import run

PAGE = """\
# %% [1]
import shop
# %% [2]
with open("log.txt") as log:
    lines = log.readlines()
# %% [3]
print(shop.total(), len(lines))
#> 5 2
"""


@pytest.mark.kernel
def test_what_a_module_of_the_project_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n", encoding="utf-8")
    (tmp_path / "prices.txt").write_text("7\n", encoding="utf-8")
    (tmp_path / "log.txt").write_text("a\nb\n", encoding="utf-8")
    module = "def total():\n    return int(open('prices.txt').read())\n"
    (tmp_path / "shop.py").write_text(module, encoding="utf-8")
    (finding,) = (f for f in run(PAGE, tmp_path, notes=False) if f.code == "NBS402")
    reads, imports = finding.steps
    assert (reads.cell, reads.cause) == (2, "reads `log.txt`, which may have changed since")
    assert imports.cell == 1
    assert imports.cause.endswith("may have changed since; so may what the run read: `prices.txt`")
