"""Follows the runs of a kernel and publishes one event for each."""

from __future__ import annotations

import ast
import builtins
import json
import os
import re
import time
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from .checkpoint.links import Links
from .checkpoint.log_notes import note_run
from .checkpoint.rebound_names import ReboundNames
from .contract import MIME, CellRun, Fingerprint, Inputs
from .hashing.function_texts import Texts
from .hashing.object_arrays import nothing_runs
from .hashing.snapshot import Snapshot, warm_up
from .inputs.run_inputs import RunInputs
from .learning.desk import Desk
from .patches import Patches
from .tracing import bytecode_readers, instrument
from .tracing.cell_positions import TIMED, CellPositions, LineMap
from .tracing.connection import Connection
from .tracing.incidents import Watch, guarded
from .tracing.monitor import Monitor
from .tracing.name_fingerprints import NameFingerprints
from .tracing.offered import offer
from .tracing.recorder import Identities, Recorder
from .tracing.running_text import RunningText
from .tracing.sample import SAMPLE

_HISTORY = re.compile(
    r"_+|_i+|_i?\d+|_exit_code|_[ido]h|In|Out|__(?:warningregistry|annotations|builtins)__"
)
_HISTORY_BEGINS = frozenset("_IO")
_ENCODED = json.JSONEncoder(separators=(",", ":")).encode
_MAX_NODES = 200_000
_WARM = 8


