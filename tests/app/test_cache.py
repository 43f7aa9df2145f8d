"""What the cache may and may not change: the time that an answer takes, and nothing else."""

from __future__ import annotations

import concurrent.futures
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from makenb import BROKEN, CLEAN, OUT_OF_ORDER, write

from pytest_nbsafe import project
from pytest_nbsafe.app import baseline, cache, session
from pytest_nbsafe.app import check as checking
from pytest_nbsafe.app.baseline_file import write_baseline
from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.discovery import notebooks_in
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, NotebookReport, Report, Step
from pytest_nbsafe.locations import Location
from pytest_nbsafe.store import place
from pytest_nbsafe.values import replace

NB = Path("nb.ipynb")
Looked = tuple[Report, Mapping[str, str]]


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a project, with a cache of one's own beside it."""
    here = tmp_path / "project"
    here.mkdir()
    (here / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(here)
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "cache"))
    place.folder.cache_clear()


def kept() -> Path:
    """Return the folder of the entries."""
    folder = place.folder()
    assert folder is not None
    return folder


def entries() -> list[Path]:
    return sorted(kept().glob("*.json"))


def timeless(report: Report) -> Report:
    return replace(report, notebooks=tuple(replace(n, duration_s=0.0) for n in report.notebooks))


def answer(**options: object) -> Report:
    """Return what is said of the notebooks here, the same with the cache as without."""
    bare = check([Path()], {**options, "cache": False})
    cached = check([Path()], options)
    assert timeless(bare) == timeless(cached)
    return cached


