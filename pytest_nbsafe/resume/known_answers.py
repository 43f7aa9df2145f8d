"""Answers to questions that hang on all that has run: what a kernel was asked, and told, before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_nbsafe.resume import questions
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.past_runs import PastRun


def of_now(question: str, past: Sequence[PastRun], *, lines: bool = False) -> str:
    """Return the key of a question about all that has run; with `lines`, about its lines."""
    parts = [part for p in past for part in (p.entry, p.source)[: 1 + lines]]
    return questions.hashed(question, *parts)


def known(memory: Memory, question: str) -> Mapping[str, Any] | None:
    """Return what was kept of an answer, None where nothing was or all is to be verified."""
    is_asked = memory.verifier is None
    entries = memory.store.entries(memory.context, question) if is_asked else ()
    return entries[0].content if entries else None


def keep(memory: Memory, question: str, content: Mapping[str, Any], cost_s: float) -> None:
    """Keep an answer that it took so many seconds to give."""
    memory.store.add(memory.context, question, memory.notebook, content, cost_s)
