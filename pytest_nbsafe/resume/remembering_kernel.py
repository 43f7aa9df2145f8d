"""A kernel that runs nothing whose outcome is known, and is started when something is not.

To who uses it, it is a kernel like any other: it answers what a full run would have given. So all
that is judged of the answers is judged as before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import cast

from pytest_nbsafe.kernel.checkpoint_contract import VisitQuestion
from pytest_nbsafe.kernel.contract import (
    OPEN_FIGURES,
    Answer,
    HostQuestion,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
    no_answer,
)
from pytest_nbsafe.resume import following, known_answers, questions, recalling, world
from pytest_nbsafe.resume.catching_up import held_after, opened
from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.memory import Memory, to_run, why_unfit
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.repeated_runs import has_failed, missed_names, verify
from pytest_nbsafe.resume.session_kernel import SessionKernel
from pytest_nbsafe.resume.shown_numbers import begins_anew
from pytest_nbsafe.resume.state import asks_figures
from pytest_nbsafe.resume.text_patterns import lists_names
from pytest_nbsafe.runner.executed import Executed, Heard, tell
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kernel import StateDiffers, Visited
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.values import replace

_PYTHON = "python"
_SURROUNDINGS = "surroundings"


class RememberingKernel(SessionKernel):
    """A kernel of `memory`; `reasons` say, by the number of the run, why it had to be made."""

    def __init__(
        self, memory: Memory, wake: Callable[[], LiveKernel], folder: FolderCopies | None = None
    ) -> None:
        super().__init__(memory, wake, folder)
        self.reasons: dict[int, str] = {}
        self._is_expecting = self._is_visited = self._over = False
        self._last: Executed | None = None

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
        live, reason = self.live, self._reason_at_once(source)
        if live is not None and reason:
            return self._made_now(live, source, limit_s, heard, reason)
        known = recalling.known_run(self._memory, source, self.past, self.state, limit_s)
        if not isinstance(known, str) and self._memory.verifier is None:
            run = self._recalled(source, *known)
            if not (self._holds_all() and self._logs.would_miss(self.past, run)):
                self._note(run)
                tell(run.executed, heard)
                return run.executed
            known = "another cell has learned before it"
        whole = lists_names(source) or questions.asks_history(source)

        def learns() -> bool:
            return self._any_learns((source, *to_run(self._memory, self._to_come)))

        live = self._caught_up((source, *self._to_come), whole=whole, learns=learns)
        if self.keeper is not None:
            is_last = len(self._to_come) <= 1
            self.keeper.keep_before(live, self._now(), self._changes(source), is_last=is_last)
        return self._made_now(live, source, limit_s, heard, known)

    def _reason_at_once(self, source: str) -> str:
        """Return why a cell has to run, where that is known before the last run is noted.

        Empty where it is not, or where the live kernel is not ready for it as it is.
        """
        last, keeper = self._last, self.keeper
        if self._put_off is None or last is None or self._memory.verifier is not None:
            return ""
        if not self._holds_all() or self._left_out or not self.alive:
            return ""
        if keeper is not None and keeper.would_keep_before(last, self._changes(source)):
            return ""
        return recalling.reason_of_none(self._memory, source)

    def _made_now(
        self,
        live: LiveKernel,
        source: str,
        limit_s: float | None,
        heard: Heard | None,
        known: tuple[Entry, Executed] | str,
    ) -> Executed:
        """Return what a cell gives in the live kernel, which holds all that it may read.

        `known` is what was known of it, or why it has to run. That it was made is noted while the
        next cell runs, if there is one.
        """
        number = self._ended + 1
        self.reasons[number] = known if isinstance(known, str) else "it is to be verified"
        self._is_between = True
        executed = self._numbered(self._run(live, source, limit_s, heard), number)
        if isinstance(known, str) and known != recalling.NEW and self._memory.verifier is None:
            is_always_run = known == why_unfit(self._memory, source)
            executed = replace(executed, since="" if is_always_run else known)
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
        self._last, self._is_between = executed, False
        self._put_off = partial(self._note_made, source, executed, here)
        if len(self._to_come) > 1:
            return executed
        self._do_put_off()
        if self._is_expecting and self.keeper is not None:
            self.keeper.keep_all(live, self._now())
        return executed

    def _changes(self, source: str) -> Collection[str]:
        """Return the names that a text may change."""
        return self._memory.changes.get(source, ())

    def expect(self, sources: Sequence[str]) -> None:
        """Take note of the cells that will be run: what they read will be needed."""
        self._do_put_off()
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
        answer = (
            cast("Answer", known) if known is not None else self._asked(asked, margin_s, question)
        )
        self._over = self._over or asked["way"] == "here"
        return answer

    def _asked(self, asked: HostQuestion, margin_s: float, question: str) -> Answer:
        """Return what becomes of cells on the side of the live kernel, and keep it if that may be.

        Raises:
            StateDiffers: it lacks what they would have found.

        """
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

    def visited(self, asked: VisitQuestion) -> Visited:
        """Let front ends in, once it holds all that it should.

        What it holds is kept as it is then, never as they leave it.
        """
        live = self._caught_up([*self.state])
        self._is_visited = True
        if self.keeper is not None:
            self.keeper.keep_rest(live, self._now())
        names = self._held.items()
        state = self.state.items()
        self._state = {n: h for n, h in state if n[:1] == "<" or (n, h.maker) in names}
        return live.visited(asked)

    def knows_next(self, source: str) -> bool:
        """Tell whether it is known what a cell would give, and take note of that run if so."""
        known = recalling.known_run(self._memory, source, self.past, self.state, None)
        if isinstance(known, str):
            return False
        self._note(self._recalled(source, *known))
        return True

    def close(self) -> None:
        """Stop it, if it was started, whatever is raised before that; safe to call twice."""
        self._over = True
        try:
            self._do_put_off()
            self._memory.store.mark_used(self._memory.used.entries)
            if self.live is not None and self.live.alive and self.keeper is not None:
                self._keep_last(self.live, self.keeper)
        finally:
            live, self.live = self.live, None
            if live is not None:
                live.close()

    def _keep_last(self, live: LiveKernel, keeper: Keeper) -> None:
        """Keep what it holds in the end, and wait a little for that."""
        if not (self._is_visited or self._is_between):
            keeper.keep_all(live, self._now())
            if self._log_is_whole:  # meanwhile
                self._logs.keep(live, self.past, self._numbers.of)
        keeper.finish(live)

    # -- what is remembered ------------------------------------------------------------------------

    def _note(self, run: PastRun) -> None:
        """Take note that a run has been made, or recalled."""
        self._past.append(run)
        self._memory.used.note(run.entry, world.of_runs([run.executed.event]))
        self._state = run.after
        self._to_come = self._to_come[1:]

    def _note_made(self, source: str, executed: Executed, here: Collection[str] | None) -> None:
        """Take note of a run that a live kernel has made, which held the names `here` then."""
        past, state = self._past, self._state
        name = recalling.kept(self._memory, source, executed, past, state, here)
        about = past, state, self.keeper, here
        self._note(following.made_run(source, executed, name, *about))
        self._held = held_after(self._held, past[-1])
        if self.keeper is not None:
            self.keeper.note(past)

    def _recalled(self, source: str, entry: Entry, recalled: Executed) -> PastRun:
        about = self.past, self.state, self.keeper
        return following.recalled_run(source, recalled, entry, *about)

    def _numbered(self, executed: Executed, number: int) -> Executed:
        if executed.event is None:
            return executed
        self._numbers.note(executed.event["run"], number)
        told = self._told(executed.event, number)
        self._identities.follow(executed.event)
        again_s, self._again_s = self._again_s, 0.0
        return replace(executed, event=told, again_s=again_s)
