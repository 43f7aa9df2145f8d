"""Answers to questions that hang on all that has run: what a kernel was asked, and told, before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_nbsafe.resume import world
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.world import Uses
from pytest_nbsafe.store.list_hash import hashed


def of_now(question: str, past: Sequence[PastRun], *, lines: bool = False) -> str:
    """Return the key of a question about all that has run; with `lines`, about its lines."""
    parts = [part for p in past for part in (p.entry, p.source)[: 1 + lines]]
    return hashed(question, *parts)


def known(memory: Memory, question: str) -> Any:
    """Return what was kept of an answer.

    None where nothing was, where what it hangs on has changed, or where all is to be verified.
    """
    is_asked = memory.verifier is None
    for entry in memory.store.entries(memory.context, question)[:1] if is_asked else ():
        uses: Sequence[Uses] = entry.content["uses"]
        if not any(world.changed(each, memory.environ) for each in uses):
            memory.used.note(entry.id, uses)
            return entry.content["answer"]
    return None


def keep(
    memory: Memory, question: str, answer: Mapping[str, Any], uses: Sequence[Uses], cost_s: float
) -> None:
    """Keep an answer that it took so many seconds to give, and what it hangs on beyond names."""
    content = {"answer": answer, "uses": uses}
    name = memory.store.add(memory.context, question, memory.notebook, content, cost_s)
    memory.used.note(name, uses)
