"""What it costs to keep the state after each cell, side by side: ours, dill, Kishu, jupyter-cache.

Each way is compared with a plain kernel of its own environment, in turn with it. A kernel's start
is left out, but for jupyter-cache, which keeps whole notebooks and is compared with `nbclient`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

OURS = """
import json, sys, time
from contextlib import ExitStack
from pathlib import Path
from pytest_nbsafe.app import states
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.order import orderings
from pytest_nbsafe.resume.used import Reuse
path, way = Path(sys.argv[1]), sys.argv[2]
graph, config = python_graph(path, {})
facts, _ = facts_of(graph, None, config)
cells = [graph.notebook.cell(number) for number in orderings.topdown(graph).cells]
with ExitStack() as stack:
    makers = [*states.session_makers(stack, facts, graph, path, Reuse(), copies=False)]
    session = makers[way == "traced"]("clean")
    session.start()
    started = time.perf_counter()
    results = states.run_all(session, cells)
    session.close()
    print(json.dumps({"s": time.perf_counter() - started, "failed": len(states.failed(results))}))
"""
"""A session of ours: what is still to be kept when the last cell has ended is waited for."""
THEIRS = """
import json, os, sys, tempfile, time
from jupyter_client.manager import KernelManager
path, setup = sys.argv[1:]
cells = [c for c in json.load(open(path))["cells"] if c["cell_type"] == "code"]
connection = os.path.join(tempfile.mkdtemp(), "kernel-1.json")  # a dash is asked for by Kishu
manager = KernelManager(connection_file=connection)
manager.start_kernel()
client = manager.blocking_client()
client.start_channels()
client.wait_for_ready(timeout=120)
def run(source):
    reply = client.execute_interactive(source, output_hook=lambda message: None, timeout=3600)
    return reply["content"]["status"]
assert run(setup) == "ok", setup
started = time.perf_counter()
failed = sum(run("".join(cell["source"])) != "ok" for cell in cells)
took_s = time.perf_counter() - started
manager.shutdown_kernel(now=True)
print(json.dumps({"s": took_s, "failed": failed}))
"""
DILL = """
import dill as _dill, os as _os
def _keep(result, _done=[]):
    _done.append(1)
    shell = get_ipython()
    held = {{
        name: value
        for name, value in shell.user_ns.items()
        if not name.startswith("_") and name not in shell.user_ns_hidden
    }}
    file = f"{kept}/{{len(_done)}}.pkl"
    try:
        with open(file, "wb") as stream:
            _dill.dump(held, stream)
    except Exception:
        _os.rename(file, f"{{file}}.failed")
get_ipython().events.register("post_run_cell", _keep)
"""
KISHU = "from kishu import init_kishu as _init_kishu; _init_kishu({path!r})"
WHOLE = """
import json, sys, time
import nbformat
from nbclient import NotebookClient
started = time.perf_counter()
NotebookClient(nbformat.read(sys.argv[1], 4), timeout=3600, allow_errors=True).execute()
print(json.dumps({"s": time.perf_counter() - started, "failed": 0}))
"""
JUPYTER_CACHE = """
import json, sys, time
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
started = time.perf_counter()
cache = get_cache(sys.argv[2])
cache.add_nb_to_project(sys.argv[1])
done = load_executor("local-serial", cache=cache).run_and_cache(timeout=3600, allow_errors=True)
assert not done.errored and not done.excepted, done
print(json.dumps({"s": time.perf_counter() - started, "failed": 0}))
"""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Threads that wait for one another measure what else the machine does."""


class Way(NamedTuple):
    """How a notebook is run: a script, its second argument, and the way that it is held against.

    `own` says that it runs in our environment, not in that of the others.
    """

    name: str
    script: str
    setup: str
    plain: str
    own: bool = False


