"""The words for what a cell did, in their three forms."""

from __future__ import annotations

import pytest

from pytest_nbsafe.analysis.state import is_random
from pytest_nbsafe.rules.wording import Action


@pytest.mark.parametrize(
    ("did", "once", "again", "done"),
    [
        (Action("made", "`a`"), "made `a`", "made `a` again", "made `a` again"),
        (Action("changed", "`a`"), "changed `a`", "changed `a`", "changed `a`"),
        (Action("drew from", "x"), "drew from x", "drew from x", "drawn from x"),
        (Action("wrote", "`f`"), "wrote `f`", "wrote `f` again", "written `f` again"),
        (Action("set", "`f`"), "set `f`", "set `f` again", "set `f` again"),
        (Action("changed", "`wrote`, drew"), *["changed `wrote`, drew"] * 3),
    ],
)
def test_words(did: Action, once: str, again: str, done: str) -> None:
    assert (did.once, did.again, did.done_again) == (once, again, done)


def test_which_state_is_random() -> None:
    assert is_random("numpy's random state")
    assert not any(map(is_random, ("df", "'my data.csv'", "os.environ['A B']", "config.RATE")))
