"""The report as an HTML file: whole, small, and nothing of a notebook runs in it."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import makenb
import pytest

from pytest_nbsafe.app.run import run
from pytest_nbsafe.findings import Finding, NotebookReport, Report
from pytest_nbsafe.locations import Location
from pytest_nbsafe.pages import Page, PageCell, PageOutput, PageRead, PageStep
from pytest_nbsafe.reports import html

EVIL = (
    "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
)
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg"
    "=="
)
SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload=\"parent.document.title='owned'\"/>"


def hostile() -> Report:
    """Return a report of a notebook whose every text tries to be more than text."""
    picture = base64.b64encode(SVG.encode()).decode()
    shows = (
        PageOutput("text", EVIL),
        PageOutput("image", picture, "image/svg+xml"),
        PageOutput("image", PIXEL, "image/png"),
    )
    cells = (
        PageCell(1, "markdown", f"# {EVIL}"),
        PageCell(2, "code", f"x = '{EVIL}'", 1, shows, (PageOutput("error", EVIL),), changed=True),
        PageCell(3, "code", "print(x)", 2, reads=(PageRead(EVIL, 2),), makes=(EVIL,)),
    )
    page = Page(cells, "recorded", (PageStep(3, 2, EVIL), PageStep(2, 1, EVIL, 2, 0.5)))
    path = f"a{EVIL}.ipynb"
    about = {"orders": ("recorded",), "status": "failed", "duration_s": 1.0, "note": EVIL}
    notebook = NotebookReport(path, 3, page=page, verdict="stale", reasons=(EVIL,), **about)  # type: ignore[arg-type]
    finding = Finding("NBS201", "error", "confirmed", path, Location(2), EVIL, remedy=EVIL)
    return Report((finding,), (notebook,))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def tags_of(document: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(document)
    return parser.tags


def data_of(document: str) -> list[dict[str, Any]]:
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', document, re.DOTALL)
    return [json.loads(block) for block in blocks]


def test_no_text_of_a_notebook_is_markup() -> None:
    document = html.render(hostile())
    tags = tags_of(document)
    assert [attrs.get("type") for tag, attrs in tags if tag == "script"] == [
        "application/json", None,
    ]  # fmt: skip
    assert not [tag for tag, _ in tags if tag in {"img", "iframe", "object", "link", "base"}]
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    (data,) = data_of(document)
    assert data["cells"][0]["source"] == f"# {EVIL}"
    assert data["cells"][1]["saved"][0] == ["text", EVIL, ""]


def test_the_policy_lets_the_own_script_run_and_nothing_else() -> None:
    document = html.render(Report((), ()))
    policy = next(
        str(attrs["content"])
        for tag, attrs in tags_of(document)
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg", "", document).replace(
        "http-equiv", ""
    )


def test_what_a_run_shows_is_on_the_page(tmp_path: Path) -> None:
    path = makenb.write(
        tmp_path / "nb.ipynb",
        "# %% [1]\nprice = 2\n# %% [2]\ntotal = price * 3\ntotal\n#> 7\n",
    )
    report = run([path], {"pages": True, "static": True})
    (data,) = data_of(html.render(report))
    cells = data["cells"]
    assert [cell["source"] for cell in cells] == ["price = 2", "total = price * 3\ntotal"]
    assert cells[1]["reads"] == [["price", 1]]
    assert cells[1]["makes"] == ["total"]
    assert [step[0] for step in data["plan"]] == [1, 2]
    assert run([path], {"static": True}).notebooks[0].page is None


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_cells_read_in_the_run_and_where_orders_part(tmp_path: Path) -> None:
    path = makenb.write(
        tmp_path / "nb.ipynb",
        "# %% [3]\nrate = 2\n# %% [2]\ntotal = globals()['rate'] * 2\nshown = total + rate\n"
        "# %% [1]\nrate = 5\n",
    )
    (data,) = data_of(html.render(run([path], {"pages": True, "repeat": 2})))
    cells = data["cells"]
    assert cells[1]["reads"] == [["rate", 1]]
    assert (cells[1]["makes"], cells[1]["differs"]) == (["total", "shown"], ["shown", "total"])
    assert data["parting"] == [2, "shown", "rate", 3, 1]


def test_many_notebooks_stay_small() -> None:
    picture = PageOutput("image", "A" * 100_000, "image/png")
    page = Page((PageCell(1, "code", "draw()", 1, (picture,) * 10),), "recorded", ())
    notebooks = tuple(
        NotebookReport(f"nb{n}.ipynb", 1, (), "passed", 0.1, page=page) for n in range(500)
    )
    document = html.render(Report((), notebooks))
    assert len(document) < 20_000_000
    few = data_of(html.render(Report((), notebooks[:2])))
    assert [output[0] for output in few[0]["cells"][0]["saved"]] == ["image"] * 10
    assert "left out" in data_of(document)[499]["cells"][0]["saved"][0][1]


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium as the system has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on this system")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """The hostile report in a browser, which may load nothing but the file."""
    file = tmp_path / "report.html"
    file.write_text(html.render(hostile()), encoding="utf-8")
    page = browser.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on(
        "request", lambda asked: page.faults.append(asked.url) if asked.url[:4] == "http" else 0
    )
    page.goto(file.as_uri())
    yield page
    page.close()


@pytest.mark.corpus
@pytest.mark.kernel
def test_nothing_hostile_runs_in_a_browser(opened: Any) -> None:
    opened.click("tbody a")
    opened.wait_for_selector("#cell-2 .finding")
    opened.wait_for_timeout(200)
    assert opened.title() != "owned"
    assert opened.faults == []
    assert EVIL in opened.inner_text("#cell-2 .finding")
    assert opened.locator("#cell-2 img").count() == 2
    assert (
        opened.evaluate("document.querySelectorAll('#notebook script, #notebook iframe').length")
        == 0
    )


@pytest.mark.kernel
def test_it_is_used_by_keys_and_search(opened: Any) -> None:
    opened.fill("#search", "nothing has this")
    assert opened.locator("tbody tr:visible").count() == 0
    opened.fill("#search", "nbs201")
    assert opened.locator("tbody tr:visible").count() == 1
    opened.click("tbody a")
    opened.locator("#cell-2.chosen").wait_for()
    opened.locator("h2.mono").focus()
    opened.keyboard.press("j")
    opened.locator("#cell-3.chosen").wait_for()
    assert "cell 2" in opened.inner_text("#details")
    opened.locator("#notebook svg a").first.focus()
    opened.keyboard.press("Enter")
    opened.locator("svg .node.on").wait_for(state="attached")
    assert opened.locator("svg .edge:visible").count() > 0
    opened.locator("h2.mono").focus()
    opened.keyboard.press("o")
    opened.locator("#overview").wait_for()
    opened.click("#theme")
    assert opened.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.kernel
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.corpus)])
def test_axe_finds_nothing(opened: Any, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    opened.emulate_media(color_scheme=theme)
    for _ in range(2):
        found = axe.Axe().run(opened)
        violations = [(v["id"], v["nodes"][0]["html"][:200]) for v in found.response["violations"]]
        assert violations == []
        opened.evaluate("location.hash = '#0'")
        opened.wait_for_selector("#cell-2")
