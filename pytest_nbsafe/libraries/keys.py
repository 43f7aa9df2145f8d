"""The sections of a library's data file, and the keys of their tables, each with what it says.

They stand in `schema/keys.toml`. The same sections and keys are read from a user's
`[tool.nbsafe.libraries.NAME]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_nbsafe.libraries.word_tables import parse

Keys = Mapping[str, str]
"""What each key says."""


def _read() -> Mapping[str, Mapping[str, Keys]]:
    """Return the tables of the file, by the word before the dot and then by that behind it."""
    tables: dict[str, dict[str, Keys]] = {}
    file = Path(__file__).parent / "schema" / "keys.toml"
    for group, title, table in parse(file.read_text(encoding="utf-8")):
        says = {key: " ".join(words) for key, words in table.items()}
        tables.setdefault(group, {})[title] = says
    return tables


_TABLES = _read()

ROLES = _TABLES["role"][""]
"""What a class is for."""
EFFECTS = _TABLES["effect"][""]
"""What a function or method returns, in terms of the rows that it is given."""
TRAITS = _TABLES["trait"][""]
"""What more can be said of the classes of a table."""
GENERAL = {
    **{effect: effect for effect in EFFECTS},
    **{effect: general for general, finer in _TABLES["kind"].items() for effect in finer},
}
"""The effect that each effect is a kind of: "statistic" for "quantile", itself for itself."""

_FINER = {effect: says for finer in _TABLES["kind"].values() for effect, says in finer.items()}
SECTIONS: Mapping[str, Keys] = {
    "leakage": {**ROLES, **EFFECTS, **TRAITS, **_FINER, **_TABLES["other"][""]},
    **_TABLES["user"],
}
"""The sections that a user may write, too."""
OWN_SECTIONS = _TABLES["own"]
"""The sections of our own data files alone."""
