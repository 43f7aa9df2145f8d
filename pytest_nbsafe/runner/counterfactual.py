"""Cells that run on the side: the question to the kernel, and what its answer means."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from pytest_nbsafe.kernel.contract import PACKAGE, Answer, Question, SideRun, no_answer
from pytest_nbsafe.runner.outputs import Collector

LIMIT_S = 10.0
"""How long cells may run on the side: what takes longer is seldom worth the wait."""
MARGIN_S = 5.0
"""How much longer than the child may the kernel take to answer."""


FORKS = True
"""Whether kernels are forked where they can be; tests turn it off."""
Way = Literal["fork", "here", "look"]


def question(
    sources: Sequence[str],
    limit_s: float,
    *,
    stir: bool = False,
    follow: bool = False,
    way: Way = "fork",
) -> str:
    """Return the expression that asks a kernel to run cells on the side, the way it should."""
    asked: Question = {
        "cells": [*sources],
        "limit_s": limit_s,
        "stir": stir,
        "follow": follow,
        "way": way,
    }
    return f"__import__('{PACKAGE}.fork', fromlist=['fork']).ask({json.dumps(asked)!r})"


def answer(reply: Mapping[str, Any] | None) -> Answer:
    """Return what the kernel answered; why it did not, where it did not."""
    content = reply["content"] if reply else {}
    for payload in content.get("payload") or ():
        if payload.get("source") == PACKAGE:
            return cast("Answer", json.loads(payload["answer"]))
    said = content.get("user_expressions", {}).get("answer", {})
    cause = f": {said['ename']}: {said['evalue']}" if said.get("status") == "error" else ""
    return no_answer(f"the kernel did not answer{cause}")


def collector(run: SideRun, raw: str) -> Collector:
    """Return what a run showed; `raw` is what compiled code wrote past Python meanwhile."""
    shown = Collector()
    for kind, content in run["messages"]:
        shown.add(kind, content)
    if raw:
        shown.add("stream", {"name": "stdout", "text": raw})
    return shown