PLAIN, OWN_PLAIN, EXECUTED = "plain", "plain, our environment", "nbclient"
WAYS = (
    Way(OWN_PLAIN, THEIRS, "None", OWN_PLAIN, own=True),
    Way("ours, traced", OURS, "traced", OWN_PLAIN, own=True),
    Way("ours, --resume", OURS, "kept", OWN_PLAIN, own=True),
    Way(PLAIN, THEIRS, "None", PLAIN),
    Way("dill, whole session", THEIRS, DILL, PLAIN),
    Way("Kishu", THEIRS, KISHU, PLAIN),
    Way("Kishu, experimental", THEIRS, KISHU, PLAIN),
    Way(EXECUTED, WHOLE, "", EXECUTED),
    Way("jupyter-cache", JUPYTER_CACHE, "{kept}", EXECUTED),
)


class Cost(NamedTuple):
    """What a way took: seconds, bytes on disk, and how many cells failed."""

    seconds: float
    held: int
    failed: int


def cost(way: Way, notebook: Path, python: str) -> Cost | str:
    """Return what a way takes for a notebook, or the last line of why it does not work."""
    with tempfile.TemporaryDirectory() as folder:
        path, kept = Path(folder, "nbs", notebook.name), Path(folder, "kept")
        path.parent.mkdir()
        kept.mkdir(mode=0o700)
        shutil.copyfile(notebook, path)
        if way.name.endswith("experimental"):
            (kept / ".kishu").mkdir()
            (kept / ".kishu" / "config.ini").write_text(
                "[IDGRAPH]\nexperimental_tracker = True\n", encoding="utf-8"
            )
        environ = {**os.environ, "NBSAFE_CACHE_DIR": str(kept), "KISHU_PATH_ROOT": str(kept)}
        environ |= ONE_THREAD
        setup = way.setup.format(path=str(path), kept=kept)
        command = [sys.executable if way.own else python, "-c", way.script, str(path), setup]
        ran = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
        if ran.returncode:
            return (ran.stderr.strip().splitlines() or ["it failed"])[-1]
        told = json.loads(ran.stdout.strip().splitlines()[-1])
        new = [file for file in Path(folder).rglob("*") if file.is_file() and file != path]
        held = sum(file.stat().st_size for file in new)
        failed = told["failed"] + sum(file.suffix == ".failed" for file in new)
        return Cost(told["s"], held, failed)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def measure(notebook: Path, ways: list[Way], python: str, times: int) -> None:
    """Print what each way takes for a notebook, in the median of so many rounds."""
    say(notebook.name)
    costs: dict[str, list[Cost]] = {way.name: [] for way in ways}
    for _ in range(times):
        for way in ways:
            took = cost(way, notebook, python)
            if isinstance(took, Cost):
                costs[way.name].append(took)
            elif not costs[way.name]:
                say(f"  {way.name:24} does not work: {took[:120]}")
    for way in ways:
        if not costs[way.name] or not costs[way.plain]:
            continue
        took_s, plain_s = (
            statistics.median(each.seconds for each in costs[name])
            for name in (way.name, way.plain)
        )
        last = costs[way.name][-1]
        added = (
            "" if way.plain == way.name else f"+{took_s - plain_s:7.2f} s  {took_s / plain_s:6.2f}"
        )
        failed = f"  ({last.failed} cells failed)" if last.failed else ""
        say(f"  {way.name:24} {took_s:7.2f} s  {added:18} {last.held / 1e6:9.1f} MB{failed}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="its notebooks are run, or that notebook")
    parser.add_argument("--others", help="the Python of an environment with the others")
    parser.add_argument("--times", type=int, default=1, help="rounds, of which the median counts")
    given = parser.parse_args()
    ways = [way for way in WAYS if way.own or given.others]
    folder: Path = given.folder
    for notebook in sorted(folder.glob("*.ipynb")) if folder.is_dir() else [folder]:
        measure(notebook, ways, given.others, given.times)


if __name__ == "__main__":
    main()
