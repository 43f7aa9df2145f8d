"""A kernel that runs nothing whose outcome is known, and is started when something is not.

To who uses it, it is a kernel like any other: it answers what a full run would have given. So all
that is judged of the answers is judged as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from pytest_nbsafe.kernel.checkpoint_contract import VisitQuestion
from pytest_nbsafe.kernel.contract import (
    OPEN_FIGURES,
    Answer,
    CellRun,
    HostQuestion,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
    no_answer,
)
from pytest_nbsafe.resume import following, known_answers, questions, recalling, world
from pytest_nbsafe.resume.carried_logs import CarriedLogs
from pytest_nbsafe.resume.catching_up import (
    Step,
    held_after,
    lists_names,
    made_now,
    mentioned,
    needed,
    opened,
    steps,
)
from pytest_nbsafe.resume.identities import Identities
from pytest_nbsafe.resume.kept_values import Keeper, Moment
from pytest_nbsafe.resume.learners import may_learn
from pytest_nbsafe.resume.memory import Memory, note_varying, to_run
from pytest_nbsafe.resume.needed_imports import may_tell
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.repeated_runs import has_failed, is_other, missed_names, verify
from pytest_nbsafe.resume.run_numbers import RunNumbers
from pytest_nbsafe.resume.shown_numbers import begins_anew, shown_so_far
from pytest_nbsafe.resume.state import START, State, asks_figures
from pytest_nbsafe.runner.executed import Executed, Heard, tell
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.live_kernel import LiveKernel, StateDiffers
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.values import replace

_PYTHON = "python"
_SURROUNDINGS = "surroundings"


class RememberingKernel:
    """A kernel of `memory`; `wake` makes the live one, `live` as long as it is up.

    `folder` is told what that has written, unless it runs in a copy: another live one has to find
    it as the first did. `reasons` say, by the number of the run, why it had to be made. `woken`
    says whether a live kernel was needed at all. `past` are the runs of the session, `state` is
    what is held after them. `keeper` keeps values, where any are kept: not while the live kernel is
    between two states, as it is when what it gives is not what it should.
    """

    def __init__(
        self, memory: Memory, wake: Callable[[], LiveKernel], folder: FolderCopies | None = None
    ) -> None:
        self.reasons: dict[int, str] = {}
        self.python = self.fault = ""
        self._memory, self._wake, self._folder = memory, wake, folder
        self.live: LiveKernel | None = None
        self.woken = False
        self._identities = Identities()
        self.past: list[PastRun] = []
        self._made, self._again_s = 0, 0.0
        self._held: dict[str, str] = {}
        self._numbers = RunNumbers()
        self._is_whole = self._log_is_whole = True
        self._left_out = set[str]()
        self._to_come: tuple[str, ...] = ()
        self._is_second = self._is_expecting = self._is_visited = self._over = False
        self._is_between = False
        self.state: State = START
        about = memory.store, memory.context, memory.notebook
        self.keeper = Keeper(*about) if memory.keeps else None
        self._logs = CarriedLogs(*about)

    @property
    def alive(self) -> bool:
        """Whether it can run another cell."""
        return not self._over and (self.live is None or self.live.alive)

    def start(self) -> None:
        """Start it, if nothing is known of it yet."""
        memory = self._memory
        known = memory.store.entries(memory.context, _PYTHON)
        if known:
            self.python = str(known[0].content["python"])
            return
        self._started()
        if self.python and not self.fault:
            content = {"python": self.python}
            memory.store.add(memory.context, _PYTHON, memory.notebook, content, 0.0)

    def execute(self, source: str, limit_s: float | None, heard: Heard | None) -> Executed:
        """Return what a cell gives: what it gave before, where that would be the same."""
        known = recalling.known_run(self._memory, source, self.past, self.state, limit_s)
        if not isinstance(known, str) and self._memory.verifier is None:
            run = self._recalled(source, *known)
            if not (self._holds_all() and self._logs.would_miss(self.past, run)):
                self._note(run)
                tell(run.executed, heard)
                return run.executed
            known = "another cell has learned before it"
        number = len(self.past) + 1
        self.reasons[number] = known if isinstance(known, str) else "it is to be verified"
        whole = lists_names(source) or questions.asks_history(source)

        def learns() -> bool:
            return self._any_learns((source, *to_run(self._memory, self._to_come)))

        live = self._caught_up((source, *self._to_come), whole=whole, learns=learns)
        if self.keeper is not None:
            changes = self._memory.changes.get(source, ())
            self.keeper.keep_before(live, self._now(), changes)
        self._is_between = True
        executed = self._numbered(self._run(live, source, limit_s, heard), number)
        if not self._log_is_whole and self._memory.learners.took_part(executed.event):
            raise StateDiffers  # from which rows, nobody has seen
        self._made += 1
        if self._left_out and (has_failed(executed) or begins_anew(executed.event, self.past)):
            raise StateDiffers  # for want of an import, perhaps
        if not self._holds(missed_names(executed)):
            raise StateDiffers  # it read what nobody thought that it would
        if not isinstance(known, str):
            verify(self._memory, number, *known, executed)
        here = None if self._is_whole else [n for n in self._held if self._holds({n})]
        name = recalling.kept(self._memory, source, executed, self.past, self.state, here)
        about = self.past, self.state, self.keeper, here
        self._note(following.made_run(source, executed, name, *about))
        self._held = held_after(self._held, self.past[-1])
        self._is_between = False
        if self.keeper is not None:
            self.keeper.note(self.past)
            if self._is_expecting and not self._to_come:
                self.keeper.keep_all(live, self._now())
        return executed

    def expect(self, sources: Sequence[str]) -> None:
        """Take note of the cells that will be run: what they read will be needed."""
        self._to_come, self._is_expecting = tuple(sources), bool(sources)

    def aside(self, asked: HostQuestion, margin_s: float) -> Answer:
        """Return what became of cells on the side: what did before, in the same state."""
        if asked["way"] in {"hold", "held"}:  # what would run from there is reused
            return no_answer("a kernel that remembers holds nothing")
        options = {key: asked[key] for key in ("limit_s", "stir", "follow", "way")}
        asks_lines = asked["way"] != "look"
        question = questions.of_cells("aside", asked["cells"], options)
        question = known_answers.of_now(question, self.past, lines=asks_lines)
        known = known_answers.known(self._memory, question)
        if known is not None:
            answer = cast("Answer", known)
        else:
            cells = asked["cells"]
            live = self._caught_up(cells, learns=lambda: self._any_learns(cells))
            answer = live.aside(asked, margin_s)
            events = [run["event"] for run in answer["runs"] if run["event"] is not None]
            if self._left_out and any(e["raised"] or begins_anew(e, self.past) for e in events):
                raise StateDiffers
            if any(map(asks_figures, events)) and not self._holds({OPEN_FIGURES}):
                raise StateDiffers
            for ordinal, run in enumerate(answer["runs"], 1):
                if run["event"] is not None:
                    run["event"] = self._told(run["event"], len(self.past) + ordinal)
            if answer["cause"] or any(map(recalling.is_hindered, events)):
                self._memory.used.note_unkept()
            else:
                about = question, answer, world.of_runs(events), answer["cost_s"]
                known_answers.keep(self._memory, *about)
        self._over = self._over or asked["way"] == "here"
        return answer

    def surroundings(self, asked: SurroundingsQuestion) -> Surroundings | None:
        """Return what the cells ran in."""
        question = questions.of_cells(_SURROUNDINGS, (), dict(asked))
        question = known_answers.of_now(question, self.past)
        known = known_answers.known(self._memory, question)
        if known is not None:
            return cast("Surroundings", known)
        files = [*asked["files"], *opened(self.past)]
        live = self.live if all(run.is_quiet for run in self.past[self._made :]) else None
        live = live or self._caught_up(())
        answer = live.surroundings({**asked, "files": files, "left_out": [*self._left_out]})
        if answer is not None:
            uses = world.of_surroundings(asked)
            known_answers.keep(self._memory, question, answer, uses, 0.0)
        return answer

    def sweep(self, *, names: bool) -> Sweep | None:
        """Return all that it holds, or only what no name shows."""
        return self._caught_up([*self.state]).sweep(names=names)

    def visited(self, asked: VisitQuestion) -> Path:
        """Let front ends in, once it holds all that it should; return how they find it.

        What it holds is kept as it is then, never as they leave it.
        """
        live = self._caught_up([*self.state])
        self._is_visited = True
        if self.keeper is not None:
            self.keeper.keep_rest(live, self._now())
        names = self._held.items()
        self.state = {n: h for n, h in self.state.items() if n[:1] == "<" or (n, h.maker) in names}
        return live.visited(asked)

    def knows_next(self, source: str) -> bool:
        """Tell whether it is known what a cell would give, and take note of that run if so."""
        known = recalling.known_run(self._memory, source, self.past, self.state, None)
        if isinstance(known, str):
            return False
        self._note(self._recalled(source, *known))
        return True

    def close(self) -> None:
        """Stop it, if it was started; safe to call twice."""
        self._over = True
        self._memory.store.mark_used(self._memory.used.entries)
        if self.live is not None:
            if self.live.alive and self.keeper is not None:
                is_known = not (self._is_visited or self._is_between)
                self.keeper.finish(self.live, self._now(), begins=is_known)
                if self._log_is_whole and is_known:
                    self._logs.keep(self.live, self.past, self._numbers.of)
            self.live.close()
            self.live = None

    # -- the live kernel ---------------------------------------------------------------------------

    def _started(self) -> LiveKernel:
        if self.live is None:
            self.live = live = self._wake()
            self.woken = True
            live.start()
            self.python, self.fault = live.python, live.fault
        return self.live

    def _caught_up(
        self, texts: Sequence[str], *, whole: bool = False, learns: Callable[[], bool] = bool
    ) -> LiveKernel:
        """Return the live kernel, all held in it that these texts may read.

        It is `whole` if all that ran before has run in it. Where what is asked of it
        `learns`, what was learned before is known in it.

        Raises:
            StateDiffers: what ran before gives something else now.

        """
        if self.live is not None and self._holds_all():
            return self.live
        if to_run(self._memory, self._to_come):
            texts = (*texts, *self._to_come)
        whole = whole or self._is_second  # nothing is begun a third time
        if whole and not self._is_whole:
            self._end_live()
        live = self._started()
        left = self.past[self._made :]
        sources = {run.entry: run.source for run in self.past}
        wanted = needed(self.state, texts, sources)
        leaves_out = not may_tell(mentioned(self.state, texts, sources))
        may = {"may_load": self.keeper is not None and not whole, "leaves_out": leaves_out}
        plan, before = steps(left, wanted, earlier=self.past[: self._made], **may)
        state = left[0].before if left else self.state
        if any(n in state and self._held.get(n) != state[n].maker for n in before):
            self._end_live()  # it holds too little
            return self._caught_up(texts, whole=True)
        held, stale = made_now(self._held, left, plan, self.state)
        log, skips = None, any(r.learning and not s.runs for r, s in zip(left, plan, strict=True))
        if (skips or not self._log_is_whole) and self._any_learns(texts):
            log = self._logs.find(self.past, self.state, held)
            if log is None and learns():
                return self._caught_up(texts, whole=True)
        if skips:
            live.carry({"do": "rest"})
            self._log_is_whole = False
        self._is_whole = self._is_whole and all(step.is_whole for step in plan)
        self._is_between = bool(left)
        if left:
            live.carry({"do": "again"})
            for run, step in zip(left, plan, strict=True):
                self._made += 1
                if step.runs and live.alive:
                    self._run_again(live, self._made, run, step)
                if step.loads and live.alive:
                    self._load(live, run, step)
            if not live.alive:
                raise StateDiffers
            live.carry({"do": "anew"})
            live.unbind(stale)
            self._identities.unbound(stale)
            self._count_from(live, len(self.past) + 1)
        self._held, self._is_between = held, False
        if log is not None:
            if live.carry(log)["cause"]:
                self._end_live()
                return self._caught_up(texts, whole=True)
            self._log_is_whole = True
        return live

    def _now(self) -> Moment:
        return Moment(tuple(self.past), dict(self._held))

    def _holds(self, names: Iterable[str]) -> bool:
        """Return whether the live kernel holds what the session does of names, where it does."""
        return all(self._held.get(n) == self.state[n].maker for n in {*names} & self.state.keys())

    def _holds_all(self) -> bool:
        """Return whether all that ran has run in the live kernel, which has watched it."""
        return self._made == len(self.past) and self._is_whole and self._log_is_whole

    def _end_live(self) -> None:
        """End the live kernel: another will come to the state of the session."""
        if self.live is not None:
            self.live.close()
        if self._folder is not None:
            self._folder.take_back()
        self.live, self._made, self._is_second, self._is_between = None, 0, True, False
        self._is_whole = self._log_is_whole = True
        self._held, self._left_out = {}, set()
        self._numbers, self._identities = RunNumbers(), Identities()
        if self.keeper is not None:
            self.keeper.forget()

    def _any_learns(self, texts: Iterable[str]) -> bool:
        """Return whether a text may learn from rows, or judge what has: it has to be watched."""
        learners, past, state = self._memory.learners, self.past, self.state
        return any(may_learn(learners, text, past, state) for text in texts)

    def _run(
        self, live: LiveKernel, source: str, limit_s: float | None, heard: Heard | None
    ) -> Executed:
        executed = live.execute(source, limit_s, heard)
        if self._folder is not None:
            self._folder.note_written(recalling.written(executed))
        return executed

    def _run_again(self, live: LiveKernel, number: int, run: PastRun, step: Step) -> None:
        self._count_from(live, number)
        again = self._run(live, step.source, None, None) if live.alive else run.executed
        if again.event is None or run.executed.event is None or not live.alive:
            raise StateDiffers
        if step.left_out:
            self._left_out.update(run.packages)
        if is_other(run.executed, again, step.left_out):
            note_varying(self._memory, run.source, run.entry)
            raise StateDiffers(run.source)
        self._again_s += again.duration_s
        self._numbers.note(again.event["run"], number)
        self._identities.learn(again.event, run.executed.event)

    def _count_from(self, live: LiveKernel, number: int) -> None:
        shown = shown_so_far(self.past[: number - 1])
        if shown or not self._numbers.follows(number):
            live.count_from(number, shown)

    def _load(self, live: LiveKernel, run: PastRun, step: Step) -> None:
        assert self.keeper is not None, "without it nothing is loaded"
        for name, value in self.keeper.load(live, step.loads).items():
            held = run.after.get(name)
            if held is None or (held.hash and value["hash"] not in {"", held.hash}):
                raise StateDiffers
            self._identities.note(name, value["identity"], held.identity)

    def _numbered(self, executed: Executed, number: int) -> Executed:
        if executed.event is None:
            return executed
        self._numbers.note(executed.event["run"], number)
        told = self._told(executed.event, number)
        self._identities.follow(executed.event)
        again_s, self._again_s = self._again_s, 0.0
        return replace(executed, event=told, again_s=again_s)

    def _told(self, event: CellRun, number: int) -> CellRun:
        """Return what the live kernel told of a run, in the numbers of the session."""
        return self._identities.told(self._numbers.told(event, number, len(self.past)))

    # -- what is remembered ------------------------------------------------------------------------

    def _note(self, run: PastRun) -> None:
        """Take note that a run has been made, or recalled."""
        self.past.append(run)
        self._memory.used.note(run.entry, world.of_runs([run.executed.event]))
        self.state = run.after
        self._to_come = self._to_come[1:]

    def _recalled(self, source: str, entry: Entry, recalled: Executed) -> PastRun:
        about = self.past, self.state, self.keeper
        return following.recalled_run(source, recalled, entry, *about)
