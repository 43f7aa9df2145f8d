"""What a cell prints beside what it asks the clock or the machine is compared."""

from __future__ import annotations

import pytest
from page_runs import why

CLOCK = """\
# %% [1]
from datetime import datetime
accuracy = 0.71
# %% [2]
now = datetime.now()
print("run at", now)
print("accuracy", accuracy)
#> run at 1999-01-01
#> accuracy 0.99
"""


def test_what_is_printed_beside_the_clock_is_compared() -> None:
    assert why(CLOCK, {2: "run at 2026-11-23\naccuracy 0.71"}) == {2: ""}
    assert why(CLOCK, {2: "run at 2026-11-23\naccuracy 0.99"}) == {}
    unsaved = CLOCK.replace("#> run at 1999-01-01\n#> accuracy 0.99\n", "# %% [3]\n1\n#> 1\n")
    assert why(unsaved, {2: "run at 2026-11-23\naccuracy 0.71"}) == {2: ""}


def test_what_is_printed_beside_a_call_that_binds_nothing_is_compared() -> None:
    text = CLOCK.replace("now = datetime.now()\n", "now = 3\ngc.collect()\n")
    assert why(text, {2: "run at 1999-01-01\naccuracy 0.71"}) == {2: ""}
    assert why("# %% [1]\nimport gc\ngc.collect()\n#> 12\n", {1: "34"}) == {}


def test_the_recorded_order_may_explain_what_is_printed_beside_the_clock() -> None:
    clean, replayed = "run at 2026-11-23\naccuracy 0.71", "run at 2026-11-24\naccuracy 0.99"
    assert why(CLOCK, {2: clean}, replay={2: replayed}) == {2: "order"}


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('print("accuracy", accuracy)', 'print("accuracy", now.day)'),
        ('print("accuracy", accuracy)', 'days = now.day\nprint("accuracy", days)'),
        ("now = datetime.now()", "now = datetime.now()\nsend(now)"),
        ("now = datetime.now()", "now = datetime.now()\nif now.day > 3:\n    accuracy = 0.9"),
        ("now = datetime.now()", "now = datetime.now()\naccuracy = score(now)"),
        ("now = datetime.now()", "now = datetime.now()\nThread(target=work).start()"),
        ('print("accuracy", accuracy)', "print(accuracy)"),
    ],
)
def test_what_the_clock_may_have_a_part_in_is_not(line: str, instead: str) -> None:
    text = CLOCK.replace(line, instead)
    assert why(text, {2: "run at 2026-11-23\naccuracy 0.71"}) == {}
    twice = CLOCK.replace("now)\n", 'now)\nprint("accuracy since", now)\n')
    assert why(twice, {2: "run at 2026-11-23\naccuracy since 2026-11-23\naccuracy 0.71"}) == {}
