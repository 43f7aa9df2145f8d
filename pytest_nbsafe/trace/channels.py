"""What passes from cell to cell other than through names: files that are written and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_nbsafe.analysis import files
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.trace.model import Record
from pytest_nbsafe.values import replace


def with_files(graph: Graph, records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records with the files that their statements write and read, as symbols.

    What is written to a file that is open under a name flows into the file through that name.

    Source: Macke et al. 2021, Table 1, which knows names only.
    """
    used = files.of_notebook(graph)
    if not used:
        return tuple(records)
    nothing: Mapping[int, files.Files] = {}
    return tuple(
        _with_files(record, used.get(record.cell, nothing).get(record.line)) for record in records
    )


def _with_files(record: Record, used: files.Files | None) -> Record:
    if used is None:
        return record
    written = dict.fromkeys(used.writes, record.reads | used.reads)
    return replace(
        record,
        reads=record.reads | used.reads,
        writes={
            **{name: parents | used.reads for name, parents in record.writes.items()},
            **written,
        },
        aliases=(*record.aliases, *(frozenset(pair) for pair in used.opened)),
    )
