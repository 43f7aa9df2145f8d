"""What tracing costs a kernel: its CPU time over the cells, traced against plain.

One figure is the CPU time that the kernel's process, all its threads, takes from just before the
first cell to just after the last, imports of the cells and the sending of outputs with it, the
start of the kernel and of the tracer without. The contenders take turns, each run in a kernel
of its own, and the ratios are those of the medians of one run of this program.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pytest_nbsafe.kernel.contract import MIME  # noqa: E402
from pytest_nbsafe.notebook import load  # noqa: E402
from pytest_nbsafe.runner import island  # noqa: E402

TIME_LIMIT_S = 300
CLOCK = {"cpu": "__import__('time').process_time()"}


class Contender(NamedTuple):
    """A kernel: the module that starts it, in which Python, and what is sent to it first."""

    python: str
    module: str = "ipykernel_launcher"
    setup: str = ""


class Taken(NamedTuple):
    """What one run of a notebook took: CPU seconds; values answered, and how many unknown."""

    cpu_s: float
    values: int
    unknown: int


def sources(path: Path) -> list[str]:
    """Return the code cells of a notebook."""
    return [cell.source for cell in load.read(path).code_cells]


def run(contender: Contender, cells: Sequence[str]) -> Taken:
    """Run cells in a kernel of their own."""
    manager = KernelManager(transport="ipc" if sys.platform != "win32" else "tcp")
    argv = [contender.python, "-m", contender.module, "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=argv, display_name="", language="python")
    manager.start_kernel()
    client = manager.client()
    payloads: list[Mapping[str, Any]] = []
    try:
        client.start_channels()
        client.wait_for_ready(timeout=60)
        if contender.setup:
            _silent(client, {"setup": contender.setup})
        before = _clock(client)
        for cell in cells:
            reply = client.execute_interactive(cell, output_hook=_drop, timeout=TIME_LIMIT_S)
            payloads += reply["content"].get("payload", ())
        cpu_s = _clock(client) - before
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    answers = list(_answers([json.loads(p["run"]) for p in payloads if p.get("source") == MIME]))
    return Taken(cpu_s, len(answers), answers.count(""))


def _drop(_message: Mapping[str, Any]) -> None:
    """Take an output and forget it."""


def _silent(client: Any, expressions: Mapping[str, str]) -> Any:
    reply = client.execute(
        "",
        silent=True,
        store_history=False,
        user_expressions=dict(expressions),
        reply=True,
        timeout=60,
    )
    found = reply["content"]["user_expressions"]
    if any(answer["status"] != "ok" for answer in found.values()):
        raise SystemExit(f"the kernel could not be prepared: {reply['content']}")
    return found


def _clock(client: Any) -> float:
    return float(_silent(client, CLOCK)["cpu"]["data"]["text/plain"])


def _answers(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for event in events:
        for values in (event["before"], event["after"]):
            yield from (value["hash"] for value in values.values())


def measure(
    contenders: Mapping[str, Contender], cells: Sequence[str], rounds: int
) -> dict[str, Taken]:
    """Return each contender's median CPU seconds; they take turns."""
    taken: dict[str, list[Taken]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            taken[name].append(run(contender, cells))
    return {
        name: runs[0]._replace(cpu_s=statistics.median(r.cpu_s for r in runs))
        for name, runs in taken.items()
    }


def main() -> None:
    """Measure, and print one line a notebook and the median of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of notebooks, or one notebook")
    parser.add_argument("--python", action="append", help="of a kernel; may be said several times")
    parser.add_argument("--ipyflow", help="the python of an environment with ipyflow")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder: Path = options.folder
    paths = sorted(folder.glob("*.ipynb")) if folder.is_dir() else [folder]
    for python in options.python or [sys.executable]:
        _report(python, options.ipyflow, paths, options.rounds)


def _report(python: str, ipyflow: str | None, paths: Sequence[Path], rounds: int) -> None:
    contenders = {
        "plain": Contender(python),
        "traced": Contender(python, setup=island.installer(trace=True)),
    }
    if ipyflow is not None:
        contenders["plain beside ipyflow"] = Contender(ipyflow)
        contenders["ipyflow"] = Contender(ipyflow, "ipyflow.kernel")
    sys.stdout.write(f"{python}, median of {rounds}\n")
    ratios, values, unknown = [], 0, 0
    for path in paths:
        found = measure(contenders, sources(path), rounds)
        plain, traced = found["plain"], found["traced"]
        ratios.append(traced.cpu_s / plain.cpu_s)
        values, unknown = values + traced.values, unknown + traced.unknown
        line = f"  {path.stem:22} plain {plain.cpu_s:6.3f} s   traced x {ratios[-1]:5.3f}"
        line += f"   unknown {traced.unknown} of {traced.values}"
        if ipyflow is not None:
            ratio = found["ipyflow"].cpu_s / found["plain beside ipyflow"].cpu_s
            line += f"   ipyflow x {ratio:5.2f}"
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    sys.stdout.write(f"  median x {statistics.median(ratios):.3f}, worst x {max(ratios):.3f}")
    sys.stdout.write(f", unknown {unknown} of {values} ({unknown / max(values, 1):.1%})\n")


if __name__ == "__main__":
    main()
