"""Follows what a run uses and does beyond the names of the notebook."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PosixPath, WindowsPath
from types import CodeType
from typing import Any, NamedTuple

from .. import audit, open_log
from ..adapters import says
from ..contract import Inputs, StatementEvent
from ..functions.reach import FUNCTION, inside, names_of_code
from ..functions.stand_in import watch_tracebacks
from ..hashing.snapshot import Snapshot
from ..installed_files import UsersFiles
from ..open_figures import OpenFigures
from ..parts.access_sites import HOOKS
from ..tracing.cell_positions import CellPositions
from .builtin_calls import watch_status
from .builtin_names import BuiltinNames
from .callers import OURS, Callers
from .chance import Chance
from .file_uses import FileUses
from .held_streams import HeldStreams
from .hindrances import Hindrances
from .kept_results import KeptResults
from .log_times import watch_log_times
from .looked_up import LookedUp, texts_of
from .lookups import Lookups
from .mentions import Mention, mentions
from .module_places import ModulePlaces
from .module_settings import ModuleSettings
from .module_states import ModuleStates
from .module_uses import ModuleUses
from .native_opens import NativeOpens
from .pipes import is_of_a_pipe
from .project_reach import mentioned, taking_part
from .running_numbers import advanced, numbers
from .setting_places import SettingPlace, may_set, setting_places
from .setting_uses import SettingUses
from .variables import VariableUses

_HOOKS = frozenset(HOOKS)
_WORDS = {
    "clock": "it looks at the clock",
    "input": "it asks its user",
    "unseeded": "it asks a database for random numbers",
    "native": "it uses descriptors of the system",
}
_FILTERS = frozenset({"filterwarnings", "simplefilter", "resetwarnings", "filters"})
_FINDERS = frozenset({"find_spec", "find_loader"})
"""Functions that tell whether a module is there, and import nothing."""
_UNWATCHED = "the system could not watch all files that compiled code opens"
_LONGEST_PATH = 300


class Function(NamedTuple):
    """A function of a cell of a run, and what stands in it."""

    run: int
    name: str
    mentions: list[Mention]
    names: tuple[str, ...]
    texts: tuple[str, ...]


class RunInputs:
    """What the current run uses, and what hinders that it is reused.

    `called` are the words of the functions of cells that it has called, and of what it looked up,
    `figures` those that are open.
    """

    def __init__(self, shell: Any, positions: CellPositions, snapshot: Snapshot) -> None:
        self._module_states = ModuleStates(snapshot)
        self._users_files = users_files = UsersFiles()
        self._shell = shell
        self._home: dict[str, Any] = shell.user_ns
        self._positions = positions
        self._callers = Callers(positions, users_files)
        self._files = FileUses(users_files)
        self._native = NativeOpens()
        self._variables = VariableUses(self._callers)
        self._modules = ModuleUses(users_files)
        self._places = ModulePlaces(users_files)
        self._module_settings = ModuleSettings()
        self._hindrances = Hindrances(self._callers)
        self._chance = Chance(self._callers, self._hindrances)
        self._settings = SettingUses(shell)
        self._kept_results = KeptResults(self._home)
        self._lookups = Lookups(self._home)
        self._streams = HeldStreams()
        self._builtins = BuiltinNames()
        self.figures = OpenFigures()
        self._looked_up = LookedUp(self._callers, self._home)
        self._codes: dict[int, CodeType] = {}
        self._functions: dict[tuple[int, int], list[Function]] = {}
        self._called: set[str] = set()
        self._put: set[str] = set()
        self._bent: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._sought: set[str] = set()
        self.called: set[str] = set()

    def install(self) -> None:
        """Listen from now on."""
        watch_tracebacks([], self._shell)
        self._files.install()
        self._hindrances.install()
        self._variables.install()
        self._places.install()
        audit.listen(self._executed, ["exec"])
        audit.listen(self._hooked, ["sys.addaudithook"])
        watch_status(self._files, self._callers, self._hindrances)
        self._chance.install()
        self._looked_up.install()
        watch_log_times(self._callers, self._hindrances)
        self._native.install(os.getcwd())  # noqa: PTH109  # a text

    def start(self, run: int) -> None:
        """Take note that a run begins."""
        self._codes, self._put, self.called, self._called = {}, set(), set(), set()
        open_log.read_now.clear()
        self._native.start()
        self._files.start()
        self._variables.start()
        self._places.start()
        self._chance.start()
        self._looked_up.start()
        self._hindrances.start(run)
        self._kept_results.start()
        self._lookups.start()
        self._streams.start()
        self._builtins.start()
        self.figures.start()
        self._settings.start()
        self._numbers = numbers()

    def starting(self, code: CodeType) -> None:
        """Take note that a statement is about to run, and of the folders that it names."""
        self._chance.starting()
        self._settings.meet()
        self.figures.meet()
        self._streams.meet()
        if self._native.alive:
            for text in _texts(code, self._home):
                self._expect(text)

    @open_log.unnoticed()
    def finish(
        self, run: int, text: str, statements: Iterable[StatementEvent], bent: Iterable[str]
    ) -> Inputs:
        """Return what the run of a text has used.

        `bent` are the modules that cells have changed so far.
        """
        figures = self.figures.told()
        self._files.stop()
        self._variables.stop()
        self._hindrances.stop()
        self._looked_up.stop()
        self._look_at_native_opens()
        packages = self._modules.look()
        settings, drew = self._settings.changes()
        names = self._look_at_codes(run, text, statements)
        modules, grown = self._look_at_modules(names)
        self._hindrances.look_at_what_runs(self._shell)
        if any(map(is_of_a_pipe, (self._home[n] for n in names & self._home.keys()))):
            self._hindrances.add("native", "it uses a pipe or a socket", 0)
            self._put.add("descriptors")
        if any(says("writes_to_file", self._home[n]) for n in names & self._home.keys()):
            self._hindrances.add("native", "it may write to a file that lies in memory", 0)
        if self._modules.are_new:  # what was imported may have set them, as it always does
            said = names.union(*(module.all_names for module in self._modules.new))
            by_cells = {"warnings": not _FILTERS.isdisjoint(said), "shell": "get_ipython" in said}
            settings = [setting for setting in settings if by_cells.get(setting, True)]
        if self._variables.set:
            settings.append("os")
        if self._streams.are_written(self._called):
            settings.append("streams")
        if self._builtins.are_changed():
            settings.append("module:builtins")
        if any(map(may_set, self._modules.new)):  # what they hold before is not known
            settings += self._settings.new_settings
        drew = self._chance.finish(drew, self._settings.new, names)
        own = {module.file for module in self._modules.own.values()}
        self._ask_for_executed(own)
        self._users_files.learn()
        files = [*self._files.files()]
        if self._files.unseen or self._files.lost or self._native.lost:
            self._hindrances.add("native", "it uses files in a way that cannot be followed", 0)
        if self._native.is_short:
            self._hindrances.add("native", _UNWATCHED, 0)
        bends = {f"module:{place}" for place in bent}
        newly_bent, self._bent = bends - self._bent, bends
        return {
            "files": [file for file in files if file["path"] not in own],
            "opened": [p for p in open_log.read_now if not self._users_files.is_installed(p)],
            "folders": self._files.folders,
            "written": self._files.written(),
            "variables": self._variables.read,
            "variables_set": sorted(self._variables.set),
            "modules": modules,
            "places": self._places.told(self._modules_of(names, modules)),
            "packages": packages,
            "settings": sorted({*settings, *self._put, *newly_bent, *grown}),
            "drew": drew,
            "kept_results": self._kept_results.changed(),
            "looked_up": self._lookups.came(),
            "open_figures": figures,
            "numbers": advanced(self._numbers),
            "unexpected": {},
            "sought": sorted(self._sought - self._home.keys()),
            "hindrances": self._hindrances.all(),
            "learning": [],
            "fit_log": None,
            "unchanged": [],
            "links": None,
            "shared": {},
        }

    # ------------------------------------------------------------ files past Python

    def _expect(self, text: str) -> None:
        path = self._files.place(text)
        for folder in (path, os.path.dirname(path)):  # noqa: PTH120  # texts throughout
            if os.path.isdir(folder):  # noqa: PTH112
                if folder.strip(os.sep) and self._users_files.is_users(folder):
                    self._native.expect(folder.rstrip(os.sep))
                return

    def _look_at_native_opens(self) -> None:
        files = self._files
        for path, is_folder, writes, is_new in self._native.drain():
            if path in files.known or os.path.realpath(path) in files.known:
                continue
            if writes:
                if not is_folder:
                    files.write_unseen(path, was_there=not is_new)
                continue
            for link in self._native.links_to(path):
                files.ask(link)
            (files.list_names if is_folder else files.ask)(path)

    # ------------------------------------------------------------ what the code says

    def _look_at_codes(self, run: int, text: str, statements: Iterable[StatementEvent]) -> set[str]:
        """Note what the code that ran mentions, and return all names that stand in it."""
        names: set[str] = set()
        texts: list[str] = []
        told = setting_places(text, self._home, self._settings.met)
        in_functions: set[SettingPlace] = set()
        for code in self._plain_codes(text):
            line_of, home = self._line_of(code), self._modules.home_of(code.co_filename)
            if home is None:
                names.update(code.co_names)
                if code.co_filename not in self._positions.files:  # made of a text
                    self.called.update(code.co_names)
            self._note(mentions(code, home or self._home), line_of)
            for inner in inside(code) if home is None else ():
                found = mentions(inner, self._home)
                if inner.co_name.startswith("<") or not inner.co_flags & FUNCTION:
                    names.update(inner.co_names)
                    self._note(found, line_of)
                else:
                    found = [mention._replace(line=line_of(mention.line)) for mention in found]
                    lines = {line_of(line) for *_, line in inner.co_lines() if line}
                    first = line_of(inner.co_firstlineno)
                    within = [place for place in told if _is_within(place, lines, first)]
                    found += [Mention("setting", *place[:2]) for place in within]
                    in_functions.update(within)
                    about = tuple(names_of_code(inner)), tuple(texts_of(inner))
                    function = Function(run, inner.co_name, found, *about)
                    for line in lines:
                        self._functions.setdefault((run, line), []).append(function)
        at_once = (place for place in told if place not in in_functions)
        self._note((Mention("setting", *place[:2]) for place in at_once), int)
        for place in (place for each in statements for place in each["called"]):
            for function in self._functions.get((place["run"], place["line"]), ()):
                self._called.add(function.name)
                self.called.update(function.names)
                texts += function.texts
                self._note(function.mentions, int if function.run == run else _nowhere)
        words = names | self.called
        self._sought = self._looked_up.words(self._codes.values(), self.called, texts)
        self.called |= self._sought
        return words

    def _plain_codes(self, text: str) -> list[CodeType]:
        """Return the code that ran; where each step of it was followed, what the text says."""
        codes = [*self._codes.values()]
        followed = [code for code in codes if not _HOOKS.isdisjoint(code.co_names)]
        if not followed:
            return codes
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            plain = compile(text, followed[0].co_filename, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError):
            self._hindrances.add("native", "it runs code that cannot be read", 0)
            return codes
        return [plain, *(code for code in codes if code not in followed)]

    def _look_at_modules(self, names: set[str]) -> tuple[dict[str, str], set[str]]:
        """Return the files of the modules of the project that take part, with their hashes.

        And those that hold something else than before.
        """
        if not self._modules.own:
            return {}, set()
        executed = {code.co_filename for code in self._codes.values()}
        modules, codes = taking_part(self._modules.own, names, self._home, executed)
        self._note(mentioned(codes), _nowhere)
        places = self._module_settings.set_by(modules, self._modules.new, codes)
        self._put |= places - self._modules.own.keys()
        changed = self._module_states.changed(module.name for module in modules)
        hashes = {module.file: module.digest for module in modules}
        return hashes, {f"module:{name}" for name in changed}

    def _ask_for_executed(self, own: set[str]) -> None:
        """Take note of files that were executed, but are not of the project's `own` modules."""
        for file in {code.co_filename for code in self._codes.values()} - own:
            if self._users_files.is_users_code(file) and file not in self._positions.files:
                self._files.ask(self._files.place(file))

    def _modules_of(self, names: set[str], files: Collection[str]) -> set[str]:
        """Return the modules that a run uses, in these files too, or asks for by a text."""
        used = {name for name, module in self._modules.own.items() if module.file in files}
        if not _FINDERS.isdisjoint(names):
            used.update(*map(texts_of, self._codes.values()))
        return used | (names & sys.modules.keys())

    def _hooked(self, *_: object) -> None:
        """Take note of a hook that hears of all events from now on."""
        self._put.add("sys.addaudithook")

    def _executed(self, _: str, args: tuple[Any, ...]) -> None:
        """Take note of code that is executed: a module's, or what a cell makes of a text."""
        code = args[0]
        if not isinstance(code, CodeType):
            return
        file = code.co_filename
        if file.startswith(OURS) or (file[:1] != "<" and not self._callers.is_users_file(file)):
            return
        is_cells = file in self._positions.files
        if not is_cells and self._callers.is_users_file(file):
            self._modules.codes[file] = code
        elif not is_cells and not self._callers.is_users(self._callers.beyond_python()):
            return
        self._codes[id(code)] = code

    def _note(self, found: Iterable[Mention], line_of: Callable[[int], int]) -> None:
        for mention in found:
            if mention.kind == "setting":
                self._put.add(mention.name)
            else:
                self._hindrances.add(mention.kind, _WORDS[mention.kind], line_of(mention.line))

    def _line_of(self, code: CodeType) -> Callable[[int], int]:
        known = self._positions.files.get(code.co_filename)
        return known[1] if known is not None else _nowhere


def _is_within(place: SettingPlace, lines: Collection[int], first: int) -> bool:
    """Return whether something is set where a function of these lines runs, not where it is made.

    A function with decorators begins with the line of the `first` of them.
    """
    return place.line in lines and not (place.decorates and place.line == first)


def _nowhere(_: int) -> int:
    """Return the line of what stands in another cell."""
    return 0


def _texts(code: CodeType, home: Mapping[str, Any]) -> Iterable[str]:
    """Yield the texts that may be paths: those in a statement, and those that its names hold."""
    for each in (code, *inside(code)):
        for const in each.co_consts:
            if type(const) is str and os.sep in const and len(const) < _LONGEST_PATH:
                yield const
        for name in each.co_names:
            value = home.get(name)
            if type(value) is str:
                if os.sep in value and len(value) < _LONGEST_PATH and "\n" not in value:
                    yield value
            elif type(value) is PosixPath or type(value) is WindowsPath:  # a metaclass may compare
                yield str(value)
