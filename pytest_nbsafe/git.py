"""What git says of the files of a repository, where there is one; nothing of theirs is run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from pytest_nbsafe.errors import NbsafeError

_SAFE = (
    # Settings of a stranger's repository that name a program, which git would start.
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),
)
_OF_A_HOOK = ("GIT_CONFIG", "GIT_EXEC_PATH")
"""Variables that stay; the others of git say which repository a hook is run for."""
_FINE = (0, 1)
_MOST_S = 120


def ignored(paths: Iterable[Path]) -> frozenset[Path]:
    """Return those of some real paths that git ignores: none where git or a repository is missing.

    A repository within another one is asked itself, and ignored whole where the outer one says so.
    """
    asked: dict[Path, dict[Path, None]] = {}
    places = {path: tuple(_places(path)) for path in paths}
    for root, place in (pair for pairs in places.values() for pair in pairs):
        asked.setdefault(root, {})[place] = None
    answers = {place for root, inside in asked.items() for place in _ignored(root, tuple(inside))}
    return frozenset(
        path for path, pairs in places.items() if any(place in answers for _, place in pairs)
    )


def _places(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each repository that a file is in, and what lies in it: the file, or a repository."""
    place, root = path, repository(path.parent)
    while root is not None:
        yield root, place
        place, root = root, repository(root.parent)


@cache
def repository(folder: Path) -> Path | None:
    """Return the root of the repository that a folder is in, None without one."""
    if (folder / ".git").exists():
        return folder
    return repository(folder.parent) if folder.parent != folder else None


def changed_since(reference: str, folder: Path) -> frozenset[Path]:
    """Return the files that differ from where `reference` and this branch parted.

    Those that are not committed, or not even added, belong to them; so do deleted ones.

    Raises:
        NbsafeError: there is no git, no repository, or no such commit.

    """
    root = repository(folder)
    hint = "--changed-since takes a branch, a tag or a commit"
    if root is None:
        raise NbsafeError("no-repository", f"{folder} lies in no git repository", hint)
    if reference.startswith("-"):  # git would take it for an option
        raise NbsafeError("no-such-commit", f"there is no commit {reference!r}", hint)
    commit = _asked(root, ["rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}"])
    if commit is None or commit[0]:
        message = f"git knows no commit {reference!r} in {root}"
        more = "fetch it (in CI a checkout may hold the last commit alone)"
        raise NbsafeError("no-such-commit", message, f"{hint}; {more}")
    tip = commit[1].decode().strip()
    base = _asked(root, ["merge-base", tip, "HEAD"])
    since = base[1].decode().strip() if base and not base[0] else tip
    answers = (
        _asked(root, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", since]),
        _asked(root, ["ls-files", "-z", "--others", "--exclude-standard"]),
    )
    names = [name for answer in answers if answer for name in answer[1].split(b"\0") if name]
    return frozenset(root / os.fsdecode(name) for name in names)


def _ignored(root: Path, paths: Sequence[Path]) -> Iterable[Path]:
    names = b"\0".join(os.fsencode(path) for path in paths)
    answer = _asked(root, ["check-ignore", "-z", "--stdin"], names)
    names = answer[1] if answer and answer[0] in _FINE else b""
    return (Path(os.fsdecode(name)) for name in names.split(b"\0") if name)


def _asked(root: Path, arguments: Sequence[str], given: bytes = b"") -> tuple[int, bytes] | None:
    """Return git's exit code and what it prints, None where it cannot be asked."""
    import subprocess

    program = _program()
    if program is None:
        return None
    environ = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith(_OF_A_HOOK)
    }
    environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(
            [program, *_SAFE, "-C", str(root), *arguments],
            input=given,
            capture_output=True,
            check=False,
            env=environ,
            timeout=_MOST_S,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.returncode, done.stdout


def _program() -> str | None:
    """Return git; on Windows by its full path, or one in the folder looked at would come first."""
    if os.name != "nt":
        return "git"
    import shutil

    program = shutil.which("git")
    is_safe = program and Path(program).is_absolute() and Path(program).parent != Path.cwd()
    return program if is_safe else None