def no_analysis(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the notebooks that are analysed from now on."""
    seen: list[Path] = []
    look = session.look

    def watched(path: Path, config: Config) -> Looked:
        seen.append(path)
        return look(path, config)

    monkeypatch.setattr(session, "look", watched)
    return seen


# -- what is found again ---------------------------------------------------------------------------


def test_what_was_found_is_found_again_without_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    write(NB, BROKEN)
    write(Path("sub/other.ipynb"), OUT_OF_ORDER)
    first = answer()
    assert len(first.findings) == len(entries()) == 2
    analysed = no_analysis(monkeypatch)
    assert timeless(first) == timeless(check([Path()], {}))
    assert analysed == []


def test_only_the_notebook_that_changed_is_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    write(NB, BROKEN)
    write(Path("other.ipynb"), CLEAN)
    answer()
    analysed = no_analysis(monkeypatch)
    write(NB, BROKEN.replace("missing_name", "a"))
    assert check([Path()], {}).findings == ()
    assert analysed == [NB]


@pytest.mark.parametrize(
    "change",
    [
        lambda: {"ignore": ["NBS101"]},
        lambda: {"strict": True},
        lambda: {"notes": True},
        lambda: {"order": "top-down"},
        lambda: Path("nbsafe.toml").write_text("select = ['NBS2']\n", encoding="utf-8") and {},
        lambda: {"baseline": str(known())},
    ],
    ids=["ignore", "strict", "notes", "order", "file", "baseline"],
)
def test_other_settings_make_another_entry(change: Callable[[], dict[str, object]]) -> None:
    write(NB, BROKEN)
    answer()
    answer(**change())
    assert len(entries()) == 2


def known() -> Path:
    file, _ = write_baseline([NB], {}, check)
    return file


def test_a_baseline_that_changes_is_heard() -> None:
    write(NB, BROKEN)
    file = known()
    assert answer(baseline=str(file)).notebooks[0].known == 1
    baseline.write(file, answer(baseline=str(file)).notebooks, [])
    assert [f.code for f in answer(baseline=str(file)).findings] == ["NBS101"]


def test_a_declaration_that_changes_is_heard() -> None:
    write(NB, "# %%\nimport plotly\n")
    needs = Path("requirements.txt")
    for text, codes in (("pandas", ["NBS408"]), ("pandas\nplotly", []), ("pandas", ["NBS408"])):
        needs.write_text(text, encoding="utf-8")
        project.forget()
        assert [finding.code for finding in answer().findings] == codes
    assert len(entries()) == 2


def test_a_declaration_is_heard_by_contracts_even_where_its_own_rule_is_off() -> None:
    write(NB, "# %%\nimport plotly\n")
    contract = {"name": "none", "sql": "SELECT * FROM cells WHERE 0"}
    for text in ("pandas", "pandas\nplotly"):
        Path("requirements.txt").write_text(text, encoding="utf-8")
        project.forget()
        answer(ignore=["NBS408"], contract=[contract])
    assert len(entries()) == 2


def test_another_program_makes_another_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    write(NB, BROKEN)
    answer()
    monkeypatch.setattr(cache, "program", lambda: "another version")
    answer()
    assert len(entries()) == 2


def test_the_program_is_its_source_too(tmp_path: Path) -> None:
    source = tmp_path / "rooms" / "a_room" / "module.py"
    source.parent.mkdir(parents=True)
    source.write_text("a = 1\n", encoding="utf-8")
    before = list(cache._source(str(tmp_path / "rooms")))
    source.write_text("a = 11\n", encoding="utf-8")
    assert [path for path, _, _ in before] == [str(source)]
    assert before != list(cache._source(str(tmp_path / "rooms")))


def test_the_same_bytes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from pytest_nbsafe.cli import main

    write(NB, BROKEN)
    write(Path("\u00e4.ipynb"), BROKEN.replace("missing_name", "'\ud800' + missing_name"))
    for form in ("text", "json"):
        shown = []
        for more in (["--no-cache"], [], []):
            assert main(["check", "--format", form, *more]) == 1
            text = capsys.readouterr().out
            shown.append("\n".join(row for row in text.split("\n") if "duration_s" not in row))
        assert shown[0] == shown[1] == shown[2]


def test_a_warm_run_imports_nothing_that_analyses() -> None:
    write(NB, BROKEN)
    assert len(answer().findings) == 1
    text = (
        "import sys; from pytest_nbsafe.cli import main; code = main(['check']);"
        "print(code, [name for name in sys.modules if name.startswith(('ast', 'pytest_nbsafe.'))])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    code, _, names = done.stdout.splitlines()[-1].partition(" ")
    assert code == "1"
    rooms = {name.split(".")[1] for name in json.loads(names.replace("'", '"')) if "." in name}
    assert rooms.isdisjoint({"analysis", "rules", "trace", "runner", "kernel"})
    assert "pytest_nbsafe.app.session" not in names
    assert "ast" not in names.split("'")


# -- where nothing is kept -------------------------------------------------------------------------


def test_nothing_is_written_when_it_is_not_wanted() -> None:
    write(NB, BROKEN)
    check([Path()], {"cache": False})
    Path("nbsafe.toml").write_text("cache = false\n", encoding="utf-8")
    check([Path()], {})
    assert entries() == []


def test_nothing_is_written_beside_the_notebooks() -> None:
    write(NB, BROKEN)
    assert len(check([Path()], {}).findings) == len(entries()) == 1
    assert sorted(path.name for path in Path().iterdir()) == ["nb.ipynb", "pyproject.toml"]


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of other systems")
@pytest.mark.parametrize(
    "variables", [{"XDG_CACHE_HOME": "{}"}, {"HOME": "{}", "XDG_CACHE_HOME": "x"}]
)
def test_the_folder_lies_where_the_system_keeps_caches(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(place.VARIABLE)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    within = ".cache/nbsafe" if "HOME" in variables else "nbsafe"
    assert place.folder() == tmp_path / within
    assert (tmp_path / within).stat().st_mode & 0o077 == 0


def test_the_folder_says_what_it_is() -> None:
    tag = (kept() / "CACHEDIR.TAG").read_text(encoding="ascii")
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_cache_that_came_with_the_repository_is_not_read_nor_written(tmp_path: Path) -> None:
    """A folder of entries may hide findings; a link may lead to files of the user's."""
    write(NB, BROKEN)
    answer()
    theirs = Path(".nbsafe_cache")
    theirs.mkdir()
    for file in entries():
        text = file.read_text(encoding="ascii").partition("\n")[2].replace("NBS101", "NBS999")
        (theirs / file.name).write_text(f"{cache._checksum(file.stem, text)}\n{text}")
        file.unlink()
    assert [finding.code for finding in check([Path()], {}).findings] == ["NBS101"]
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitignore").write_text("mine\n", encoding="utf-8")
    shutil.rmtree(theirs)
    theirs.symlink_to(home)
    check([Path()], {})
    assert [path.name for path in home.iterdir()] == [".gitignore"]
    assert (home / ".gitignore").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_a_link_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "link"))
    write(NB, BROKEN)
    assert len(check([Path()], {}).findings) == 1
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"nbformat": 3, "worksheets": []}', b"\xff"])
def test_what_is_no_notebook_of_today_is_not_kept(content: bytes) -> None:
    NB.write_bytes(content)
    answer()
    assert entries() == []


