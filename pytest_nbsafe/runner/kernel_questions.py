"""Questions to a kernel beside its runs, and what the answers mean.

What would cells do that run on the side, and what does the kernel hold?
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from pytest_nbsafe.kernel.contract import (
    ASIDE,
    PACKAGE,
    STATE,
    Answer,
    HostQuestion,
    SideRun,
    Sweep,
    no_answer,
)
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.trace.events import values
from pytest_nbsafe.trace.results import Holding

LIMIT_S = 10.0
"""How long cells may run on the side: what takes longer is seldom worth the wait."""
SWEEP_LIMIT_S = 120.0
"""How long a kernel may take to compare all that it holds."""
FORKS = True
"""Whether kernels are forked where they can be; tests turn it off."""


def side_question(asked: HostQuestion) -> str:
    """Return the expression that asks a kernel to run cells on the side."""
    return f"__import__('{ASIDE}', fromlist=['ask']).ask({json.dumps(asked)!r})"


def side_answer(reply: Mapping[str, Any] | None) -> Answer:
    """Return what became of the cells; why nothing did, where the kernel did not answer."""
    if (answer := _payload(reply)) is not None:
        return cast("Answer", answer)
    said = reply["content"].get("user_expressions", {}).get("answer", {}) if reply else {}
    cause = f": {said['ename']}: {said['evalue']}" if said.get("status") == "error" else ""
    return no_answer(f"the kernel did not answer{cause}")


def holding_question(*, names: bool) -> str:
    """Return the expression that asks a kernel what it holds."""
    return f"__import__('{STATE}', fromlist=['ask']).ask({names})"


def holding_answer(reply: Mapping[str, Any] | None) -> Holding | None:
    """Return what the kernel holds, None when it did not tell."""
    if (answer := _payload(reply)) is None:
        return None
    sweep = cast("Sweep", answer)
    return Holding(values(sweep["names"]), sweep["beside"], sweep["shared"])


def _payload(reply: Mapping[str, Any] | None) -> object:
    """Return what our code in the kernel has sent along with its reply, None if nothing."""
    for payload in reply["content"].get("payload") or () if reply else ():
        if payload.get("source") == PACKAGE:
            return json.loads(payload["answer"])
    return None


def collector(run: SideRun, raw: str) -> Collector:
    """Return what a run showed; `raw` is what compiled code wrote past Python meanwhile."""
    shown = Collector()
    for kind, content in run["messages"]:
        shown.add(kind, content)
    if raw:
        shown.add("stream", {"name": "stdout", "text": raw})
    return shown
