"""What a run showed to the error stream, when a comment has moved the lines of its text."""

from __future__ import annotations

import pytest

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.resume.positions import PlaceUnknown, moves
from pytest_nbsafe.resume.shown_lines import moved_outputs

OLD = "import warnings\nwarnings.warn('few')\nmodel.fit(x)\n"
NEW = f"# why\n\n{OLD}"
OF_CELL = "/tmp/ipykernel_12/34.py:{line}: UserWarning: few\n  warnings.warn('few')\n"
OF_LIBRARY = "/usr/lib/python3.12/site-packages/ml/a.py:2: ConvergenceWarning: 40 steps\n  warn(\n"


def shown(text: str, new: str = NEW, *, calls: bool = False, kind: str = "stream") -> str:
    output = Output("stream" if kind == "stream" else "error", "stderr", text)
    (moved,) = moved_outputs([output], (OLD, new), moves(OLD, new), [], calls=calls)
    return moved.text


def test_what_names_no_line_stays() -> None:
    assert shown(OF_LIBRARY) == OF_LIBRARY
    assert shown("40 rows\n") == "40 rows\n"


def test_the_line_of_a_warning_is_moved() -> None:
    assert shown(OF_CELL.format(line=2) + OF_LIBRARY) == OF_CELL.format(line=4) + OF_LIBRARY


@pytest.mark.parametrize(
    ("text", "new", "calls"),
    [
        ("log: line 2\n", NEW, False),
        (OF_CELL.format(line=2), NEW.replace("few')", "few')  # so"), False),
        (OF_CELL.format(line=2), NEW, True),
        (OF_CELL.format(line=9), NEW, False),
    ],
)
def test_what_may_show_a_line_is_not_known(text: str, new: str, calls: bool) -> None:  # noqa: FBT001
    with pytest.raises(PlaceUnknown):
        shown(text, new, calls=calls)


def test_a_traceback_is_not_moved() -> None:
    with pytest.raises(PlaceUnknown):
        shown("", kind="error")