def test_a_folder_that_cannot_be_made_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(NB, BROKEN)
    (tmp_path / "file").write_text("a file is in the way", encoding="utf-8")
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "file"))
    assert len(check([Path()], {}).findings) == 1
    assert place.folder() is None


def test_what_changes_while_it_is_analysed_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    write(NB, BROKEN)
    look = session.look

    def meanwhile(path: Path, config: Config) -> Looked:
        looked = look(path, config)
        write(path, CLEAN)
        return looked

    monkeypatch.setattr(session, "look", meanwhile)
    assert len(check([NB], {}).findings) == 1
    assert entries() == []


# -- entries that are not to be trusted ------------------------------------------------------------

FINDING = Finding(
    "NBS101",
    "error",
    "proved",
    "nb.ipynb",
    Location(3, 2, 1, 2, 5),
    "a \ud800 message",
    (Step(1, 2, "a cause"),),
    "mend it",
    "id",
    4,
    17,
    "the line",
)
ANSWER = Report(
    (FINDING, replace(FINDING, steps=(), cell_id=None)),
    (NotebookReport("nb", 3, (), "failed", 0.0),),
)


def stored() -> tuple[Path, str, Path]:
    folder = kept()
    entry = cache.key(b"content", ["a part"])
    cache.store(folder, entry, ANSWER)
    return folder, entry, folder / f"{entry}.json"


def test_what_is_stored_is_loaded() -> None:
    folder, entry, _ = stored()
    assert cache.load(folder, entry) == ANSWER
    assert cache.load(folder, "0" * 40) is None


def test_an_entry_under_another_name_is_none() -> None:
    folder, _, file = stored()
    other = cache.key(b"other content", ["a part"])
    file.rename(folder / f"{other}.json")
    assert cache.load(folder, other) is None


def test_the_parts_of_a_key_do_not_run_together() -> None:
    assert cache.key(b"c", ["ab", "c"]) != cache.key(b"c", ["a", "bc"])
    assert cache.key(b"c", ["ab"]) != cache.key(b"bc", ["a"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.data())
def test_a_damaged_entry_is_none(data: st.DataObject) -> None:
    folder, entry, file = stored()
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= data.draw(st.integers(1, 255))
    file.write_bytes(bytes(content))
    assert cache.load(folder, entry) is None
    cache.store(folder, entry, ANSWER)
    assert cache.load(folder, entry) == ANSWER


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner),
)


@pytest.mark.corpus
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.data())
def test_a_forged_entry_of_another_form_is_none(data: st.DataObject) -> None:
    """The checksum is right, as whoever forges an entry would make it."""
    folder, entry, file = stored()
    document = json.loads(file.read_text(encoding="ascii").partition("\n")[2])
    place = document
    while True:  # replace something, at any depth
        at = data.draw(st.integers(0, len(place) - 1))
        if isinstance(place[at], list) and place[at] and data.draw(st.booleans()):
            place = place[at]
            continue
        place[at] = data.draw(JSON)
        break
    text = json.dumps(document)
    file.write_text(f"{cache._checksum(entry, text)}\n{text}", encoding="ascii")
    loaded = cache.load(folder, entry)
    if loaded is not None:  # it was a field, replaced by one of its type
        cache.store(folder, entry, loaded)
        assert document == json.loads(file.read_text(encoding="ascii").partition("\n")[2])


