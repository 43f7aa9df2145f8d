"""Tells the host what is kept by now."""

from __future__ import annotations

import json

from .. import bootstrap
from ..checkpoint_contract import CollectQuestion, Kept
from .keep import tasks


def ask(question: str) -> None:
    """Answer what is kept; the answer leaves with the reply to the request."""
    asked: CollectQuestion = json.loads(question)
    task = tasks.get(asked["ticket"])
    if task is None:
        cause = f"nothing is kept under the number {asked['ticket']}"
        kept: Kept = {"done": True, "covariables": [], "cause": cause, "cost_s": 0.0}
    else:
        kept = task.collect(asked["wait_s"], stop=asked["stop"])
    bootstrap.answer(json.dumps(kept))
