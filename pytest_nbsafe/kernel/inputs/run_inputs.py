"""Follows what a run uses and does beyond the names of the notebook."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from types import CodeType
from typing import Any

from .. import audit, open_log
from ..adapters import says
from ..contract import FileRead, Inputs, StatementEvent
from ..functions.stand_in import watch_tracebacks
from ..hashing.snapshot import Snapshot
from ..installed_files import UsersFiles
from ..open_figures import OpenFigures
from ..tracing.cell_positions import CellPositions
from .builtin_calls import watch_status
from .builtin_names import BuiltinNames
from .callers import Callers
from .chance import Chance
from .executed_code import ExecutedCode, nowhere
from .file_uses import FileUses
from .held_streams import HeldStreams
from .hindrances import Hindrances
from .kept_results import KeptResults
from .log_times import watch_log_times
from .module_places import ModulePlaces
from .module_settings import ModuleSettings
from .module_states import ModuleStates
from .module_uses import ModuleUses
from .native_files import UNFOLLOWED, NativeFiles
from .pipes import is_of_a_pipe
from .project_reach import mentioned, taking_part
from .running_numbers import advanced, numbers
from .setting_places import may_set
from .setting_uses import SettingUses
from .table_lookups import TableLookups
from .text_lookups import texts_of
from .variables import VariableUses

_BY_IMPORTS = {
    "warnings": frozenset({"filterwarnings", "simplefilter", "resetwarnings", "filters"}),
    "shell": frozenset({"get_ipython"}),
}
"""Settings that what is imported may set by itself, with the words of cells that set them, too."""
_FINDERS = frozenset({"find_spec", "find_loader"})
"""Functions that tell whether a module is there, and import nothing."""


class RunInputs:
    """What the current run uses, and what hinders that it is reused.

    `figures` are those that are open.
    """

    def __init__(self, shell: Any, positions: CellPositions, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._module_states = ModuleStates(snapshot)
        self._users_files = users_files = UsersFiles()
        self._shell = shell
        self._home: dict[str, Any] = shell.user_ns
        self._positions = positions
        self._callers = Callers(positions, users_files)
        self._files = FileUses(users_files)
        self._native = NativeFiles(self._files, users_files)
        self._variables = VariableUses(self._callers)
        self._modules = ModuleUses(users_files)
        self._places = ModulePlaces(users_files)
        self._module_settings = ModuleSettings()
        self._hindrances = Hindrances(self._callers)
        self._chance = Chance(self._callers, self._hindrances)
        self._settings = SettingUses(shell)
        self._kept_results = KeptResults(self._home)
        self._table_lookups = TableLookups(self._home)
        self._streams = HeldStreams()
        self._builtins = BuiltinNames()
        self.figures = OpenFigures()
        self._code = ExecutedCode(
            self._callers, positions, self._modules, self._hindrances, self._home
        )
        self._put: set[str] = set()
        self._patches: set[str] = set()
        self._numbers: dict[str, int] = {}

    @property
    def called(self) -> set[str]:
        """The words of the functions of cells that it has called, and of what it looked up."""
        return self._code.called

    def install(self) -> None:
        """Listen from now on."""
        watch_tracebacks([], self._shell)
        self._files.install()
        self._hindrances.install()
        self._variables.install()
        self._places.install()
        self._code.install()
        audit.listen(self._hooked, ["sys.addaudithook"])
        watch_status(self._files, self._callers, self._hindrances)
        self._chance.install()
        watch_log_times(self._callers, self._hindrances)
        self._native.install()

    def start(self, run: int) -> None:
        """Take note that a run begins."""
        self._put = set()
        open_log.read_now.clear()
        self._native.start()
        self._files.start()
        self._variables.start()
        self._places.start()
        self._chance.start()
        self._code.start()
        self._hindrances.start(run)
        self._kept_results.start()
        self._table_lookups.start()
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
        self._native.starting(code, self._home)

    @open_log.unnoticed()
    def finish(
        self, run: int, text: str, statements: Iterable[StatementEvent], patched: Iterable[str]
    ) -> Inputs:
        """Return what the run of a text has used.

        `patched` are the modules in which cells have put something of their own so far.
        """
        figures = self.figures.told()
        self._files.stop()
        self._variables.stop()
        self._hindrances.stop()
        self._code.stop()
        self._native.look()
        packages = self._modules.look()
        settings, drew = self._settings.changes()
        names = self._code.look(run, text, statements, self._settings.met)
        modules, grown = self._look_at_modules(names)
        grown.update(self._module_states.put_changed(self._code.puts))
        self._hindrances.look_at_what_runs(self._shell)
        self._look_at_values(names)
        settings = self._settings_of_cells(settings, names)
        for library in self._code.states:
            self._chance.ask(library)
        drew = self._chance.finish(drew, self._settings, names)
        files = self._files_asked()
        patches = {f"module:{place}" for place in patched}
        newly_patched, self._patches = patches - self._patches, patches
        settings += [*self._put, *self._code.sets, *newly_patched, *grown]
        return {
            "files": files,
            "opened": [p for p in open_log.read_now if not self._users_files.is_installed(p)],
            "folders": self._files.folders,
            "written": self._files.written(),
            "variables": self._variables.read,
            "variables_set": sorted(self._variables.set),
            "modules": modules,
            "places": self._places.told(self._modules_of(names, modules)),
            "packages": packages,
            "submodules": self._modules.new_submodules,
            "settings": sorted(set(settings)),
            "drew": drew,
            "states": self._states_of([*settings, *drew]),
            "kept_results": self._kept_results.changed(),
            "looked_up": self._table_lookups.came(),
            "open_figures": figures,
            "numbers": advanced(self._numbers),
            "unexpected": {},
            "sought": sorted(self._code.sought - self._home.keys()),
            "hindrances": self._hindrances.all(),
            "learning": [],
            "fit_log": None,
            "unchanged": [],
            "links": None,
            "shared": {},
        }

    def look_at_all_modules(self, used: Inputs) -> None:
        """Add to what a run has used the modules of the project that it changed unseen.

        Cells hold what a module gave them and has kept, and change it there.
        """
        changed = {f"module:{name}" for name in self._module_states.changed_since()}
        used["settings"] = sorted(changed.union(used["settings"]))

    def _states_of(self, places: Iterable[str]) -> dict[str, str]:
        """Return hashes of what places hold, but of what imports have set, too, as always."""
        by_imports = _BY_IMPORTS if self._modules.are_new else ()
        looked_at = [place for place in dict.fromkeys(places) if place not in by_imports]
        return self._settings.hashes(looked_at, self._snapshot)

    def _look_at_values(self, names: Collection[str]) -> None:
        """Note what hinders of the values that names of the code hold."""
        values = [self._home[name] for name in names if name in self._home]
        if any(map(is_of_a_pipe, values)):
            self._hindrances.add("native", "it uses a pipe or a socket", 0)
            self._put.add("descriptors")
        if any(says("writes_to_file", value) for value in values):
            self._hindrances.add("native", "it may write to a file that lies in memory", 0)

    def _settings_of_cells(self, changed: list[str], names: set[str]) -> list[str]:
        """Return those of the `changed` settings that cells may have set, and what else they set.

        `names` are those in the code that ran.
        """
        settings = [*changed]
        if self._modules.are_new:  # what was imported may have set them, as it always does
            said = names.union(*(module.all_names for module in self._modules.new))
            by_imports = {each for each, words in _BY_IMPORTS.items() if words.isdisjoint(said)}
            settings = [setting for setting in settings if setting not in by_imports]
        if self._variables.set:
            settings.append("os")
        if self._streams.are_written(self._code.called_functions):
            settings.append("streams")
        if self._builtins.are_changed():
            settings.append("module:builtins")
        if any(map(may_set, self._modules.new)):  # what they hold before is not known
            settings += self._settings.new_settings
        return settings

    def _files_asked(self) -> list[FileRead]:
        """Return the files that the run asked for, but those of the project's modules."""
        own = {module.file for module in self._modules.own.values()}
        for file in self._code.files - own:
            if self._users_files.is_users_code(file) and file not in self._positions.files:
                self._files.ask(self._files.place(file))
        self._users_files.learn()
        files = [*self._files.files()]
        if self._files.unseen or self._files.lost:
            self._hindrances.add("native", UNFOLLOWED, 0)
        self._native.hinder(self._hindrances)
        return [file for file in files if file["path"] not in own]

    def _look_at_modules(self, names: set[str]) -> tuple[dict[str, str], set[str]]:
        """Return the files of the modules of the project that take part, with their hashes.

        And those that hold something else than before.
        """
        if not self._modules.own:
            return {}, set()
        modules, codes = taking_part(self._modules.own, names, self._home, self._code.files)
        self._code.note(mentioned(codes), nowhere)
        places = self._module_settings.set_by(modules, self._modules.new, codes)
        self._put |= places - self._modules.own.keys()
        changed = self._module_states.changed(module.name for module in modules)
        hashes = {module.file: module.digest for module in modules}
        return hashes, {f"module:{name}" for name in changed}

    def _modules_of(self, names: set[str], files: Collection[str]) -> set[str]:
        """Return the modules that a run uses, in these files too, or asks for by a text."""
        used = {name for name, module in self._modules.own.items() if module.file in files}
        if not _FINDERS.isdisjoint(names):
            used.update(*map(texts_of, self._code.codes))
        return used | (names & sys.modules.keys())

    def _hooked(self, *_: object) -> None:
        """Take note of a hook that hears of all events from now on."""
        self._put.add("sys.addaudithook")