def test_an_entry_that_would_execute_is_none() -> None:
    class Harm:
        def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
            return os.mkdir, ("harmed",)

    folder, entry, file = stored()
    file.write_bytes(pickle.dumps(Harm()))
    assert cache.load(folder, entry) is None
    assert not Path("harmed").exists()


@pytest.mark.parametrize("depth", [10, 100_000])
def test_a_deeply_nested_entry_is_none(depth: int) -> None:
    folder, entry, file = stored()
    text = "[" * depth + "]" * depth
    file.write_text(f"{cache._checksum(entry, text)}\n{text}", encoding="ascii")
    assert cache.load(folder, entry) is None


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_an_entry_that_is_no_plain_file_is_none() -> None:
    folder, entry, file = stored()
    file.unlink()
    file.symlink_to("/dev/zero")
    assert cache.load(folder, entry) is None
    file.unlink()
    file.mkdir()
    assert cache.load(folder, entry) is None
    cache.store(folder, entry, ANSWER)
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_many_writers_leave_whole_entries() -> None:
    write(NB, BROKEN)
    command = [sys.executable, "-m", "pytest_nbsafe", "check", "--format", "json"]

    def run(_: int) -> list[str]:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return [row for row in done.stdout.splitlines() if "duration_s" not in row]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        shown = list(pool.map(run, range(4)))
    assert [shown[0]] * 4 == shown
    assert len(entries()) == 1
    assert not list(kept().glob("*.part"))
    assert run(0) == shown[0]


# -- the size --------------------------------------------------------------------------------------


def aged(folder: Path, number: int, days: float, content: str = "") -> Path:
    file = folder / f"{number:040d}.json"
    file.write_text(content, encoding="ascii")
    then = time.time() - days * 24 * 60 * 60
    os.utime(file, (then, then))
    return file


def test_what_was_not_used_for_a_month_goes() -> None:
    folder, entry, _ = stored()
    old, fresh = aged(folder, 1, 31), aged(folder, 2, 29)
    mine = folder / "notes.txt"
    mine.write_text("not of the cache", encoding="utf-8")
    os.utime(mine, (0, 0))
    (folder / "pruned").unlink()
    cache.store(folder, entry, ANSWER)
    assert [old.exists(), fresh.exists(), mine.exists()] == [False, True, True]
    old = aged(folder, 1, 31)
    cache.store(folder, entry, ANSWER)
    assert old.exists(), "the folder is looked through once a day"


def test_of_too_many_the_oldest_go() -> None:
    folder, entry, _ = stored()
    files = [aged(folder, number, number, "x" * 1000) for number in range(1, 8)]
    (folder / "pruned").unlink()
    cache.store(folder, entry, ANSWER, most_bytes=5000)
    kept = [file.exists() for file in files]
    assert kept == sorted(kept, reverse=True)
    assert 1 <= sum(kept) <= 5
    assert cache.load(folder, entry) == ANSWER


def test_an_entry_that_is_used_stays() -> None:
    folder, entry, file = stored()
    os.utime(file, (0, 0))
    assert cache.load(folder, entry) == ANSWER
    (folder / "pruned").unlink()
    cache.store(folder, "0" * 40, ANSWER)
    assert file.exists()


# -- several processes -----------------------------------------------------------------------------


def test_several_processes_say_the_same() -> None:
    for number in range(9):
        write(Path(f"{number % 2}/{number}.ipynb"), (BROKEN, CLEAN, OUT_OF_ORDER)[number % 3])
    alone = check([Path()], {"cache": False})
    assert len(alone.findings) > 4
    assert timeless(alone) == timeless(check([Path()], {"cache": False, "jobs": "2"}, worth=2))
    assert timeless(alone) == timeless(check([Path()], {"jobs": "auto"}, worth=2))
    assert len(entries()) == len(notebooks_in([Path()], {}))


@pytest.mark.parametrize(("notebooks", "jobs", "started"), [(1, 8, 1), (47, 8, 1), (96, 8, 4)])
def test_processes_are_started_where_they_pay(notebooks: int, jobs: int, started: int) -> None:
    assert checking.processes_for(notebooks, {"jobs": str(jobs)}) == started
