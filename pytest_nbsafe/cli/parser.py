"""The options and arguments of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from pytest_nbsafe import __version__
from pytest_nbsafe.cli import commands
from pytest_nbsafe.cli.writing import complain
from pytest_nbsafe.options import CHANGED_SINCE, FORMATS, LOCK, UPDATE, Option, of_command

_FORMATS = ("text", "json")
"""Of what is no list of findings."""
_NUMBER = "the number of a cell, counted from 1 over all cells, text cells too, as in reports"
"""What is given for a cell."""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are safe for a terminal, as all others are."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and end with the code for misuse."""
        if sys.stderr is not None:
            self.print_usage(sys.stderr)
        complain(message)
        raise SystemExit(commands.MISUSE)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    main = _Parser(
        prog="nbsafe", description="Find stale values, hidden state and out-of-order cells."
    )
    main.add_argument("--version", action="version", version=f"nbsafe {__version__}")
    adding = main.add_subparsers(title="commands", metavar="COMMAND", required=True)

    check = adding.add_parser("check", help="check notebooks without running them")
    _takes_paths(check, commands.check)
    check.add_argument(
        "--stdin-filename",
        type=Path,
        metavar="FILE",
        help="where the notebook lies that `-` reads from standard input",
    )
    run = adding.add_parser("run", help="run notebooks and check what happened")
    _takes_paths(run, commands.run)
    _takes(run, LOCK)
    _takes(run, UPDATE)

    _takes_fix(adding.add_parser("fix", help="mend what can be mended, and prove it"))

    order = adding.add_parser("order", help="show in which order a notebook's cells were run")
    order.add_argument("notebook", type=Path, metavar="NB")
    order.add_argument("--stats", action="store_true", help="show measures instead of the plan")
    _writes(order, commands.order)
    _plots(order, "draw counts against places on the page into this file")
    stats = adding.add_parser("stats", help="measure the counts and orders of many notebooks")
    _takes_stats(stats)

    _takes_whatif(adding.add_parser("whatif", help="show what follows if a cell runs again"))
    _takes_replay(adding.add_parser("replay", help="run a recorded session again, judge it"))

    _takes_checkout(adding.add_parser("checkout", help="open the state around a cell"))
    _takes_diff(adding.add_parser("diff", help="show which names differ between two cells"))
    store = adding.add_parser(
        "store", help="list what --resume keeps of earlier runs, or remove it"
    )
    removes = store.add_mutually_exclusive_group()
    removes.add_argument("--prune", action="store_true", help="remove what is too old or too much")
    removes.add_argument("--clear", action="store_true", help="remove everything")
    _writes(store, commands.store, formats=("text", "json"))

    explain = adding.add_parser("explain", help="explain a code, with examples")
    explain.add_argument("code", metavar="CODE")
    _writes(explain, commands.explain, formats=("text",))
    _writes(adding.add_parser("rules", help="list the codes"), commands.rules)

    for name, command in adding.choices.items():
        command.set_defaults(called=name)
        for option in of_command(name):
            _takes(command, option)
    return main


def _takes(parser: argparse.ArgumentParser, option: Option) -> None:
    for spelling, arguments in option.spellings():
        parser.add_argument(spelling, **arguments)


def _takes_fix(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Mend notebooks: cells move, as few as can be, to where the page runs; what is old runs "
        "again, and what it shows is saved; comments that ignore nothing go, and an import moves "
        "up to the first cell that needs it; a path of one machine becomes that of the file beside "
        "the notebook, and what is installed gets a version. What hangs on a run is tried in "
        "copies of the folder, and kept only where two runs from top to bottom agree and find "
        "nothing new. Nothing else in the file changes."
    )
    _looks_at(parser, "notebooks and folders (default: this folder)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if any is due")
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    parser.add_argument(
        "--static", action="store_true", default=None, help="mend only what needs no run"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="also what changes results: set missing seeds"
    )
    parser.add_argument(
        "--force-exclude", action="store_true", help="leave out what `exclude` leaves out"
    )
    _takes_output(parser, commands.fix)


def _takes_checkout(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Bring a kernel to the state that a notebook has before or after a cell, in page order, "
        "and open a console in it. What --resume keeps of earlier runs is not run again."
    )
    parser.add_argument("notebook", type=Path, metavar="NB")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--before", type=_cell, metavar="CELL", help=f"as the cell would find it; CELL is {_NUMBER}"
    )
    which.add_argument("--after", type=_cell, metavar="CELL", help="as the cell leaves it")
    which.add_argument(
        "--list", action="store_true", help="run nothing, show what is kept of each cell"
    )
    parser.add_argument(
        "--kernel-only", action="store_true", help="say how to connect, and wait for Ctrl-C"
    )
    _takes_output(parser, commands.checkout)


