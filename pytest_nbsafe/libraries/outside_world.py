"""What looks at the world outside, or gives other numbers in another version: section `outside`."""

from __future__ import annotations

from functools import cache

from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class OutsideWorld:
    """Regular expressions of names, each a choice of several.

    Calls that ask the `machine` (clock, user, network, threads), `places` in its folders, or which
    `files` there are; libraries that are `versioned`, for they give other numbers from one version
    to the next, and `versioned_calls`, which load what may be another thing tomorrow.
    """

    machine: str
    places: str
    files: str
    versioned: str
    versioned_calls: str


@cache
def load(extra: str = "") -> OutsideWorld:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    keys = ("machine", "places", "files", "versioned", "versioned_calls")
    return OutsideWorld(*(alternatives(words("outside", key, extra)) for key in keys))
