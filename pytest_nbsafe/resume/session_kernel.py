"""A session, and the live kernel that is brought to the state that the session is in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from pytest_nbsafe.kernel.contract import TELLS_INPUTS, CellRun
from pytest_nbsafe.notebook.model import minor_version
from pytest_nbsafe.resume import recalling, submodules
from pytest_nbsafe.resume.carried_logs import CarriedLogs
from pytest_nbsafe.resume.catching_up import (
    Step,
    made_now,
    may_rename,
    needed,
    reached,
    steps,
)
from pytest_nbsafe.resume.identities import Identities
from pytest_nbsafe.resume.kept_entries import Moment
from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.learners import may_learn
from pytest_nbsafe.resume.memory import Memory, note_varying, to_run
from pytest_nbsafe.resume.needed_imports import may_tell
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.read_beyond import words_of_code_in_settings
from pytest_nbsafe.resume.repeated_runs import is_other
from pytest_nbsafe.resume.run_numbers import RunNumbers
from pytest_nbsafe.resume.shown_numbers import shown_so_far
from pytest_nbsafe.resume.state import START, State
from pytest_nbsafe.resume.text_patterns import cannot_be_loaded_beside
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.runner.executed import Executed, Heard
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kernel import StateDiffers
from pytest_nbsafe.runner.live_kernel import LiveKernel

_TELLS_NOTHING = f"does not tell what cells use, {'.'.join(map(str, TELLS_INPUTS))} or newer does"


class SessionKernel:
    """A session of `memory`; `wake` makes a live kernel, `live` is that as long as it is up.

    `folder` is told what it has written, unless it runs in a copy: another live one has to find it
    as the first did. `past` are the runs of the session, `state` is what is held after them.
    `keeper` keeps values, where any are kept: not while the live kernel is between two states, as
    it is when what it gives is not what it should.
    """

    def __init__(
        self, memory: Memory, wake: Callable[[], LiveKernel], folder: FolderCopies | None = None
    ) -> None:
        self.python = self.fault = ""
        self._memory, self._wake, self._folder = memory, wake, folder
        self.live: LiveKernel | None = None
        self._identities = Identities()
        self._past: list[PastRun] = []
        self._state: State = START
        self._put_off: Callable[[], None] | None = None
        self._made, self._again_s = 0, 0.0
        self._held: dict[str, str] = {}
        self._numbers = RunNumbers()
        self._is_whole = self._log_is_whole = True
        self._left_out = set[str]()
        self._to_come: tuple[str, ...] = ()
        self._is_second = self._is_between = False
        about = memory.store, memory.context, memory.notebook
        self.keeper = Keeper(*about) if memory.keeps else None
        self._logs = CarriedLogs(*about)

    @property
    def past(self) -> list[PastRun]:
        """The runs of the session."""
        self._do_put_off()
        return self._past

    @property
    def state(self) -> State:
        """What is held after them."""
        self._do_put_off()
        return self._state

    @property
    def _ended(self) -> int:
        """How many runs have ended, the last of which may not be noted yet."""
        return len(self._past) + (self._put_off is not None)

    def _do_put_off(self) -> None:
        """Take note of the last run, if that was put off."""
        work, self._put_off = self._put_off, None
        if work is not None:
            work()

    def _started(self) -> LiveKernel:
        if self.live is None:
            self.live = live = self._wake()
            live.start()
            self.python, self.fault = live.python, live.fault
            if (minor_version(live.python) or TELLS_INPUTS) < TELLS_INPUTS:
                self._memory.used.refused = f"Python {live.python} {_TELLS_NOTHING}"
                self.keeper = None
        return self.live

    def _caught_up(
        self, texts: Sequence[str], *, whole: bool = False, learns: Callable[[], bool] = bool
    ) -> LiveKernel:
        """Return the live kernel, all held in it that these texts may read.

        It is `whole` if all that ran before has run in it. Where what is asked of it
        `learns`, what was learned before is known in it.

        Raises:
            StateDiffers: what ran before gives something else now, or the live kernel has died.

        """
        if self.live is not None and self._holds_all():
            return self.live
        if to_run(self._memory, self._to_come):
            texts = (*texts, *self._to_come)
        in_settings = " ".join(sorted(words_of_code_in_settings(self.past)))
        read = reached(self.state, (*texts, in_settings), self.past)
        whole = whole or self._is_second or may_rename(self.state, read)
        whole = whole or cannot_be_loaded_beside((*texts, *(run.source for run in self.past)))
        if whole and not self._is_whole:
            self._end_live()
        live = self._started()
        left = self.past[self._made :]
        plan = self._plan(left, read, whole=whole)
        if plan is None:
            return self._caught_up_whole(texts)
        held, stale = made_now(self._held, left, plan, self.state)
        log = None
        skips = any(run.learning and not step.runs for run, step in zip(left, plan, strict=True))
        if (skips or not self._log_is_whole) and self._any_learns(texts):
            log = self._logs.find(self.past, self.state, held)
            if log is None and learns():
                return self._caught_up(texts, whole=True)
        if skips:
            live.carry({"do": "rest"})
            self._log_is_whole = False
        self._is_whole = self._is_whole and all(step.is_whole for step in plan)
        if left:
            again = [run.source for run, step in zip(left, plan, strict=True) if step.runs]
            wanted = submodules.reached((*read, *again), self.past)
            self._follow(live, left, plan, stale, wanted)
        self._held, self._is_between = held, False
        if log is not None:
            if live.carry(log)["cause"]:
                return self._caught_up_whole(texts)
            self._log_is_whole = True
        return live

    def _caught_up_whole(self, texts: Sequence[str]) -> LiveKernel:
        """Return a new live kernel, in which all that ran before has run."""
        self._end_live()
        return self._caught_up(texts, whole=True)

    def _plan(
        self, left: Sequence[PastRun], read: Collection[str], *, whole: bool
    ) -> list[Step] | None:
        """Return what is to be done about the runs that are `left` so that texts can be `read`.

        None where the live kernel holds too little for that.
        """
        plan, before = steps(
            left,
            needed(self.state, read),
            earlier=self.past[: self._made],
            may_load=self.keeper is not None and not whole,
            leaves_out=not may_tell(words_of(*read)),
        )
        state = left[0].before if left else self.state
        holds = all(self._held.get(n) == state[n].maker for n in before if n in state)
        return plan if holds else None

    def _follow(
        self,
        live: LiveKernel,
        left: Sequence[PastRun],
        plan: Sequence[Step],
        stale: Sequence[str],
        wanted: Collection[str],
    ) -> None:
        """Run again, load and leave out as planned, and unbind what is `stale` then.

        Of the modules within packages that runs have imported which are left out, only those that
        are `wanted` are imported: the others would take what leaving out has saved.

        Raises:
            StateDiffers: something else comes of it, or the live kernel has died.

        """
        self._is_between = True
        live.carry({"do": "again"})
        for run, step in zip(left, plan, strict=True):
            self._made += 1
            if step.runs and live.alive:
                self._run_again(live, self._made, run, step)
            elif live.alive and (modules := [m for m in run.submodules if m in wanted]):
                live.import_again(modules)
            if step.loads and live.alive:
                self._load(live, run, step)
        live.carry({"do": "anew"})
        live.unbind(stale)
        self._identities.unbound(stale)
        self._count_from(live, len(self.past) + 1)
        if not live.alive:
            raise StateDiffers

    def _now(self) -> Moment:
        return Moment(tuple(self.past), dict(self._held))

    def _holds(self, names: Iterable[str]) -> bool:
        """Return whether the live kernel holds what the session does of names, where it does."""
        return all(self._held.get(n) == self.state[n].maker for n in {*names} & self.state.keys())

    def _holds_all(self) -> bool:
        """Return whether all that ran has run in the live kernel, which has watched it."""
        return self._made == self._ended and self._is_whole and self._log_is_whole

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
        if not live.alive:
            raise StateDiffers
        executed = live.execute(source, limit_s, heard, self._do_put_off)
        if self._folder is not None:
            self._folder.note_written(recalling.written(executed))
        return executed

    def _run_again(self, live: LiveKernel, number: int, run: PastRun, step: Step) -> None:
        self._count_from(live, number)
        again = self._run(live, step.source, None, None)
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

    def _told(self, event: CellRun, number: int) -> CellRun:
        """Return what the live kernel told of a run, in the numbers of the session."""
        return self._identities.told(self._numbers.told(event, number, len(self.past)))
