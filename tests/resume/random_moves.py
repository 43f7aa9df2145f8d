"""Random pages, edited and opened, moved about in, and what plain Python makes of them.

    python -m resume.random_moves SEED COUNT      (from tests/)

Values share lists, by names, containers, closures and objects. Ground truth is `exec`, cell by
cell, in this process; what is compared is the shape of all that the names lead to, with what is
shared in it.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import makenb
import percent

from pytest_nbsafe.app.checkout import checked_out
from resume.visiting import FrontEnd, front_end

NAMES = "abcdef"
SHAPE = """
def _shape(home, names):
    seen, kept = {}, []
    def of(value):
        if isinstance(value, (int, str, type(None))):
            return repr(value)
        if id(value) in seen:
            return "#%d" % seen[id(value)]
        seen[id(value)] = len(seen)
        kept.append(value)
        if isinstance(value, (list, tuple)):
            return "%s[%s]" % (type(value).__name__, ", ".join(map(of, value)))
        if isinstance(value, dict):
            return "{%s}" % ", ".join(of(k) + ": " + of(v) for k, v in value.items())
        if hasattr(value, "__next__") or hasattr(value, "read"):
            return type(value).__name__
        if type(value) is type(len):
            return "bound %s to %s" % (value.__name__, of(value.__self__))
        if callable(value) and not isinstance(value, type):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            return "def(%s)" % ", ".join(map(of, [*cells, *(value.__defaults__ or ())]))
        if isinstance(value, type):
            return "class " + value.__name__
        return "%s(%s %s)" % (type(value).__name__, of(type(value)), of(vars(value)))
    return "; ".join(name + "=" + of(home[name]) for name in names if name in home)
