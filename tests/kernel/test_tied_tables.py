"""Tables and columns of pandas 2 that know where they were cut from, kept and restored.

Ground truth is a kernel in which nothing was kept. With pandas 3 there are no such ties.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from keeping import KeepingKernel, columns_are_copied_late

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]
columns_share_memory = pytest.mark.skipif(
    not columns_are_copied_late.args[0], reason="pandas 3 ties no tables"
)
IMPORTS = "import warnings\nimport pandas as pd\n"
TABLE = "table = pd.DataFrame({'a': [3, 1, 2], 'b': [1.0, 2.0, 3.0]})\n"
SHOW = "for name in ('table', 'part', 'column', 'held'):\n    print(globals().get(name))\n"
WARNED = (
    "with warnings.catch_warnings(record=True) as given:\n"
    "    warnings.simplefilter('always')\n"
    "    try:\n"
    "        {change}\n"
    "    except TypeError as error:\n"
    "        print(error)\n"
    "print([str(each.message) for each in given])\n"
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[KeepingKernel]]:
    """Two kernels, the first of which will keep and restore."""
    both = [KeepingKernel(tmp_path_factory.mktemp(name)) for name in ("keeping", "plain")]
    with both[0].session, both[1].session:
        yield both


@pytest.fixture
def kernels(both: list[KeepingKernel]) -> Iterator[list[KeepingKernel]]:
    """The two, which forget all names after each test."""
    yield both
    for kernel in both:
        kernel.run("%reset -sf")


@pytest.mark.parametrize(
    ("makes", "names", "uses"),
    [
        ("part = table[table.a > 1]", "part", WARNED.format(change="part['c'] = 1")),
        ("part = table[table.a > 1]\ndel table", "part", WARNED.format(change="part['c'] = 1")),
        ("part = table.head(2)", "table", WARNED.format(change="part['a'] = 5")),
        ("part = table['b'][1:]", "part", WARNED.format(change="part[1] = 5.0")),
        ("column = table['a']", "column", WARNED.format(change="column[0] = 1.5")),
        ("column = table['a']", "table", "print(table['a'] is column)"),
        ("column = table['a']\ntable['a'] = 1", "table",
         WARNED.format(change="column[0] = 7")),
        ("days = pd.Series(pd.date_range('2020', periods=3))\npart = days.dt.month", "part",
         WARNED.format(change="part[0] = 5")),
        ("held = [table['a'], table.iloc[1:]]", "held", WARNED.format(change="held[1]['a'] = 7")),
    ],
)  # fmt: skip
def test_what_is_restored_writes_and_warns_as_it_would_have(
    kernels: list[KeepingKernel], makes: str, names: str, uses: str
) -> None:
    shown = []
    for kernel in kernels:
        kernel.run(f"{IMPORTS}{TABLE}{makes}\n")
        if kernel is kernels[0]:
            kernel.through_files(names)
        shown.append(kernel.run(f"{uses}\n{SHOW}"))
    assert shown[0] == shown[1]


@columns_share_memory
def test_a_part_of_a_table_that_no_name_leads_to_is_not_kept(
    kernels: list[KeepingKernel],
) -> None:
    kernel = kernels[0]
    kernel.run(
        f"{IMPORTS}{TABLE}part = table[table.a > 1]\nget_ipython().hidden = table\ndel table"
    )
    assert kernel.causes("part") == {"part": "the table that it was cut from is not kept with it"}
    kernel.run("del get_ipython().hidden")
    assert kernel.causes("part") == {"part": ""}


def test_a_copy_of_a_table_is_kept_apart_though_its_index_shares_memory(
    kernels: list[KeepingKernel],
) -> None:
    kernel = kernels[0]
    kernel.run(f"{IMPORTS}{TABLE}table.index = ['x', 'y', 'z']\nother = table.copy()")
    assert kernel.causes("table", "other") == {"table": "", "other": ""}


@columns_share_memory
def test_tables_that_have_the_very_same_index_are_not(kernels: list[KeepingKernel]) -> None:
    kernel = kernels[0]
    kernel.run(f"{IMPORTS}{TABLE}sums = table.b * 2")
    kernel.through_files("sums")
    kernel.run("sums.index.name = 'n'")
    assert kernel.run("table.index.name") == "n"
