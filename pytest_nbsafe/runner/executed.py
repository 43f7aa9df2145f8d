"""What came back from the kernel for one run of a cell, and its form on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pytest_nbsafe.kernel.contract import CellRun, Inputs, SideRun
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.trace.results import RunStatus
from pytest_nbsafe.trace.updated_displays import Displays
from pytest_nbsafe.values import dataclass, field

UNSENT = "unsent"
"""Is in a reply that no kernel gave: its text cannot be sent to one."""
Heard = Callable[[str, Mapping[str, Any]], None]
"""Is told kind and content of each message of the output channel, as it comes."""


@dataclass(frozen=True, slots=True)
class Executed:
    """A run as the kernel told of it: its reply, the island's event, and what was shown.

    `reason` says why it has another status than `ok`. `reply` is None when none came, `event` when
    the island was silent. `duration_s` is by the clock. With `reused` nothing ran: this is what an
    earlier run gave. Before one that ran, others were made again for `again_s`, for what they hold;
    it ran `since` something was not as when another did, empty where none did.
    """

    status: RunStatus
    reason: str = ""
    reply: Mapping[str, Any] | None = None
    event: CellRun | None = None
    outputs: tuple[Output, ...] = ()
    displays: Displays = field(default_factory=Displays)
    duration_s: float = 0.0
    reused: bool = False
    again_s: float = 0.0
    since: str = ""

    @property
    def inputs(self) -> Inputs | None:
        """What it used and did beyond the names, None where that is not known."""
        return inputs_of(self.event)


def inputs_of(event: CellRun | None) -> Inputs | None:
    """Return what a run used and did beyond the names, None where that is not known."""
    return event["inputs"] if event is not None else None


def of_side_run(run: SideRun, raw: str) -> Executed:
    """Return a run on the side; `raw` is what compiled code wrote past Python in it."""
    collector = Collector()
    for kind, content in run["messages"]:
        collector.add(kind, content)
    if raw:
        collector.add("stream", {"name": "stdout", "text": raw})
    return Executed(
        "ok",
        reply=run["reply"],
        event=run["event"],
        outputs=collector.outputs(),
        displays=collector.displays(),
    )


def tell(executed: Executed, heard: Heard | None) -> None:
    """Tell who listens what a run showed, as if it was shown now."""
    if heard is None:
        return
    for output in executed.outputs:
        if output.kind == "stream":
            heard("stream", {"name": output.name, "text": output.text})
        elif output.kind != "error":
            heard(output.kind, {"data": {"text/plain": output.text}})


_REPLY = ("status", "ename", "evalue", "traceback")
"""What is read of a reply, see `failures.as_failure`."""


def pack(executed: Executed) -> dict[str, Any]:
    """Return a run as values of JSON."""
    reply = executed.reply
    return {
        "status": executed.status,
        "reason": executed.reason,
        "reply": None if reply is None else {key: reply[key] for key in _REPLY if key in reply},
        "event": executed.event,
        "outputs": [_packed(output) for output in executed.outputs],
        "displays": {
            "own": {each: list(indexes) for each, indexes in executed.displays.own.items()},
            "updates": {each: _packed(o) for each, o in executed.displays.updates.items()},
        },
        "duration_s": executed.duration_s,
    }


def unpack(packed: Mapping[str, Any]) -> Executed:
    """Return the run that `pack` has made these values of."""
    return Executed(
        packed["status"],
        packed["reason"],
        packed["reply"],
        cast("CellRun | None", packed["event"]),
        tuple(map(_unpacked, packed["outputs"])),
        Displays(
            {each: tuple(indexes) for each, indexes in packed["displays"]["own"].items()},
            {each: _unpacked(o) for each, o in packed["displays"]["updates"].items()},
        ),
        packed["duration_s"],
    )


def _unpacked(output: Mapping[str, Any]) -> Output:
    return Output(**{**output, "traceback": tuple(output["traceback"])})


def _packed(output: Output) -> dict[str, Any]:
    return {
        "kind": output.kind,
        "text": output.text,
        "name": output.name,
        "data": dict(output.data),
        "ename": output.ename,
        "evalue": output.evalue,
        "traceback": list(output.traceback),
    }