def _takes_diff(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show which names differ between the states after two cells, in page order, or at the end "
        "of two orders, and how. What --resume keeps of earlier runs is not run again."
    )
    parser.add_argument("notebook", type=Path, metavar="NB")
    parser.add_argument(
        "cells", type=_cell, nargs="*", metavar="CELL", help=f"two code cells, each {_NUMBER}"
    )
    parser.add_argument(
        "--orders",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="compare two orders instead, such as recorded and top-down",
    )
    _writes(parser, commands.diff)


def _takes_stats(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measure gaps and jumps of counts, sessions, dependencies, and how well orders agree with "
        "what cells read; of a history.sqlite, repeats and revisits. Nothing is run."
    )
    _looks_at(parser, "notebooks, folders (default: this folder) and files history.sqlite")
    _writes(parser, commands.stats, formats=("text", "json", "csv"))
    _plots(parser, "draw the measures into this file")


def _plots(parser: argparse.ArgumentParser, says: str) -> None:
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help=says)


def _takes_whatif(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show what follows if a cell runs again, in a notebook that was run as its counts say: "
        "which cells would then read a stale value, which sequences are safe, what has to run."
    )
    parser.add_argument("notebook", type=Path, metavar="NB")
    parser.add_argument(
        "--run",
        type=_cell,
        required=True,
        metavar="CELL",
        help=_NUMBER,
    )
    parser.add_argument(
        "--change",
        metavar="NAME",
        help="only the value of this name, which the cell binds, changes; "
        "also tells which cells would miss it if this cell renamed it",
    )
    parser.add_argument(
        "--depth",
        default="3",
        metavar="N",
        help="try up to N runs of other cells after it, or all (default: %(default)s)",
    )
    _writes(parser, commands.whatif)


def _takes_replay(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a recorded session again and tell after each step which names and cells are "
        'stale. FILE holds JSON lines, {"cell": ID, "source": TEXT} for each run (the first may '
        'be {"page": [IDS]}), or is the history.sqlite of IPython. The code is run, in a copy of '
        "the folder."
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--session", type=int, metavar="N", help="which session of a history.sqlite")
    which.add_argument("--all", action="store_true", help="all its sessions, one after another")
    which.add_argument("--sessions", action="store_true", help="list its sessions, run nothing")
    parser.add_argument(
        "--judge-each-step",
        action="store_true",
        help="a clean run after every step, not only after the last",
    )
    _writes(parser, commands.replay)


def _looks_at(parser: argparse.ArgumentParser, says: str) -> None:
    parser.add_argument("paths", nargs="*", type=Path, default=[Path()], metavar="PATHS", help=says)


def _takes_paths(
    parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], int]
) -> None:
    _looks_at(parser, "notebooks and folders (default: this folder)")
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="leave out what `exclude` and `include` leave out though it is named, as hooks do",
    )
    _takes(parser, CHANGED_SINCE)
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        default=None,
        help="neither read nor write the cache",
    )
    parser.add_argument(
        "--executor",
        metavar="NAME",
        help="work on the notebooks in local[:PROCESSES], dask[:ADDRESS], ray[:ADDRESS], or what "
        "module:factory gives, a concurrent.futures.Executor",
    )
    parser.add_argument(
        "--write-baseline", action="store_true", help="write the findings to a baseline"
    )
    parser.add_argument(
        "--update-baseline", action="store_true", help="take what is fixed out of the baseline"
    )
    parser.add_argument(
        "--format",
        dest="formats",
        type=_format,
        action="append",
        default=[],
        metavar="FORMAT[:FILE]",
        help=f"one of {', '.join(FORMATS)} (default: text); with :FILE it is written there",
    )
    _takes_output(parser, command)


def _cell(value: str) -> int:
    """Return the number of a cell.

    Raises:
        ArgumentTypeError: it is none.

    """
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{value}` is not {_NUMBER}") from None


def _format(value: str) -> tuple[str, str]:
    from pytest_nbsafe.errors import NbsafeError
    from pytest_nbsafe.reports.targets import target

    try:
        return target(value, may_print=True)
    except NbsafeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _writes(
    parser: argparse.ArgumentParser,
    command: Callable[[argparse.Namespace], int],
    formats: Sequence[str] = _FORMATS,
) -> None:
    parser.add_argument("--format", choices=formats, default="text")
    _takes_output(parser, command)


def _takes_output(
    parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], int]
) -> None:
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report to this file")
    parser.set_defaults(command=command)
