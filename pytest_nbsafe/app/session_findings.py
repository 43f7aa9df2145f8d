"""What was found in a notebook under test, and what of it its baseline knows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_nbsafe.app import baseline as baselines
from pytest_nbsafe.app import other_languages, several_runs
from pytest_nbsafe.app.outcomes import completed
from pytest_nbsafe.codes import RENEWED
from pytest_nbsafe.config import Config, shows
from pytest_nbsafe.findings import Finding, fails
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.rules.base import Facts


class SessionFindings:
    """What was found so far: `judged` is all of it, `reported` what the baseline does not know."""

    def __init__(self, path: Path, config: Config) -> None:
        self._path, self._config = path, config
        self.judged: tuple[Finding, ...] = ()
        self.reported: tuple[Finding, ...] = ()
        self._unmatched: tuple[baselines.Entry, ...] = ()

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Those that are reported, notes only when they are asked for."""
        return tuple(f for f in self.reported if shows(f.code, f.severity, self._config))

    @property
    def known(self) -> int:
        """How many the baseline knows."""
        return len(self.judged) - len(self.reported)

    @property
    def fail(self) -> bool:
        """Whether any fails the notebook."""
        return any(fails(finding, strict=self._config.strict) for finding in self.reported)

    def take(
        self,
        findings: tuple[Finding, ...],
        notebook: Notebook | None,
        facts: Facts | None,
        *,
        runs_once: bool,
        updates: bool,
    ) -> None:
        """Keep these, in place of all that was found before.

        Where the notebook `runs_once` nothing that takes several runs is proved; where it `updates`
        its outputs what they say is no finding.
        """
        found = other_languages.told(completed(findings, notebook, facts), notebook)
        if updates:
            found = tuple(finding for finding in found if finding.code not in RENEWED)
        if runs_once and not self._config.static:
            found = several_runs.unproved(found)
        self.judged = self.reported = found
        if self._config.baseline:
            known = baselines.read(Path(self._config.baseline))
            self.reported, self._unmatched = baselines.divided(known, self._path, found)

    def fixed(self, facts: Facts, trial: Trial | None) -> Iterable[baselines.Entry]:
        """Return the entries of the baseline that surely fit nothing any more."""
        return baselines.fixed(self._unmatched, facts, trial)
