"""Files that compiled code opens by itself: what the system tells of them when a run has ended."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PosixPath, WindowsPath
from types import CodeType
from typing import Any

from ..functions.reach import inside
from ..installed_files import UsersFiles
from .file_uses import FileUses
from .hindrances import Hindrances
from .native_opens import NativeOpens
from .real_paths import real_path

UNFOLLOWED = "it uses files in a way that cannot be followed"
_UNWATCHED = "the system could not watch all files that compiled code opens"
_LONGEST_PATH = 300


class NativeFiles:
    """What nobody but the system tells of files, passed on to `files` as if Python had told it."""

    def __init__(self, files: FileUses, users_files: UsersFiles) -> None:
        self._files, self._users_files = files, users_files
        self._native = NativeOpens()

    def install(self) -> None:
        """Watch the working folder from now on."""
        self._native.install(os.getcwd())  # noqa: PTH109  # a text

    def start(self) -> None:
        """Forget the last run."""
        self._native.start()

    def starting(self, code: CodeType, home: Mapping[str, Any]) -> None:
        """Watch the folders, too, that a statement names which is about to run."""
        if self._native.alive:
            for text in _texts(code, home):
                self._expect(text)

    def _expect(self, text: str) -> None:
        path = self._files.place(text)
        for folder in (path, os.path.dirname(path)):  # noqa: PTH120  # texts throughout
            if os.path.isdir(folder):  # noqa: PTH112
                if folder.strip(os.sep) and self._users_files.is_users(folder):
                    self._native.expect(folder.rstrip(os.sep))
                return

    def look(self) -> None:
        """Take note of what has happened since."""
        files = self._files
        for path, is_folder, writes, is_new in self._native.drain():
            if path in files.known or real_path(path) in files.known:
                continue
            if writes:
                if not is_folder:
                    files.write_unseen(path, was_there=not is_new)
                continue
            for link in self._native.links_to(path):
                files.ask(link)
            (files.list_names if is_folder else files.ask)(path)

    def hinder(self, hindrances: Hindrances) -> None:
        """Take note where more may have happened than is known."""
        if self._native.lost:
            hindrances.add("native", UNFOLLOWED, 0)
        if self._native.is_short:
            hindrances.add("native", _UNWATCHED, 0)


def _texts(code: CodeType, home: Mapping[str, Any]) -> Iterable[str]:
    """Yield the texts that may be paths: those in a statement, and those that its names hold."""
    for each in (code, *inside(code)):
        for const in each.co_consts:
            if type(const) is str and os.sep in const and len(const) < _LONGEST_PATH:
                yield const
        for name in each.co_names:
            value = home.get(name)
            if type(value) is str:
                if os.sep in value and len(value) < _LONGEST_PATH and "\n" not in value:
                    yield value
            elif type(value) is PosixPath or type(value) is WindowsPath:  # a metaclass may compare
                yield str(value)
