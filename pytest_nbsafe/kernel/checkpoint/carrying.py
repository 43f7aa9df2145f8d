"""Does what the host asks about the fit log: the log itself is loaded once numpy has been."""

from __future__ import annotations

import json
from typing import Any

from .. import bootstrap
from ..checkpoint_contract import CarryQuestion
from .undisturbed import undisturbed


def ask(question: str) -> None:
    """Do what is asked; the answer leaves with the reply to its request."""
    asked: CarryQuestion = json.loads(question)
    try:
        answer = _answer(bootstrap.tracers[-1], asked)
    except Exception as error:
        answer = {"cause": f"the log could not be carried: {error!r}", "arrays": None}
    bootstrap.answer(json.dumps(answer))


def _answer(tracer: Any, asked: CarryQuestion) -> Any:
    desk, done = tracer.desk, {"cause": "", "arrays": None}
    if asked["do"] in {"again", "anew"}:
        is_followed = desk is not None and desk.on and not desk.is_resting
        tracer.links.rests = asked["do"] == "again" and not is_followed
        return done
    if desk is None or not desk.on:
        return {**done, "cause": "nothing is watched"}
    if asked["do"] == "rest":
        desk.is_resting = True
        return done
    if asked["do"] == "keep":
        return desk.logs.kept(asked["folder"]) if desk.logs is not None else done
    if desk.fit_log is None:
        return {**done, "cause": "nothing that learns is loaded"}
    from .carried_log import restore

    with undisturbed():
        restore(desk, tracer.home, asked)
    return done