"""
STATEMENTS = (
    "{x} = [{n}]",
    "{x} = {y}",
    "{x} = [{y}, {z}]",
    '{x} = {{"k": {y}, "n": {n}}}',
    "{x} = list({y})",
    "{x} = {y}[0]",
    "{x} = {n}",
    "{x}.append({n})",
    "{x}[0].append({y})",
    "{x}[0] = {n}",
    '{x}["k"].append({n})',
    "{x} += [{n}]",
    "del {x}",
    "{x} = (lambda held: lambda: held)({y})",
    "{x} = {y}()",
    "{x} = (lambda: {y})",
    "def {x}(held={y}): held.append({n}); return held",
    "class {x}:\n    def __init__(self, held): self.held = held",
    "{x} = {y}({z})",
    "{x} = {y}.held",
    "{x}.held = {y}",
    "for {x} in [{y}, {z}]: pass",
    "{x}, {y} = {y}, {x}",
    "{x} = {y} = [{n}]",
    "globals()['{x}'] = {y}",
    "exec('{x}.append({n})')",
    "{x}.append({n})\n{x} = {y}",
    "{x} = {y}.append",
    "{x}({n})",
    "{x} = iter({y})",
    "{x} = next({y})",
    "{x} = {y}.pop()",
    "{x} = {y} if {y} else {z}",
    "while {x}: {y} = {x}.pop()",
    "({x}, {y}) = {z}",
    "{x} = {{**{y}, 'k': {z}}}",
    "{x} = [each for each in {y}]",
    "with open('/dev/null') as {x}: pass",
)


def statement(choice: random.Random) -> str:
    """Return a statement; it may fail."""
    x, y, z = choice.choices(NAMES, k=3)
    return choice.choice(STATEMENTS).format(x=x, y=y, z=z, n=choice.randrange(10))


def page(choice: random.Random) -> list[str]:
    """Return the cells of a page. Some take long enough for their values to be kept."""
    cells = ["a, b = [1], [2]\nc = [a, b]", "import time"]
    for _ in range(choice.randrange(4, 9)):
        lines = [statement(choice) for _ in range(choice.randrange(1, 4))]
        if choice.random() < 0.3:
            lines.insert(choice.randrange(len(lines) + 1), "time.sleep(0.2)")
        cells.append("\n".join(lines))
    return cells


def _run(source: str, home: dict[str, Any]) -> None:
    """Run a cell as IPython does, one statement after another to the first that fails."""
    with contextlib.suppress(Exception):  # the page goes on
        exec(compile(source, "<cell>", "exec"), home)


def shapes(cells: Sequence[str]) -> list[str]:
    """Return what the names lead to before the first cell, and after each."""
    home: dict[str, Any] = {"__name__": "__main__"}
    own: dict[str, Any] = {}
    exec(SHAPE, own)
    found = [""]
    for cell in cells:
        _run(cell, home)
        found.append(own["_shape"](home, NAMES))
    return found


def shape(visitor: FrontEnd) -> str:
    """Return what the names of a kernel lead to."""
    asked = f"(lambda own: (exec({SHAPE!r}, own), own['_shape'](globals(), {NAMES!r}))[1])({{}})"
    return str(eval(visitor.value(asked)))


def tried(folder: Path, seed: int, moves: int) -> tuple[int, list[str]]:
    """Return how many moves a kernel made on a random page, and what was wrong after one."""
    choice = random.Random(seed)
    cells = page(choice)
    text = percent.page_of(*cells)
    path = makenb.write(folder / f"moves{seed}.ipynb", text)
    expected, wrong, made = shapes(cells), [], 0
    with checked_out(path, {}, len(cells), before=False) as state, front_end(state) as visitor:
        now = shape(visitor)
        if now != expected[-1]:
            return 0, [f"seed {seed}: opened with {now}, not {expected[-1]}"]
        typed: list[str] = []
        for _ in range(moves):
            for _ in range(choice.randrange(3)):
                typed.append(statement(choice))
                visitor.run(typed[-1])
            count = choice.randrange(1, len(cells) + 1)
            said = visitor.run(f"%nbsafe --after {count}")
            typed.append(f"-> {count} ({said.splitlines()[0]})")
            if "only a new kernel" in said:
                break
            made += 1
            now = shape(visitor)
            if now != expected[count]:
                story = "\n    ".join(typed)
                wrong.append(f"seed {seed}, {typed}: {now}\n  not {expected[count]}\n    {story}")
                break
    return made, wrong


def edited(folder: Path, seed: int, edits: int) -> list[str]:
    """Return what was wrong where a random page was edited, again and again, and opened."""
    choice = random.Random(seed)
    cells, story = page(choice), list[str]()
    path = folder / f"edits{seed}.ipynb"
    for _ in range(edits):
        text = percent.page_of(*cells)
        makenb.write(path, text)
        count = choice.choice([len(cells), choice.randrange(1, len(cells) + 1)])
        expected = shapes(cells)[count]
        with checked_out(path, {}, count, before=False) as state, front_end(state) as visitor:
            now = shape(visitor)
        if now != expected:
            return [f"seed {seed}, after {count}: {now}\n  not {expected}\n", *story, text]
        place = choice.randrange(1, len(cells))
        way = choice.choice(["changed", "changed", "added", "removed"])
        if way == "removed" and len(cells) > 3:  # enough to go on with
            del cells[place]
        elif way == "added":
            cells.insert(place, statement(choice))
        else:
            lines = cells[place].splitlines()
            lines[choice.randrange(len(lines))] = statement(choice)
            cells[place] = "\n".join(lines)
        story.append(f"{way} {place + 1}\n")
    return []


if __name__ == "__main__":
    first, total = int(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as given:
        os.environ["NBSAFE_CACHE_DIR"] = f"{given}/cache"
        pages = Path(given, "pages")
        pages.mkdir()
        for number in range(first, first + int(sys.argv[2])):
            count_made, faults = tried(pages, number, 12)
            total += count_made
            faults += edited(pages, number, 8)
            sys.stdout.write(f"{number} {count_made} {' '.join(faults)}\n")
    sys.stdout.write(f"{total} moves\n")
