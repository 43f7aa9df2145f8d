"""What the user chose for this run: options win over the ini file, that over nbsafe's own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe import config as configs
from pytest_nbsafe import files
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.options import REPORT, WITH_PAGES, Option, of_command
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.targets import target

_PRINTED = "github"
"""The format whose reader is the log of the run: it needs no file."""


@dataclass(frozen=True)
class Settings:
    """What was given by hand, and the reports to write: pairs of a format and a path.

    The path is None of a report that is printed. `changed_since` is a commit, or empty.
    """

    by_hand: Mapping[str, Any]
    reports: tuple[tuple[str, Path | None], ...]
    changed_since: str = ""

    @classmethod
    def given(cls, config: pytest.Config) -> Settings:
        """Return what options and ini file say.

        Raises:
            pytest.UsageError: they, or nbsafe's configuration at the root, are not understood, or
                git does not know the commit.

        """
        by_hand: dict[str, Any] = {}
        try:
            for option in of_command("pytest"):
                for source, value in _values(config, option):
                    configs.merge(configs.Config(), {option.key: value}, source)
                    by_hand[option.key] = value
            reference = config.getoption("nbsafe_changed_since") or ""
            reports = tuple(_reports(config))
            if any(form in WITH_PAGES for form, _ in reports):
                by_hand["pages"] = True
            settings = cls(by_hand, reports, reference)
            _check_outputs(config, settings)
            if reference:
                from pytest_nbsafe import git

                git.changed_since(reference, files.real(config.rootpath))
            settings.of(config.rootpath / "any.ipynb")
        except NbsafeError as error:
            raise pytest.UsageError(escape.line(str(error))) from error
        return settings

    def of(self, path: Path) -> configs.Config:
        """Return the settings of one notebook.

        Raises:
            NbsafeError: its configuration is not understood, or its baseline cannot be read.

        """
        from pytest_nbsafe.app.inputs import configuration

        return configuration(path, self.by_hand)


def _check_outputs(config: pytest.Config, settings: Settings) -> None:
    """Refuse a report that cannot be written, JUnit's too, before anything runs."""
    junit = getattr(config.option, "xmlpath", None)
    named = [("--junitxml", config.invocation_params.dir / junit)] if junit else []
    written = [("--nbsafe-report", file) for _, file in settings.reports if file is not None]
    for source, file in (*named, *written):
        try:
            files.must_be_writable(file, with_folders=True)
        except OSError as error:
            message = f"{source}: cannot write {file}: {error.strerror}"
            raise NbsafeError("cannot-write", message) from error


def _values(config: pytest.Config, option: Option) -> Iterator[tuple[str, Any]]:
    """Yield what was given for an option, and where: the option last because it wins."""
    name = f"nbsafe_{option.name}"
    ini = config.getini(name)
    if option.key == "baseline" and ini:
        ini = str(config.rootpath / ini)
    for source, value in ((name, ini), (f"--nbsafe-{option.key}", config.getoption(name))):
        if value is not None:
            yield source, value


def _reports(config: pytest.Config) -> Iterator[tuple[str, Path | None]]:
    for source, values in _values(config, REPORT):
        for value in values:
            try:
                form, file = target(value, may_print=value == _PRINTED)
            except NbsafeError as error:
                raise NbsafeError(error.slug, f"{source}: {error.message}", error.hint) from None
            base = config.invocation_params.dir if source.startswith("--") else config.rootpath
            yield form, base / file if file else None
