"""What a kernel holds between two runs: the question, and what its answer means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from pytest_nbsafe.kernel.contract import PACKAGE, Sweep
from pytest_nbsafe.trace.events import values
from pytest_nbsafe.trace.sessions import Holding

LIMIT_S = 120.0
"""How long a kernel may take to compare all that it holds."""


def question(*, names: bool) -> str:
    """Return the expression that asks a kernel what it holds."""
    return f"__import__('{PACKAGE}.sweep', fromlist=['sweep']).ask({names})"


def answer(reply: Mapping[str, Any] | None) -> Holding | None:
    """Return what the kernel holds, None when it did not tell."""
    content = reply["content"] if reply else {}
    for payload in content.get("payload") or ():
        if payload.get("source") == PACKAGE:
            found = cast("Sweep", json.loads(payload["answer"]))
            return Holding(values(found["names"]), found["beside"], found["shared"])
    return None
