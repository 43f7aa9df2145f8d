"""The settings that are options as well: one row each, for the command line and for pytest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Option(NamedTuple):
    """A setting that may be given by hand to some `commands`, one of which is pytest.

    `metavar` is what it takes, empty for a flag. With `several` it may be given more than once. A
    flag may be given one of `values` as well, written `--key=value`: what follows it with a space
    between is none of them, but a path.
    """

    key: str
    metavar: str
    says: str
    commands: str
    several: bool = False
    values: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The key as a name of Python, which argparse and the ini file of pytest have."""
        return self.key.replace("-", "_")

    def spellings(self, prefix: str = "--") -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each way to write it, with what a parser of options is told of that."""
        written = f"{prefix}{self.key}"
        if self.metavar:
            action = "append" if self.several else "store"
            yield written, {"action": action, "metavar": self.metavar, "help": self.says}
            return
        yield written, {"action": "store_true", "default": None, "help": self.says}
        target = written.removeprefix("--").replace("-", "_")
        for value in self.values:
            says = {"dest": target, "default": None, "help": f"the same, with {value}"}
            yield f"{written}={value}", {"action": "store_const", "const": value, **says}


_RUNNING = "fix run replay checkout diff pytest"
OPTIONS = (
    Option("static", "", "check the notebooks without running them", "pytest"),
    Option(
        "order",
        "NAME",
        "the order to replay: auto (default), recorded, inferred, top-down, archaeology, base, "
        "dependency, or all (as auto, and all of them are run and compared)",
        "check run order whatif pytest",
    ),
    Option("timeout", "SECONDS", "limit for one cell; 0 for none", _RUNNING),
    Option("notebook-timeout", "SECONDS", "limit for all runs of a notebook", "run pytest"),
    Option("kernel", "NAME", "the kernel to run in, instead of its own", _RUNNING),
    Option(
        "leakage",
        "MODE",
        "look for leaks of data in the text (static), in the run (runtime), or both (default)",
        "run pytest",
    ),
    Option("select", "CODES", "only these codes, or prefixes", "check run pytest", several=True),
    Option("ignore", "CODES", "not these codes, or prefixes", "check run pytest", several=True),
    Option(
        "exclude",
        "GLOBS",
        "leave these files and folders out",
        "check fix run stats pytest",
        several=True,
    ),
    Option(
        "include", "GLOBS", "of all files only these", "check fix run stats pytest", several=True
    ),
    Option(
        "output",
        "MODE",
        "compare saved outputs with new ones: lenient (default), exact, or off",
        "pytest",
    ),
    Option("repeat", "N", "run the order N times, and tell what differs (NBS404)", "run pytest"),
    Option("sanitize-with", "FILE", "expressions for what is no difference, as in nbval", "pytest"),
    Option(
        "resume",
        "",
        "run only what changed since the last run, and what hangs on it; with =verify run all, and "
        "tell what would have been another",
        "run pytest",
        values=("verify",),
    ),
    Option("strict", "", "warnings fail too", "check run pytest"),
    Option("notes", "", "show notes too", "check run pytest"),
    Option(
        "baseline",
        "FILE",
        "accept the findings in this file, from `nbsafe check --write-baseline`",
        "check run pytest",
    ),
    Option("jobs", "N", "number of processes; auto: one a processor", "check"),
)

LOCK = Option(
    "lock", "", "write what the notebooks that pass ran in to nbsafe.lock beside them", "run pytest"
)
"""What a run is to do besides, and no setting of a configuration file."""
UPDATE = Option(
    "update", "", "save new outputs of the notebooks that pass but for what they show", "run pytest"
)
"""What a run is to do besides, too."""
CHANGED_SINCE = Option(
    "changed-since",
    "REF",
    "only notebooks that a branch touches: changed since it left REF, or resting on such a file",
    "check run pytest",
)
"""What a single run looks at, and no setting of a configuration file."""
FORMATS = ("text", "json", "junit", "sarif", "github", "gitlab", "rdjson", "markdown", "html")
"""Those of the findings."""
WITH_PAGES = frozenset({"html"})
"""Formats that show the notebooks themselves."""
REPORT = Option(
    "report",
    "FORMAT:FILE",
    f"write a report to a file; FORMAT is one of {', '.join(FORMATS)}; github needs no file",
    "pytest",
    several=True,
)
"""Of pytest alone, and no setting of a configuration file."""


def of_command(command: str) -> Iterator[Option]:
    """Yield the options of a command."""
    return (option for option in OPTIONS if command in option.commands.split())