class Tracer:
    """Listens to IPython's events; a fault in here never reaches user code."""

    def __init__(self, shell: Any, *, trace: bool) -> None:
        self.shell = shell
        self.trace = trace
        self.home: dict[str, Any] = shell.user_ns
        self.places = CellPositions()
        self.watch = Watch(shell, self.places)
        self.patches = Patches()
        self.connection = Connection(shell)
        self.recorder = Recorder(self.home)
        self.texts = Texts()
        self.snapshot = Snapshot(self.texts, self.home)
        self.runs = 0
        self.sources: list[RunningText] = []
        self.name_fingerprints = NameFingerprints(shell, self.snapshot)
        self.globals = Identities({})
        self.monitor = Monitor(self.begin, self.enter)
        self.bytecode_readers = bytecode_readers.BytecodeReaders()
        self.process = os.getpid()
        self.cpu = 0.0
        self.message = ""
        self.desk: Desk | None = None
        self.inputs: RunInputs | None = None
        self.links = Links(self.home, shell)
        self.rebound = ReboundNames(self.home, self.links, self.snapshot)

    def install(self) -> None:
        """Start to listen."""
        self.watch.install()
        self.shell.events.register("pre_run_cell", self.pre_run_cell)
        self.shell.events.register("post_run_cell", self.post_run_cell)
        self._watch_compiler()
        if self.trace:
            self._watch_trees()
            self.monitor.install()
            self.recorder.rearm = self.monitor.rearm
            warm_up(self.snapshot)
            self._warm_up()
        self._watch_statements()
        self.patches.learn()

    @guarded("before the first run")
    def _warm_up(self) -> None:
        """Go once through what each cell goes through, on a text of our own that never runs."""
        home = {"total": 0}
        shell = SimpleNamespace(user_ns=home, user_ns_hidden={})
        fingerprints = NameFingerprints(shell, self.snapshot)
        recorder = Recorder(home)
        for _ in range(_WARM):
            tree = ast.parse(SAMPLE)
            before = Identities(home)
            recorder.start_run(before)
            fingerprints.start_run()
            fingerprints.read(tree, SAMPLE)
            bytecode_readers.imports_compiler(tree)
            line_of = LineMap(SAMPLE, SAMPLE)
            instrument.plan(tree, recorder, 0, line_of, direct=True, monitored=self.monitor.alive)
            for hook in range(len(recorder.flags)):
                recorder.begin(hook)
            home["total"] += 1
            recorder.finish(None)
            _ENCODED(
                [recorder.events, fingerprints.finish({"total"}, {"total"}), before.changes(home)]
            )

    def _watch_compiler(self) -> None:
        compiler = self.shell.compile
        original = compiler.cache

        def cache(transformed_code: str, *args: Any, **kwargs: Any) -> Any:
            file = original(transformed_code, *args, **kwargs)
            self._compiled(transformed_code, file)
            return file

        compiler.cache = cache

    def _watch_trees(self) -> None:
        """Stand in for what rewrites a cell's tree, so that nobody rewrites our hooks."""
        original = self.shell.transform_ast

        def transform_ast(node: Any) -> Any:
            tree = original(node)
            self.read(tree)
            return tree

        self.shell.transform_ast = transform_ast

    def _watch_statements(self) -> None:
        """Stand in for what IPython runs each statement of a cell with."""
        original = self.shell.run_code

        def run_code(code: Any, *args: Any, **kwargs: Any) -> Any:
            self.starting(code)
            return original(code, *args, **kwargs)  # a coroutine: it adds no frame to the stack

        self.shell.run_code = run_code

    # ------------------------------------------------------------ IPython calls these

    @guarded("before a run")
    def pre_run_cell(self, info: Any) -> None:
        """Take note that a cell, or a nested text, is about to run."""
        raw = str(info.raw_cell)
        message = self.connection.request_id()
        if self.sources and message == self.message:
            self._start_nested(raw)
        else:
            self._start(raw, message)

    @guarded("reading a cell")
    def read(self, tree: Any) -> None:
        """Learn what a text could access, and put hooks into it."""
        self._transform(tree)

    @guarded("following a statement")
    def begin(self, hook: int) -> None:
        """Tell that the statements of a hook begin; instrumented code calls this."""
        self.recorder.begin(hook)

    @guarded("following a call")
    def enter(self, hook: int) -> None:
        """Tell that a function was entered; the interpreter calls this."""
        self.recorder.enter(hook)

    @guarded("before a statement")
    def starting(self, code: Any) -> None:
        """Take note that a statement of a cell is about to run."""
        source = self.sources[-1] if self.sources else None
        if source is not None:
            self.patches.put_back()
        if source is None or code.co_filename != source.file:
            return
        if self.inputs is not None:
            self.inputs.starting(code)
        if source.started < len(source.plan.tops):
            top, entries = source.plan.tops[source.started], source.plan.entries
            source.started += 1
            if (top.lines or entries) and self.monitor.alive:
                self.monitor.watch(code, top.lines, entries)
            if top.hook >= 0:
                self.recorder.begin(top.hook)

    @guarded("after a run")
    def post_run_cell(self, result: Any) -> None:
        """Take note that a cell, or a nested text, has ended."""
        if len(self.sources) <= 1:
            self.patches.take_back()
            self.connection.end_if_lost()
        error = result.error_before_exec or result.error_in_exec
        if len(self.sources) > 1:
            self.sources.pop()
            if error is not None:
                self.watch.captured(error, self.watch.line_of(error))
        elif self.sources:
            try:
                self._end(result, error)
            except Exception as fault:
                self.sources = []
                self.watch.fault(fault, "after a run")
                self.publish(self._nothing_known())
        elif self.watch.pending:
            self.publish(self._nothing_known())

    # ------------------------------------------------------------ a run

    def _start(self, raw: str, message: str) -> None:
        self.runs += 1
        self.message = message
        self.watch.run = self.runs
        if self.desk is not None:
            self.desk.start()
        self.sources = [RunningText(raw, 0)]
        self.cpu = time.process_time()
        if self.trace:
            self.globals = Identities(self.home)
            self.recorder.start_run(self.globals)
            self.name_fingerprints.start_run()
        if self.inputs is not None:
            self.inputs.start(self.runs)
            self.rebound.start()

    def _start_nested(self, raw: str) -> None:
        outer = self.sources[-1]
        shift = None
        if outer.shift is not None:
            at = outer.raw.find(raw.strip("\n"))
            if raw.strip() and at >= 0:
                shift = outer.shift + outer.raw.count("\n", 0, at)
        self.sources.append(RunningText(raw, shift))

    @guarded("before a cell is compiled")
    def _compiled(self, transformed: str, file: str) -> None:
        """Learn how the innermost text was transformed, and which file it is compiled from."""
        if not self.sources:
            return
        source = self.sources[-1]
        if source.file or source.shift is None:
            return
        source.file, source.text = file, transformed
        source.line_of = LineMap(source.raw, transformed, source.shift)
        self.places.learn(file, self.runs, source.line_of)

    def _transform(self, tree: ast.Module) -> None:
        if not self.sources or not isinstance(tree, ast.Module) or not tree.body:
            return
        source = self.sources[-1]
        fresh, source.transformed = not source.transformed, True
        self.name_fingerprints.read(tree, source.raw)
        if self.inputs is not None and not self.links.rests:
            own = self.own_names()
            self.rebound.read(tree, self.name_fingerprints.before, own)
        if source.shift is None:
            return
        if fresh:
            if len(self.sources) == 1 or source.file:
                source.plan = self._instrument(tree, source.line_of, source.file)
        elif source.is_timed():
            line_of = LineMap(source.raw, source.raw, source.shift + 1)
            for file in TIMED:
                self.places.learn(file, self.runs, line_of)
            source.raw = source.raw.split("\n", 1)[1]
            source.shift += 1
            if len(tree.body) > 1:  # one expression stays one: %%time shows its value
                self._instrument(tree, line_of, "")

    def _instrument(
        self, tree: ast.Module, line_of: Callable[[int], int], file: str
    ) -> instrument.TreeHooks:
        is_long = len(self.sources[-1].raw) > _MAX_NODES / 10
        if is_long and sum(1 for _ in ast.walk(tree)) > _MAX_NODES:
            self.watch.note("tracer", 0, "the cell is too long to be followed")
            return instrument.TreeHooks()
        text = self.sources[-1].text
        monitored = bool(file) and self.monitor.alive
        bare = not monitored and self.bytecode_readers.are_met(text, tree)
        if bare:
            bytecode_readers.unhook()
        plan = instrument.plan(
            tree,
            self.recorder,
            self.runs,
            line_of,
            text=text,
            functions=bool(file) and not bare,
            direct=bool(file),
            monitored=monitored,
        )
        if file:
            self.texts.register(file, plan.functions)
        self.put_in(plan)
        return plan

    def put_in(self, plan: instrument.TreeHooks) -> None:
        """Put hooks into their tree, and what they call where all code finds it."""
        if plan.edits and not hasattr(builtins, instrument.BEGIN):
            flags, hits = self.recorder.flags, self.recorder.hits
            offer({instrument.FLAGS: flags, instrument.HITS: hits, instrument.BEGIN: self.begin})
        plan.apply()

    @nothing_runs()
    def _end(self, result: Any, error: BaseException | None) -> None:
        raised = self.places.raised(error, self.runs) if error is not None else None
        bindings: dict[str, int] = {}
        after: dict[str, Fingerprint] = {}
        if self.trace:
            lines = [line for run, line in raised["frames"] if run == self.runs] if raised else []
            self.recorder.finish(None if raised is None else next(iter(lines), 0))
            changed = self.globals.changes(self.home)
            bindings = {name: changed[name] for name in changed if self.is_own(name)}
            bound = {name for event in self.recorder.events for name in event["bound"]}
            held = {name for name, identity in bindings.items() if identity}
            wanted = self.name_fingerprints.names | held
            after = self.name_fingerprints.finish(wanted, bound | bindings.keys())
        used = self._inputs(after, bindings.keys(), result)
        evaluations, copies = self.desk.report() if self.desk else ([], [])
        self.sources = []
        run: CellRun = {
            **self._nothing_known(error),
            "raised": raised,
            "statements": self.recorder.events,
            "before": self.name_fingerprints.before,
            "after": after,
            "bindings": bindings,
            "evaluations": evaluations,
            "copies": copies,
            "inputs": used,
        }
        self.publish(run)

    def _inputs(
        self, after: dict[str, Fingerprint], changed: Iterable[str], result: Any
    ) -> Inputs | None:
        """Return what the run has used beyond names, None where that is not known."""
        if self.inputs is None:
            return None
        try:
            text, look = self.sources[0].text, self.name_fingerprints
            used = self.inputs.finish(self.runs, text, self.recorder.events, self.patches.modules())
            own = self.own_names()
            more = used["unexpected"] = look.unexpected(self.inputs.called, own)
            more.update(self.rebound.changed({*look.before, *after, *more}, own))
            used["unchanged"] = sorted(look.unchanged)
            used["links"] = links = self.links.of(look.compared(), after, own, result, more)
            used["shared"] = self.links.shared(changed, links, own, result)
            if self.links.held_elsewhere:
                self.inputs.look_at_all_modules(used)
            if self.desk is not None:
                used["learning"] = sorted(self.desk.libraries)
                linked = own if links is None else [n for names in links.values() for n in names]
                about = self.runs, self.home, own, {*after, *more, *changed, *linked}
                used["fit_log"] = note_run(self.desk, *about)
        except Exception as fault:
            self.watch.fault(fault, "following what a run uses")
            return None
        return used

    def own_names(self) -> list[str]:
        """Return the names of the notebook that hold something."""
        return [name for name in list(self.home) if self.is_own(name)]

    def is_own(self, name: object) -> bool:
        """Tell whether a name is the notebook's, not one that IPython keeps."""
        hidden = self.shell.user_ns_hidden
        if not isinstance(name, str) or (name in hidden and hidden[name] is self.home.get(name)):
            return False
        return name[:1] not in _HISTORY_BEGINS or not _HISTORY.fullmatch(name)

    # ------------------------------------------------------------ the host

    def publish(self, run: CellRun) -> None:
        """Send a run with the reply to its request, or as a message of its own."""
        payloads = getattr(self.shell, "payload_manager", None)
        if payloads is not None and os.getpid() == self.process:
            text = _ENCODED(run)  # IPython goes over nested values one by one
            payloads.write_payload({"source": MIME, "run": text})
        else:
            self.shell.display_pub.publish({MIME: run}, metadata={})

    def _nothing_known(self, raised: BaseException | None = None) -> CellRun:
        """Return a run of which only the incidents are known."""
        return {
            "run": self.runs,
            "raised": None,
            "statements": [],
            "before": {},
            "after": {},
            "bindings": {},
            "incidents": self.watch.report(raised),
            "evaluations": [],
            "copies": [],
            "cpu_s": time.process_time() - self.cpu,
            "inputs": None,
        }
