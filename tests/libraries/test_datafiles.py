"""The data files: found by a walk over the folder, and read as a parser reads them."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.libraries import datafiles, word_tables
from pytest_nbsafe.libraries.keys import OWN_SECTIONS, SECTIONS

FILES = sorted(datafiles.FOLDER.glob("*.toml"))


def _by_a_parser(text: str) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    tables: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for section, entries in tomllib.loads(text).items():
        for key, value in entries.items():
            titled: dict[str, Any] = value if isinstance(value, dict) else {key: value}
            table = tables.setdefault((section, key if isinstance(value, dict) else ""), {})
            table.update({name: tuple(words.split()) for name, words in titled.items()})
    return tables


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_quick_reader_reads_what_a_parser_reads(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    read = {(section, title): dict(table) for section, title, table in word_tables.parse(text)}
    assert _by_a_parser(text) == read
    assert len(word_tables.parse(text)) == len(read)


def test_a_section_holds_the_tables_of_all_files() -> None:
    tables = [t for f in FILES for t in word_tables.parse(f.read_text(encoding="utf-8"))]
    for name in {section for section, _, _ in tables}:
        expected = tuple((title, table) for section, title, table in tables if section == name)
        assert expected == datafiles.section(name)


# -- what the files hold ---------------------------------------------------------------------------

ROOTS = {"sklearn": {"estimator", "splitter"}, "matplotlib": {"pylab"}}
"""Tables that stand in the file of a library though they are called otherwise."""
PLAIN = {"python"}
"""Files that are about no library, whose tables are called as they like."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sections_and_keys_are_known(path: Path) -> None:
    known = {**SECTIONS, **OWN_SECTIONS}
    for section, title, table in word_tables.parse(path.read_text(encoding="utf-8")):
        assert section in known
        assert set(table) <= set(known[section]), (section, title)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_holds_what_is_known_of_one_library(path: Path) -> None:
    tables = word_tables.parse(path.read_text(encoding="utf-8"))
    roots = {re.split(r"[.*]", title)[0] for section, title, _ in tables if title}
    if path.stem not in PLAIN:
        assert roots <= {path.stem, *ROOTS.get(path.stem, ())}


@pytest.mark.parametrize("name", [*SECTIONS, *OWN_SECTIONS])
def test_every_section_is_read(name: str) -> None:
    asked = re.compile(rf"""\b(?:section|words|phrase)\(\s*"{name}[."]""")
    package = datafiles.FOLDER.parent
    assert any(asked.search(file.read_text(encoding="utf-8")) for file in package.rglob("*.py"))
