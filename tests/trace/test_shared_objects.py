"""Names that hold one object, however they came to share it and parted again."""

from __future__ import annotations

import random

import pytest

from pytest_nbsafe.trace.lineage import LineageTable
from pytest_nbsafe.trace.results import Record

NAMES = "abcdefgh"


def changed_with(table: LineageTable, name: str, step: int) -> set[str]:
    before = len(table.versions)
    table.apply(record(step, mutates={name: frozenset()}))
    return {version.name for version in table.versions[before:]}


def record(
    step: int,
    *,
    writes: dict[str, frozenset[str]] | None = None,
    mutates: dict[str, frozenset[str]] | None = None,
    deletes: frozenset[str] = frozenset(),
    aliases: tuple[frozenset[str], ...] = (),
) -> Record:
    return Record(
        at=(step, 1),
        cell=1,
        line=1,
        reads=frozenset(),
        writes=writes or {},
        mutates=mutates or {},
        deletes=deletes,
        aliases=aliases,
        imports=False,
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_change_reaches_just_the_names_of_the_object(seed: int) -> None:
    draw = random.Random(seed)
    table = LineageTable()
    groups: list[set[str]] = []
    for step in range(1, 80):
        name = draw.choice(NAMES)
        if draw.random() < 0.2:
            table.apply(record(step, deletes=frozenset(name)))
            groups = [group - {name} for group in groups]
        else:
            shared = frozenset({name, *draw.sample(NAMES, draw.randrange(3))})
            table.apply(record(step, writes={name: frozenset()}, aliases=(shared,)))
            groups = [group - {name} for group in groups]
            joined = [group for group in groups if group & shared]
            groups = [group for group in groups if not group & shared]
            groups.append(set(shared).union(*joined))
        asked = draw.choice(NAMES)
        held = next((group for group in groups if asked in group), {asked})
        assert changed_with(table, asked, step) == held
