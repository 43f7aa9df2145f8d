"""The command line: `nbsafe check`, `run`, `order`, `whatif`, `replay`, `explain` and `rules`."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_nbsafe import __version__
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.options import LOCK, of_command
from pytest_nbsafe.stopping import StopSignals, Terminated

if TYPE_CHECKING:
    from pytest_nbsafe.findings import Report
    from pytest_nbsafe.reports.colour import Paint

_Reported = TypeVar("_Reported")
OK, ERRORS, MISUSE, INTERRUPTED = 0, 1, 2, 130
FORMATS = ("text", "json")
UNREADABLE = "NBS901"
_LONGEST = 500
"""A longer complaint, about a path perhaps, is cut in its middle."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 errors found, 2 misuse."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        # A notebook's text may hold what the terminal's encoding has no character for.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = given.command
    stop_signals = StopSignals()
    try:
        _must_be_writable(given.output)
        return command(given)
    except NbsafeError as error:
        _complain(str(error))
        return MISUSE
    except Terminated as request:
        return 128 + request.number
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        stop_signals.leave()


def _complain(message: str) -> None:
    """Write one line; what names in it would do to a terminal is spelled."""
    _say(f"error: {message}")


def _say(message: str) -> None:
    """Write one line beside the report."""
    from pytest_nbsafe.reports.escape import sentence

    if sys.stderr is not None:
        print(f"nbsafe: {sentence(message, _LONGEST)}", file=sys.stderr)


def _must_be_writable(output: Path | None) -> None:
    """Refuse a file that cannot be written, before anything runs."""
    from pytest_nbsafe import files

    if output is None:
        if sys.stdout is None:
            raise NbsafeError("cannot-write", "standard output is closed", "see --output")
        return
    try:
        files.must_be_writable(output, with_folders=False)
    except OSError as error:
        raise _cannot_write(output, error) from error


def _cannot_write(output: object, error: OSError) -> NbsafeError:
    message = f"cannot write {output}: {error.strerror}"
    return NbsafeError("cannot-write", message, "see --output")


# ------------------------------------------------------------------- commands


