"""The report as JUnit XML: a suite a notebook, a test case a finding.

The tests of `pytest --nbsafe --junitxml` are the cells; here, without pytest, they are findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as xml

from pytest_nbsafe import suffixes
from pytest_nbsafe.findings import Finding, NotebookReport, Report, fails, sort_key
from pytest_nbsafe.reports import escape, places, text
from pytest_nbsafe.reports.colour import Paint, plain


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the report; a finding that fails is a failure, a notebook without findings passes."""
    suites = [_Suite(report, notebook) for notebook in report.notebooks]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<testsuites {_attributes(_counts(suites))}>",
        *(line for suite in suites for line in suite.lines()),
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


class _Suite:
    """The test cases of one notebook, and how many of them did not pass."""

    def __init__(self, report: Report, notebook: NotebookReport) -> None:
        self.notebook = notebook
        self.path = places.address(notebook.path, report.root)
        own = (finding for finding in report.findings if finding.path == notebook.path)
        self.findings = sorted(own, key=sort_key)
        self.tests = max(1, len(self.findings))
        self.failures = sum(self._fails(finding) for finding in self.findings)
        self.skipped = int(notebook.status in {"skipped", "not-analysed"} and not self.findings)

    def lines(self) -> Iterator[str]:
        named = {"name": self.path, **_counts([self])}
        yield f"  <testsuite {_attributes(named)}>"
        for finding in self.findings:
            yield from self._case(finding)
        if not self.findings:
            attributes = {**self._attributes("notebook", 1), "time": self._seconds()}
            yield f"    <testcase {_attributes(attributes)}>"
            if self.skipped:
                yield f"      <skipped {_attributes({'message': self.notebook.note})}/>"
            yield "    </testcase>"
        yield "  </testsuite>"

    def _case(self, finding: Finding) -> Iterator[str]:
        cell = f"cell-{finding.location.cell}" if finding.location.cell else "notebook"
        name = f"{cell} {finding.code} {finding.name}"
        yield f"    <testcase {_attributes(self._attributes(name, places.line(finding)))}>"
        shown = "\n".join(text.block(finding))
        if self._fails(finding):
            told = {"message": text.headline(finding), "type": text.title(finding)}
            yield f"      <failure {_attributes(told)}>{_text(shown)}</failure>"
        else:
            yield f"      <system-out>{_text(shown)}</system-out>"
        yield "    </testcase>"

    def _fails(self, finding: Finding) -> bool:
        return fails(finding, strict=self.notebook.strict)

    def _attributes(self, name: str, line: int) -> dict[str, str]:
        dotted = suffixes.without(self.path).replace("/", ".")
        return {"classname": dotted, "name": name, "file": self.path, "line": str(line)}

    def _seconds(self) -> str:
        return f"{self.notebook.duration_s:.3f}"


def _counts(suites: list[_Suite]) -> dict[str, str]:
    return {
        "tests": str(sum(suite.tests for suite in suites)),
        "failures": str(sum(suite.failures for suite in suites)),
        "errors": "0",
        "skipped": str(sum(suite.skipped for suite in suites)),
        "time": f"{sum(suite.notebook.duration_s for suite in suites):.3f}",
    }


def _attributes(values: dict[str, str]) -> str:
    return " ".join(f'{name}="{_text(escape.line(value))}"' for name, value in values.items())


def _text(value: str) -> str:
    return xml(escape.encodable(escape.clean(value)))
