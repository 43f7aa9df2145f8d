"""What a run shows when it is made again, compared with what was reused of it."""

from __future__ import annotations

import pytest

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.resume.repeated_runs import shows_other
from pytest_nbsafe.runner.executed import Executed


def reused(*outputs: Output) -> Executed:
    return Executed("ok", outputs=outputs, reused=True)


def made(*outputs: Output) -> Executed:
    return Executed("ok", outputs=outputs)


def printed(text: str, name: str = "stdout") -> Output:
    return Output("stream", name=name, text=text)


TABLE = "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (printed("rows: 3\n"), printed("rows: 4\n")),
        (Output("execute_result", text="'one'"), Output("execute_result", text="'two'")),
        (
            Output("display_data", text="   a\n0  1", data={"text/html": TABLE.format(1)}),
            Output("display_data", text="   a\n0  2", data={"text/html": TABLE.format(2)}),
        ),
    ],
)
def test_another_text_is_told(first: Output, again: Output) -> None:
    assert shows_other(reused(first), made(again))
    assert shows_other(reused(first), made())
    assert shows_other(reused(), made(again))
    assert not shows_other(made(first), made(again)), "nothing of it was reused"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (printed("<object at 0x7f0102030405>\n"), printed("<object at 0x7f01cafe0000>\n")),
        (printed("trained in 1.25 s\n"), printed("trained in 0.75 s\n")),
        (printed(" 10%|█         | 1/10\n"), printed(" 20%|██        | 2/10\n")),
        (printed("0.30000000000000004\n"), printed("0.3\n")),
        (printed("a warning\n", "stderr"), printed("", "stderr")),
        (
            Output("display_data", text="<Figure size 640x480 with 1 Axes>"),
            Output("display_data", text="<Figure size 640x480 with 1 Axes>"),
        ),
    ],
)
def test_what_chance_decides_is_no_difference(first: Output, again: Output) -> None:
    assert not shows_other(reused(first), made(again))


def test_a_run_without_some_imports_may_show_less() -> None:
    first = reused(printed("library 1.2\nrows: 3\n"))
    assert not shows_other(first, made(printed("rows: 3\n")), is_whole=False)
    assert shows_other(first, made(printed("rows: 3\n")))
    assert shows_other(first, made(printed("library 1.2\nrows: 4\n")), is_whole=False)


def test_false_negative_of_what_is_shown_below_what_is_missing() -> None:
    """The first difference decides, and what is missing may be that of an import left out."""
    first = reused(printed("library 1.2\nrows\n3\n"))
    assert not shows_other(first, made(printed("rows\n4\n")), is_whole=False)
