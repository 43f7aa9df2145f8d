"""Takes note of the fit log after each run; numpy is there once there is a log."""

from __future__ import annotations

from typing import Any

from ..learning.desk import Desk
from ..learning_contract import LogNote


def note_run(
    desk: Desk, run: int, home: dict[str, Any], own: list[str], touched: set[str]
) -> LogNote | None:
    """Take note of what is known of learning after a run that may have `touched` some names."""
    if desk.fit_log is None or desk.is_resting or not desk.on:
        return None
    with desk:
        if desk.logs is None:
            from .carried_log import CarriedLogs

            desk.logs = CarriedLogs()
        about = desk.fit_log, run, home, own, touched
        noted: LogNote | None = desk.logs.note(*about, has_changed=bool(desk.libraries))
        return noted
    return None
