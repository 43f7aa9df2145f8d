"""What a remembering kernel remembers with, and which texts are run whatever is known of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from pytest_nbsafe.resume import questions
from pytest_nbsafe.resume.learners import NO_LEARNERS, Learners
from pytest_nbsafe.resume.used import Used
from pytest_nbsafe.store.database import Store
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Memory:
    """What a remembering kernel remembers with.

    `context` stands for all that every run of the kernel depends on: its Python, the packages, the
    settings of the tracer. `notebook` names what it is for. `unfit` gives the texts whose outcome
    cannot be known, each with the reason; `changes` the names that a text changes. `environ` is the
    environment that its process would have.
    With `keeps` values are kept, too, and loaded again, and what is known of who learned from which
    rows. Where there is a `verifier` everything is run, and it is told what would have been reused
    but comes out otherwise. `used` takes note of what its answers hang on.
    """

    store: Store
    context: str
    notebook: str
    unfit: Mapping[str, str]
    changes: Mapping[str, Collection[str]]
    environ: Mapping[str, str]
    keeps: bool = False
    learners: Learners = NO_LEARNERS
    verifier: Callable[[str], None] | None = None
    used: Used = field(default_factory=Used, compare=False)


def why_unfit(memory: Memory, source: str) -> str:
    """Return why a text has to be run whatever is known of it, empty where it need not be."""
    if questions.asks_history(source):
        return "it asks for earlier runs"
    if source in memory.unfit:
        return memory.unfit[source]
    varies = memory.store.entries(memory.context, _of_varying(source))
    return "it gave something else when it was run again" if varies else ""


def to_run(memory: Memory, sources: Iterable[str]) -> list[str]:
    """Return those of some texts that will surely have to run, whatever ran before them."""
    return [
        source
        for source in sources
        if not memory.store.entries(memory.context, questions.of_cell(source))
        or why_unfit(memory, source)
    ]


def note_varying(memory: Memory, source: str, entry: str) -> None:
    """Take note that a text gave something else when it was run again than an entry tells."""
    memory.store.forget([entry])
    memory.store.add(memory.context, _of_varying(source), memory.notebook, {}, 0.0)


def _of_varying(source: str) -> str:
    return hashed("varies", questions.of_cell(source))
