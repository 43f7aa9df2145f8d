"""What README and the pages of docs/ say is true: settings, commands, options, codes, links."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_nbsafe import config
from pytest_nbsafe.cli.parser import parser
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.options import CHANGED_SINCE, LOCK, REPORT, UPDATE, of_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = {"--nbsafe"} | {
    spelling
    for option in (*of_command("pytest"), LOCK, UPDATE, CHANGED_SINCE, REPORT)
    for spelling, _ in option.spellings("--nbsafe-")
}
_BLOCK = re.compile(r"^(?: {4}.*\n|\n(?= {4}))+", re.MULTILINE)


def blocks() -> Iterator[tuple[str, str]]:
    """Yield each block of code of the pages, with the page that shows it."""
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
            yield page.relative_to(ROOT).as_posix(), dedent(block).strip("\n")


def name(value: object) -> str:
    return value if isinstance(value, str) and "\n" not in value else ""


SETTINGS = [each for each in blocks() if re.match(r"\[+tool\.nbsafe", each[1])]
COMMANDS = [
    (page, re.split(r" +#", line)[0].split(" > ")[0])
    for page, block in blocks()
    for line in block.split("\n")
    if re.match(r"(nbsafe|pytest) ", line)
]


@pytest.mark.parametrize(("page", "settings"), SETTINGS, ids=name)
def test_settings_are_understood(page: str, settings: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    notebook = tmp_path / "reports" / "report.ipynb"
    assert config.for_path(notebook) != config.Config(), page


@pytest.mark.parametrize(("page", "command"), COMMANDS, ids=name)
def test_commands_are_understood(page: str, command: str) -> None:
    program, *words = shlex.split(command)
    if program == "nbsafe":
        parser().parse_args([word for word in words if word != "CODE"])
    else:
        asked = [word.split("=")[0] for word in words if word.startswith("--nbsafe")]
        assert set(asked) <= OPTIONS, page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_and_code_that_is_named_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"--nbsafe[a-z-]*[a-z]", text)) <= OPTIONS
    assert set(re.findall(r"NBS\d{3}", text)) <= set(CODES)


def test_all_blocks_are_looked_at() -> None:
    assert len(SETTINGS) > 10
    assert len(COMMANDS) > 50
    assert {page for page, _ in COMMANDS} >= {"README.md", "docs/guide/resume.md"}


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.skipif(sys.version_info < (3, 11), reason="one Python builds the site")
def test_the_site_is_built_and_each_finding_has_a_page(tmp_path: Path) -> None:
    """`--strict` fails where a link or a heading that is linked to is missing."""
    command = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict")
    done = subprocess.run(
        [*command, "--config-file", str(ROOT / ".mkdocs.yml"), "--site-dir", str(tmp_path)],
        env={**os.environ, "NBSAFE_DOCS_STATIC": "1", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    pages = {code: tmp_path / "findings" / code / "index.html" for code in CODES}
    texts = {code: page.read_text(encoding="utf-8") for code, page in pages.items()}
    says_nothing = {code for code, text in texts.items() if "</code> says:" not in text}
    assert says_nothing == {"NBS501", "NBS905"}, "of these a page shows nothing"
    for code, text in texts.items():
        for heading in ("Why it matters", "How it is proved", "How to mend it", "When it is wrong"):
            assert heading in text, code
