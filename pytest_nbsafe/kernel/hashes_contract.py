"""Hashes of what a run finds outside of the notebook: files, folders, modules, variables.

The kernel takes them when a cell runs, and the host when it asks whether all is as it was. As
`contract`, the host imports it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Collection, Mapping

_DIGITS = 32
"""So many hexadecimal digits of SHA-256 tell contents apart."""
FOLDER = "folder"
"""Stands for the hash of what is no file but a folder, or the like."""
_PACKAGE = "__init__.py"
_ABOUT_PACKAGES = (".dist-info", ".egg-info")
"""Ends of names of what tells of packages, to who asks for their versions."""
_CHUNK = 1024 * 1024
_OF_KERNELS = re.compile(
    r"(?:JPY|PYDEVD|IPY|JUPYTER|PYTEST|NBSAFE)_\w+"
    r"|TMPDIR|TERM|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|PAGER|GIT_PAGER|MPLBACKEND|_|PWD|OLDPWD|SHLVL"
)
_stat, _listdir, _exists = os.stat, os.listdir, os.path.exists  # a cell may bind others
_known: dict[tuple[str, int, int, int, int], str] = {}


def hash_of(data: bytes | memoryview) -> str:
    """Return the hash of some bytes, as all that is compared between kernels has it.

    Measured, processors that know SHA-256 hash twice as much in a second with it as with BLAKE2.
    """
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def hash_of_text(text: str) -> str:
    """Return the hash of a text, lone surrogates of undecodable bytes being those bytes."""
    return hash_of(text.encode("utf-8", "surrogateescape"))


def hash_of_file(path: str, status: os.stat_result) -> str:
    """Return the hash of what is in a file of this status.

    It is read once as long as nothing shows that it was written to since.

    Raises:
        OSError: it cannot be read.

    """
    key = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if key not in _known:
        digest = hashlib.sha256()
        with open(path, "rb") as stream:  # noqa: PTH123  # the path is a text
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        _known[key] = digest.hexdigest()[:_DIGITS]
    return _known[key]


def hash_at(path: str) -> str:
    """Return the hash of what is at a path now, "" where nothing can be read."""
    try:
        status = _stat(path)
        return hash_of_file(path, status) if stat.S_ISREG(status.st_mode) else FOLDER
    except (OSError, ValueError):
        return ""


def hash_of_names_in(folder: str) -> str:
    """Return the hash of the sorted names in a folder, "" where there is none."""
    try:
        return hash_of_text("\0".join(sorted(_listdir(folder))))
    except (OSError, ValueError):
        return ""


def hash_of_modules_in(folder: str, names: Collection[str]) -> str:
    """Return the hash of what lies in a folder under some names of modules.

    Packages are told from other folders. With them comes what tells of packages, by whatever name.
    """
    wanted = {*names}
    try:
        entries = _listdir(folder)
    except (OSError, ValueError):
        entries = []
    found = [
        entry
        for entry in entries
        if entry.partition(".")[0] in wanted or entry.endswith(_ABOUT_PACKAGES)
    ]
    told = (
        f"{entry}{os.sep}" if _exists(os.path.join(folder, entry, _PACKAGE)) else entry  # noqa: PTH118
        for entry in found
    )
    return hash_of_text("\0".join(sorted(told)))


def is_of_kernel(variable: str) -> bool:
    """Return whether a variable is set for a kernel, or in each process anew: nobody's input."""
    return _OF_KERNELS.fullmatch(variable) is not None


def hash_of_variables(environ: Mapping[str, str]) -> str:
    """Return the hash of all variables of an environment, but those that are of a kernel."""
    told = (f"{name}={value}" for name, value in environ.items() if not is_of_kernel(name))
    return hash_of_text("\0".join(sorted(told)))
