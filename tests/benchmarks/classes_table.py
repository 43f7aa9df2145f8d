"""What becomes of objects of many classes: is a change told, is none told, are they kept in files.

Each class is one process: it makes an object, looks at it, uses it, keeps it, loads what it kept,
changes it. Classes whose library is not installed are left out.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kernel")]

from class_verdicts import ANOTHER, Case, judge, standing_for_main  # noqa: E402

LIMIT_S = 300


def verdicts(case: dict[str, str], folder: Path) -> dict[str, str]:
    """Return what became of one class; empty where its library is missing."""
    module = sys.modules["__main__"] = standing_for_main()
    made = Case(case["class"], "", case["construct"], case["mutate"], case["probe"])
    try:
        verdict = judge(made, folder, module)
    except ImportError:
        return {}
    return {
        "change": verdict.change,
        "no change": verdict.no_change,
        "files": verdict.files,
        "cause": verdict.cause,
    }


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _answer(command: list[str]) -> dict[str, str]:
    """Return what became of one class, told by a process of its own."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return {"change": "took too long"}
    if done.returncode:
        return {"change": f"failed: {done.stderr.strip().splitlines()[-1:]}"}
    answer: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def main() -> None:
    """Print the classes of which not all is right, and how many of each kind there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, help="the list of classes, JSON")
    parser.add_argument("--number", type=int, help="only this one, as JSON")
    parser.add_argument("--only", default="", help="only classes of which the text holds this")
    parser.add_argument("--all", type=Path, help="a file for what became of each class, JSON lines")
    options = parser.parse_args()
    cases = json.loads(options.cases.read_text(encoding="utf-8"))["classes"]
    if options.number is not None:
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                found = verdicts(cases[options.number], Path(folder))
            _print(json.dumps(found))
        return
    counts: dict[bool, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for number, case in enumerate(cases):
        if options.only not in json.dumps(case):
            continue
        command = [sys.executable, __file__, str(options.cases), "--number", str(number)]
        answer = _answer(command)
        cause = answer.pop("cause", "")
        if options.all:
            with options.all.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**case, "seen": {**answer, "cause": cause}}) + "\n")
        counts[bool(case.get("of_the_paper"))].update(
            f"{what}: {_COUNTED.get(word, 'made again') if what == 'files' else word[:20]}"
            for what, word in answer.items()
        )
        if answer and set(answer.values()) != {"told", "quiet", "kept"}:
            _print(f"{case['class']:40} {', '.join([*answer.values(), cause])[:300]}")
    for of_the_paper, counted in sorted(counts.items()):
        _print("of the paper" if of_the_paper else "others")
        for line, count in sorted(counted.items()):
            _print(f"{count:5} {line}")


_COUNTED = {"kept": "kept", ANOTHER: ANOTHER}


if __name__ == "__main__":
    main()
