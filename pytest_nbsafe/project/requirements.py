"""Requirements as pip writes them: one by one, and files of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pytest_nbsafe import files, patterns
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Requirements:
    """What one file declares: distributions, normalised.

    `unknown` says why there may be more, empty when the file could be read as a whole.
    """

    names: frozenset[str] = frozenset()
    unknown: str = ""


def joined(declarations: Iterable[Requirements]) -> Requirements:
    """Return what several declare together, and the first reason why there may be more."""
    declarations = tuple(declarations)
    names = frozenset(name for declaration in declarations for name in declaration.names)
    return Requirements(names, next((d.unknown for d in declarations if d.unknown), ""))


Reader = Callable[[Path], Requirements]

_NAME = patterns.compile(
    r"([A-Za-z0-9](?:[\w.\-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?(?:\s|$|[;@=<>!~(,#])"
)
_EGG = patterns.compile(r"[#&]egg=([\w.\-]+)")
_WHEEL = patterns.compile(r"(?:^|[/\\])([\w.]+)-\d[^/\\]*\.(?:whl|tar\.gz|zip)$")
_REPOSITORY = patterns.compile(r"/([\w.\-]+?)(?:\.git)?/?(?:@[^/]*)?$")
_COMMENT = patterns.compile(r"(?:^|\s)#.*")
_DEEP = 10


def normalised(name: str) -> str:
    """Return the name of a distribution as PyPI compares it.

    Source: PEP 503.
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """Return the distribution of one requirement, normalised; "" if it does not say one."""
    text = requirement.strip().strip("\"'")
    if text.startswith("-"):
        return ""
    if egg := _EGG.search(text):
        return normalised(egg[1])
    plain = _NAME.match(text)
    if plain and "://" not in text.partition("@")[0]:
        return normalised(plain[1])
    address = text.partition("#")[0]
    named = _WHEEL.search(address) or ("://" in address and _REPOSITORY.search(address))
    return normalised(named[1]) if named else ""


def names_of(required: Iterable[object]) -> frozenset[str]:
    """Return the distributions of those items that are requirements."""
    return frozenset(n for item in required if isinstance(item, str) if (n := name_of(item)))


def text_of(file: Path) -> str:
    """Return the text of a file.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8, nor UTF-16 with its mark.

    """
    raw = files.read_bytes(file)
    encoding = "utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    return raw.decode(encoding)


def read(file: Path) -> Requirements:
    """Return what a file of requirements declares, with the files that it includes by `-r`."""
    names: set[str] = set()
    unknown = ""
    todo, read_files = [file], set[Path]()
    while todo and len(read_files) < _DEEP:
        at = todo.pop()
        read_files.add(at)
        try:
            lines = list(_lines(text_of(at)))
        except (OSError, UnicodeDecodeError) as error:
            unknown = f"it cannot be read: {error}" if at == file else f"{at.name} cannot be read"
            continue
        for line in lines:
            option, _, value = line.replace("=", " ", 1).partition(" ")
            if option in {"-r", "--requirement"} or re.match(r"-r\S", line):
                path = value.strip() if option in {"-r", "--requirement"} else line[2:].strip()
                included = at.parent / path
                todo += [] if included in read_files else [included]
            else:
                names |= names_of([value if option in {"-e", "--editable"} else line])
    return Requirements(frozenset(names), unknown)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a file of requirements, joined, without comments."""
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        bare = _COMMENT.sub("", line).strip()
        if bare:
            yield bare
