"""When cells log: the time of a record, where it is shown, or a record is made to be looked at."""

from __future__ import annotations

import logging
from typing import Any

from ..functions.stand_in import exchange
from .callers import Callers
from .hindrances import Hindrances
from .telling import Told


def watch_log_times(callers: Callers, hindrances: Hindrances) -> None:
    """Tell of times of records that cells log; a library that logs for itself is let be."""

    def told(*_: Any, **__: Any) -> None:
        if hindrances.on and callers.is_users(callers.beyond_python()):
            hindrances.add("clock", "it tells when it logged")

    for function in (logging.Formatter.formatTime, logging.makeLogRecord):
        exchange(function, lambda original: Told(original, told))
