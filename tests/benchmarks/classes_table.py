"""What becomes of objects of many classes: is a change told, is none told, are they kept in files.

Each class is one process: it makes an object, looks at it, uses it, keeps it, changes it. Classes
whose library is not installed are left out.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pytest_nbsafe.kernel.checkpoint import blobs, keeping  # noqa: E402
from pytest_nbsafe.kernel.hashing.function_texts import Texts  # noqa: E402
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot  # noqa: E402

LIMIT_S = 300


def verdicts(case: dict[str, str], folder: str) -> dict[str, str]:
    """Return what became of one class; empty where its library is missing."""
    module = types.ModuleType("__main__")
    home, sys.modules["__main__"] = module.__dict__, module
    try:
        exec(case["construct"], home)
    except Exception:  # noqa: BLE001  # whatever a library says when it is not there
        return {}

    def look() -> str:
        return Snapshot(Texts(), home).fingerprint(home["x"])["hash"]

    first = look()
    if case["probe"]:
        eval(case["probe"], home)
    used = look()
    tracer, write = _tracer(home), functools.partial(blobs.write, folder)
    (kept,) = keeping.kept(tracer, ["x"], write, keeping.surface_of(tracer), {}, in_kernel=False)
    again = look()
    try:
        exec(case["mutate"], home)
        changed = look()
    except StopIteration:
        changed = ""
    return {
        "change": "unknown" if not first else "told" if changed != again else "missed",
        "no change": "unknown" if not first else "quiet" if first == used == again else "noisy",
        "files": kept["cause"] or "kept",
    }


def _tracer(home: dict[str, Any]) -> Any:
    return types.SimpleNamespace(
        home=home,
        shell=object(),
        texts=Texts(),
        is_own=lambda name: not name.startswith("__"),
        name_fingerprints=types.SimpleNamespace(known=dict),
    )


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Print the classes of which not all is right, and how many of each kind there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, help="the list of classes, JSON")
    parser.add_argument("--number", type=int, help="only this one, as JSON")
    options = parser.parse_args()
    cases = json.loads(options.cases.read_text(encoding="utf-8"))["classes"]
    if options.number is not None:
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as folder:
            _print(json.dumps(verdicts(cases[options.number], folder)))
        return
    counts: collections.Counter[str] = collections.Counter()
    for number, case in enumerate(cases):
        command = [sys.executable, __file__, str(options.cases), "--number", str(number)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        answer = (
            json.loads(done.stdout.strip().splitlines()[-1])
            if not done.returncode
            else {"change": "failed"}
        )
        counts.update(
            f"{what}: {word if what != 'files' or word == 'kept' else 'made again'}"
            for what, word in answer.items()
        )
        if answer and set(answer.values()) != {"told", "quiet", "kept"}:
            _print(f"{case['class']:40} {', '.join(answer.values())[:200]}")
    for line, count in sorted(counts.items()):
        _print(f"{count:5} {line}")


if __name__ == "__main__":
    main()
