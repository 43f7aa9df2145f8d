"""An axis that tables have in common is renamed through one of them: the others are no less so.

What else a cell reaches without a word of it stands beside: names that a function looks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import tiers

from resume.shown_pages import assert_as_in_full

pytestmark = pytest.mark.kernel

COLUMN = "import pandas as pd\ns = pd.Series(range(5), index=list('abcde'))"
TABLE = "import pandas as pd\ndf = pd.DataFrame({c: [1.0, 2.0, 4.0] for c in 'abc'})"
PAGES = (
    (TABLE, "few = df.corr()", "df.columns.name = 'all'\nprint(few.columns.name)", "print(few)"),
    (COLUMN, "t, u = s * 2, pd.DataFrame({'s': s})", "s.index.name = 'all'", "print(t, u)"),
    (COLUMN, "t = {'a': s * 2}", "s.index.names = ['all']", "print(t['a'].index.name)"),
    (COLUMN, "t = s * 2", "ix = s.index", "ix.name = 'all'", "print(t)"),
    (COLUMN, "t = s * 2", "s.index.rename('all', inplace=True)", "print(t)"),
    (
        COLUMN,
        "def rename(t):\n    t.index.name = 'all'",
        "t = s * 2",
        "rename(s)\nprint(t.index.name)",
        "print(t)",
    ),
    (
        "def total():\n    return sum(len(v) for n, v in globals().items() if n[:3] == 'xs_')",
        "xs_a = [1, 2]",
        "xs_b = [1, 2, 3]",
        "print(total())",
    ),
)


@pytest.mark.parametrize("page", tiers.sampled(PAGES, PAGES[6].__eq__, 3))
def test_whichever_cell_is_edited(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, page: Sequence[str]
) -> None:
    if "pandas" in page[0]:
        pytest.importorskip("pandas")
    assert_as_in_full(own_store, monkeypatch, page)
