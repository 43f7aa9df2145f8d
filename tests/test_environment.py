"""What has changed between two environments, in the words of a message."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_nbsafe.environment import GONE, Entry, Environment, changes
from pytest_nbsafe.values import replace

LOCKED = Environment(
    "3.11.7",
    "Linux x86_64",
    packages=(Entry("numpy", "2.0.0"), Entry("pandas", "2.2.3")),
    files=(Entry("data/prices.csv", "aa"), Entry("helpers.py", "bb")),
    seeds=("random.seed(1)",),
    variables=("API_TOKEN",),
)


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ({}, ()),
        ({"packages": (Entry("pandas", "3.0.1"),)}, ("pandas 2.2.3 -> 3.0.1",)),
        ({"packages": (*LOCKED.packages, Entry("scipy", "1"))}, ()),
        (
            {"files": (Entry("data/prices.csv", GONE), Entry("helpers.py", "cc"))},
            ("data/prices.csv is gone", "helpers.py changed"),
        ),
        ({"files": ()}, ()),
        ({"python": "3.12.1"}, ("Python 3.11.7 -> 3.12.1",)),
        ({"platform": "Darwin arm64"}, ("platform Linux x86_64 -> Darwin arm64",)),
        ({"seeds": ()}, ("seeds random.seed(1) -> none",)),
        ({"variables": ()}, ("API_TOKEN is not set",)),
        ({"variables": ("API_TOKEN", "MODE")}, ("MODE is set",)),
    ],
)
def test_each_change_is_told(now: dict[str, Any], says: tuple[str, ...]) -> None:
    assert says == changes(LOCKED, replace(LOCKED, **now))


def test_packages_come_first() -> None:
    now = replace(LOCKED, python="3.12.1", packages=(Entry("pandas", "3"),), variables=())
    said = ("pandas 2.2.3 -> 3", "Python 3.11.7 -> 3.12.1", "API_TOKEN is not set")
    assert said == changes(LOCKED, now)
