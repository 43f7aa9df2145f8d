"""A kernel that runs nothing whose outcome is known, and is started when something is not.

To who uses it, it is a kernel like any other: it answers what a full run would have given. So all
that is judged of the answers is judged as before.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from pytest_nbsafe.kernel.contract import (
    Answer,
    CellRun,
    HostQuestion,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
)
from pytest_nbsafe.resume import questions, world
from pytest_nbsafe.resume.identities import Identities
from pytest_nbsafe.resume.positions import CannotMove, Moves, moved, moves, runs_told
from pytest_nbsafe.resume.state import BESIDE, START, Held, State, after, sources
from pytest_nbsafe.runner import executed as forms
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.kernel_process import Heard
from pytest_nbsafe.runner.live_kernel import Kernel, StateDiffers
from pytest_nbsafe.store.database import Entry, Store
from pytest_nbsafe.values import dataclass, replace

_PYTHON = "python"
_SURROUNDINGS = "surroundings"
_WORD = re.compile(r"\w+")
_NOBODY = Held("", "")
"""What a name holds that no run has made."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a remembering kernel remembers with.

    `context` stands for all that every run of the kernel depends on: its Python, the packages, the
    settings of the tracer. `notebook` names what it is for. `unfit` gives the texts whose outcome
    cannot be known, each with the reason. `environ` is the environment that its process would have.
    """

    store: Store
    context: str
    notebook: str
    unfit: Mapping[str, str]
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Past:
    """A run of this session: its entry, its text, and what came of it."""

    entry: str
    source: str
    executed: Executed


class RememberingKernel:
    """A kernel of `memory`; `wake` makes the live one, `live` as long as it is up.

    `reasons` say, by the number of the run, why it had to be made. `woken` says whether a live
    kernel was needed at all.
    """

    def __init__(self, memory: Memory, wake: Callable[[], Kernel]) -> None:
        self.reasons: dict[int, str] = {}
        self.python = ""
        self.fault = ""
        self._memory = memory
        self._wake = wake
        self.live: Kernel | None = None
        self.woken = False
        self._identities = Identities()
        self._past: list[_Past] = []
        self._made = 0
        self._state: State = START
        self._over = False

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
        reason = self._why_unfit(source)
        if not reason:
            for entry in self._memory.store.entries(
                self._memory.context, questions.of_cell(source)
            ):
                try:
                    recalled = self._recalled(entry, source, limit_s)
                except _NotAsThen as other:
                    reason = reason or str(other)
                    continue
                self._note(entry.id, source, recalled, entry.content["links"])
                _replay(recalled, heard)
                return recalled
            reason = reason or "it is new"
        self.reasons[len(self._past) + 1] = reason
        live = self._caught_up()
        executed = live.execute(source, limit_s, heard)
        self._made += 1
        if executed.event is not None:
            executed = replace(executed, event=self._identities.told(executed.event))
        self._note(self._kept(source, executed), source, executed, None)
        return executed

    def aside(self, asked: HostQuestion, margin_s: float) -> Answer:
        """Return what became of cells on the side: what did before, in the same state."""
        options = {key: asked[key] for key in ("limit_s", "stir", "follow", "way")}
        asks_lines = asked["way"] != "look"
        question = questions.of_cells("aside", asked["cells"], options)
        question = self._of_now(question, lines=asks_lines)
        known = self._known(question)
        if known is not None:
            answer = cast("Answer", known["answer"])
        else:
            answer = self._caught_up().aside(asked, margin_s)
            for run in answer["runs"]:
                if run["event"] is not None:
                    run["event"] = self._identities.told(run["event"])
            if not answer["cause"] and not any(map(_hindered, answer["runs"])):
                self._keep(question, {"answer": answer}, answer["cost_s"])
        self._over = self._over or asked["way"] == "here"
        return answer

    def surroundings(self, asked: SurroundingsQuestion) -> Surroundings | None:
        """Return what the cells ran in."""
        question = self._of_now(questions.of_cells(_SURROUNDINGS, (), dict(asked)))
        known = self._known(question)
        if known is not None and known["files"] == _states(asked):
            return cast("Surroundings", known["answer"])
        answer = self._caught_up().surroundings(asked)
        if answer is not None:
            self._keep(question, {"answer": answer, "files": _states(asked)}, 0.0)
        return answer

    def sweep(self, *, names: bool) -> Sweep | None:
        """Return all that it holds, or only what no name shows."""
        return self._caught_up().sweep(names=names)

    def close(self) -> None:
        """Stop it, if it was started; safe to call twice."""
        self._over = True
        if self.live is not None:
            self.live.close()
            self.live = None

    # -- the live kernel ---------------------------------------------------------------------------

    def _started(self) -> Kernel:
        if self.live is None:
            self.live = live = self._wake()
            self.woken = True
            live.start()
            self.python, self.fault = live.python, live.fault
        return self.live

    def _caught_up(self) -> Kernel:
        """Return the live kernel in the state that the session is in.

        Raises:
            StateDiffers: what ran before gives something else now.

        """
        live = self._started()
        while self._made < len(self._past):
            past = self._past[self._made]
            self._made += 1
            again = live.execute(past.source, None, None)
            if again.event is None or past.executed.event is None or not live.alive:
                raise StateDiffers
            if _differs(past.executed, again):
                self._memory.store.forget([past.entry])
                raise StateDiffers
            self._identities.learn(again.event, past.executed.event)
        return live

    # -- what is remembered ------------------------------------------------------------------------

    def _why_unfit(self, source: str) -> str:
        """Return why a text has to be run whatever is known of it, empty where it need not be."""
        if questions.asks_history(source):
            return "it asks for earlier runs"
        return self._memory.unfit.get(source, "")

    def _recalled(self, entry: Entry, source: str, limit_s: float | None) -> Executed:
        """Return what an entry holds of a run, as it would be now.

        Raises:
            _NotAsThen: something differs from how it was then; the message says what.

        """
        content = entry.content
        executed = forms.unpack(content["executed"])
        event = executed.event
        assert event is not None, "only runs with an event are kept"
        if limit_s is not None and executed.duration_s > limit_s:
            raise _NotAsThen("it took longer than it may now")
        for name, (digest, maker) in content["names"].items():
            held = self._state.get(name, _NOBODY)
            if held.maker != maker and not (digest and held.hash == digest):
                raise _NotAsThen(_of_name(name))
        mentioned = _words(source, *(text for _, text in content["runs"].values()))
        for name in (self._state.keys() & mentioned).difference(content["unread"]):
            if name not in content["names"]:
                raise _NotAsThen(f"`{name}` is there now")
        if content["source"] != source and _shows_text(executed):
            raise _NotAsThen("its text changed")
        hinders = world.changed(event["inputs"], self._memory.environ) if event["inputs"] else ""
        if hinders:
            raise _NotAsThen(hinders)
        number = len(self._past) + 1
        if event["raised"] and number != event["run"]:
            raise _NotAsThen("it stands elsewhere")
        try:
            runs = {int(run): self._place(*told) for run, told in content["runs"].items()}
            told = moved(event, number, runs, moves(content["source"], source))
        except CannotMove:
            raise _NotAsThen("a function that it calls changed") from None
        return replace(executed, event=told, reused=True)

    def _place(self, entry: str, source: str) -> tuple[int, Moves | None]:
        """Return the number that a run has now, and how its text has moved since."""
        for number, past in enumerate(self._past, 1):
            if past.entry == entry:
                return number, moves(source, past.source)
        raise CannotMove

    def _note(
        self, entry: str, source: str, executed: Executed, links: Mapping[str, list[str]] | None
    ) -> None:
        """Take note that a run has been made, or recalled."""
        self._past.append(_Past(entry, source, executed))
        self._state = after(self._state, executed.event, entry, links)

    def _kept(self, source: str, executed: Executed) -> str:
        """Keep what came of a run, if it may be recalled, and return the name of its entry."""
        event, memory = executed.event, self._memory
        is_fit = (
            event is not None
            and executed.status in {"ok", "raised"}
            and not self._why_unfit(source)
            and not _hindrances(event)
            and event["run"] == len(self._past) + 1
        )
        if not is_fit or event is None:
            return secrets.token_hex(8)
        names = {
            name: (held.hash, held.maker)
            for name in dict.fromkeys((*event["before"], BESIDE, *sources(event)))
            for held in (self._state.get(name, _NOBODY),)
        }
        runs = {run: self._about(run) for run in sorted(runs_told(event))}
        mentioned = _words(source, *(text for _, text in runs.values()))
        content = {
            "executed": forms.pack(executed),
            "source": source,
            "names": names,
            "unread": sorted((self._state.keys() & mentioned) - names.keys()),
            "runs": runs,
            "links": None,
        }
        question = questions.of_cell(source)
        return memory.store.add(
            memory.context, question, memory.notebook, content, executed.duration_s
        )

    def _about(self, run: int) -> tuple[str, str]:
        past = self._past[run - 1]
        return past.entry, past.source

    # -- questions that hang on all that ran before ------------------------------------------------

    def _of_now(self, question: str, *, lines: bool = False) -> str:
        """Return the key of a question about all that has run; with `lines`, about its lines."""
        past = [part for p in self._past for part in ((p.entry, p.source) if lines else (p.entry,))]
        return questions.hashed(question, *past)

    def _known(self, question: str) -> Mapping[str, Any] | None:
        known = self._memory.store.entries(self._memory.context, question)
        return known[0].content if known else None

    def _keep(self, question: str, content: Mapping[str, Any], cost_s: float) -> None:
        memory = self._memory
        memory.store.add(memory.context, question, memory.notebook, content, cost_s)


class _NotAsThen(Exception):  # noqa: N818  # it is an answer
    """Something is not as it was when an entry was made; the message says what."""


def _hindrances(event: CellRun) -> bool:
    inputs = event["inputs"]
    return inputs is None or bool(inputs["hindrances"] or inputs["written"])


def _hindered(run: Mapping[str, Any]) -> bool:
    return run["event"] is not None and _hindrances(run["event"])


def _differs(first: Executed, again: Executed) -> bool:
    """Return whether a run that was made again gave something else, as far as that is known."""
    if first.status != again.status or first.event is None or again.event is None:
        return True
    was, now = first.event["after"], again.event["after"]
    return was.keys() != now.keys() or any(
        was[name]["hash"] != now[name]["hash"] for name in was if was[name]["hash"]
    )


def _shows_text(executed: Executed) -> bool:
    """Return whether what a run showed may hold lines of its text."""
    return any(
        output.kind == "error" or (output.kind == "stream" and output.name == "stderr")
        for output in executed.outputs
    )


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text)}


def _of_name(name: str) -> str:
    return f"`{name}` changed" if name != BESIDE else "what ran before changed"


def _states(asked: SurroundingsQuestion) -> dict[str, str]:
    """Return hashes of the files that a question names, as they are now."""
    return {path: world.file_hash(f"{asked['home']}/{path}") for path in asked["files"]}


def _replay(executed: Executed, heard: Heard | None) -> None:
    """Tell who listens what a run showed."""
    for kind, content in _messages(executed) if heard is not None else ():
        assert heard is not None, "asked above"
        heard(kind, content)


def _messages(executed: Executed) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for output in executed.outputs:
        if output.kind == "stream":
            yield "stream", {"name": output.name, "text": output.text}
        elif output.kind != "error":
            yield output.kind, {"data": {"text/plain": output.text}}