def _check(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.check import check

    # Trees of code are many objects without a cycle: looking for cycles less often is quicker.
    gc.set_threshold(20_000, 20, 50)
    settings = _settings(given)
    if given.write_baseline:
        return _baselined(given, settings, check)
    return _reported(check(given.paths, settings), given, settings)


def _run(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.run import run
    from pytest_nbsafe.reports.status_line import NotebookStatus, on_last_line, shown

    settings = _settings(given)
    if given.write_baseline:
        return _baselined(given, settings, run)
    with on_last_line(sys.stderr) as status:
        if status is None:
            report = run(given.paths, settings)
        else:
            report = run(
                given.paths, settings, lambda path: NotebookStatus(status, f"{shown(path)}  ")
            )
    code = _reported(report, given, settings)
    if given.lock:
        _lock(report)
    return code


def _lock(report: Report) -> None:
    from pytest_nbsafe.app import lock

    for line in lock.write(report.notebooks, Path()):
        _say(line)


def _baselined(
    given: argparse.Namespace,
    settings: dict[str, Any],
    command: Callable[[Sequence[Path], Mapping[str, Any]], Report],
) -> int:
    from pytest_nbsafe.app.write_baseline import write_baseline
    from pytest_nbsafe.sentences import many

    file, number = write_baseline(given.paths, settings, command)
    _write(f"{file} holds {many(number, 'finding')} now\n", given)
    return OK


def _order(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.order import order
    from pytest_nbsafe.reports.order_report import ORDER_REPORTERS

    return _shown(ORDER_REPORTERS, order(given.notebook, _settings(given)), given)


def _whatif(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.whatif import whatif
    from pytest_nbsafe.reports.whatif_report import WHATIF_REPORTERS

    depth = _depth(given.depth)
    report = whatif(given.notebook, _settings(given), given.run, given.change, depth)
    return _shown(WHATIF_REPORTERS, report, given)


def _replay(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.replay import replay
    from pytest_nbsafe.reports.replay_report import REPLAY_REPORTERS
    from pytest_nbsafe.reports.status_line import on_last_line, shown

    judge_each = given.judge_each_step
    started = time.monotonic()
    with on_last_line(sys.stderr) as status:

        def progress(path: str, step: int, steps: int) -> None:
            if status is not None:
                status.show(f"{shown(path)}  step {step} of {steps}", started)

        report = replay(
            given.file, _settings(given), given.session, judge_each=judge_each, progress=progress
        )
    return _shown(REPLAY_REPORTERS, report, given)


def _depth(given: str) -> int | None:
    """Return the depth that was asked for, None for "all"."""
    if given == "all":
        return None
    if given.isdecimal() and int(given) > 0:
        return int(given)
    raise NbsafeError("bad-depth", f"--depth {given}", "a number from 1 on, or all")


def _explain(given: argparse.Namespace) -> int:
    from pytest_nbsafe.app.explain import explain

    _write(explain(given.code).rstrip("\n") + "\n", given)
    return OK


def _rules(given: argparse.Namespace) -> int:
    from pytest_nbsafe.reports import json, text

    _write(json.codes() if given.format == "json" else text.codes(), given)
    return OK


# ---------------------------------------------------------------- the parser


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are safe for a terminal, as all others are."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and end with the code for misuse."""
        if sys.stderr is not None:
            self.print_usage(sys.stderr)
        _complain(message)
        raise SystemExit(MISUSE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="nbsafe", description="Find stale values, hidden state and out-of-order cells."
    )
    parser.add_argument("--version", action="version", version=f"nbsafe {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    _takes_paths(commands.add_parser("check", help="check notebooks without running them"), _check)
    run = commands.add_parser("run", help="run notebooks and check what happened")
    _takes_paths(run, _run)
    run.add_argument(f"--{LOCK.key}", **LOCK.arguments)

    order = commands.add_parser("order", help="show in which order a notebook's cells were run")
    order.add_argument("notebook", type=Path, metavar="NB")
    _writes(order, _order)

    _takes_whatif(commands.add_parser("whatif", help="show what follows if a cell runs again"))
    _takes_replay(commands.add_parser("replay", help="run a recorded session again, judge it"))

    explain = commands.add_parser("explain", help="explain a code, with examples")
    explain.add_argument("code", metavar="CODE")
    _writes(explain, _explain, formats=("text",))
    _writes(commands.add_parser("rules", help="list the codes"), _rules)

    for name, command in commands.choices.items():
        command.set_defaults(called=name)
        for option in of_command(name):
            command.add_argument(f"--{option.key}", **option.arguments)
    return parser


def _takes_whatif(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show what follows if a cell runs again, in a notebook that was run as its counts say: "
        "which cells would then read a stale value, which sequences are safe, what has to run."
    )
    parser.add_argument("notebook", type=Path, metavar="NB")
    parser.add_argument(
        "--run",
        type=int,
        required=True,
        metavar="CELL",
        help="the cell, counted from 1 over all cells, text cells too",
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
    _writes(parser, _whatif)


def _takes_replay(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a recorded session again and tell after each step which names and cells are "
        'stale. FILE holds JSON lines, {"cell": ID, "source": TEXT} for each run (the first may '
        'be {"page": [IDS]}), or is the history.sqlite of IPython. The code is run, in a copy of '
        "the folder."
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--session", type=int, metavar="N", help="which session of a history.sqlite"
    )
    parser.add_argument(
        "--judge-each-step",
        action="store_true",
        help="a clean run after every step, not only after the last",
    )
    _writes(parser, _replay)


def _takes_paths(
    parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], int]
) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        default=[Path()],
        metavar="PATHS",
        help="notebooks and folders (default: this folder)",
    )
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        default=None,
        help="neither read nor write the cache",
    )
    parser.add_argument(
        "--write-baseline", action="store_true", help="write the findings to a baseline"
    )
    _writes(parser, command)


def _writes(
    parser: argparse.ArgumentParser,
    command: Callable[[argparse.Namespace], int],
    formats: Sequence[str] = FORMATS,
) -> None:
    parser.add_argument("--format", choices=formats, default="text")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report to this file")
    parser.set_defaults(command=command)


def _settings(given: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that were given, each proved alone so that a fault names its option."""
    from pytest_nbsafe import config

    settings: dict[str, Any] = {}
    for key in (*(option.key for option in of_command(given.called)), "cache"):
        value = getattr(given, key.replace("-", "_"), None)
        if value is not None:
            config.merge(config.Config(), {key: value}, f"--{key}")
            settings[key] = value
    return settings


# ------------------------------------------------------------------- writing


def _reported(report: Report, given: argparse.Namespace, settings: dict[str, Any]) -> int:
    from pytest_nbsafe.reports import REPORTERS

    _shown(REPORTERS, report, given)
    return _exit_code(report, settings)


def _shown(
    reporters: Mapping[str, Callable[[_Reported, Paint], str]],
    report: _Reported,
    given: argparse.Namespace,
) -> int:
    """Write a report in the format that was asked for, where it was asked for."""
    from pytest_nbsafe.reports.colour import ansi, plain, wanted

    coloured = given.output is None and wanted(sys.stdout, os.environ)
    _write(reporters[given.format](report, ansi if coloured else plain), given)
    return OK


def _exit_code(report: Report, settings: dict[str, Any]) -> int:
    if any(finding.code == UNREADABLE for finding in report.findings):
        return MISUSE
    if any(finding.severity == "error" for finding in report.findings):
        return ERRORS
    warned = {finding.path for finding in report.findings if finding.severity == "warning"}
    from pytest_nbsafe import config

    strict = (config.of_notebook(Path(path), settings).strict for path in sorted(warned))
    return ERRORS if any(strict) else OK


def _write(document: str, given: argparse.Namespace) -> None:
    if given.output is None:
        try:
            sys.stdout.write(document)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read has heard enough.
            _discard_output()
        except OSError as error:  # a full disk
            _discard_output()
            raise _cannot_write("to standard output", error) from error
        return
    try:
        given.output.write_text(document, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _cannot_write(given.output, error) from error


def _discard_output() -> None:
    """Let what is still buffered go nowhere: it must not raise when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
