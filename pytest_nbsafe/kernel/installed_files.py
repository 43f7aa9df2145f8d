"""Which files are those of Python and its libraries, and which are the user's."""

from __future__ import annotations

import os
import sys
import tempfile

from .adapters import answers

PYTHONS_OWN = (os.path.dirname(os.__file__),)  # noqa: PTH120  # sysconfig takes long to ask
_SITES = ("site-packages", "dist-packages")
_SYSTEM = (
    *("/proc", "/sys", "/dev", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/System", "/Library"),
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/share", "/usr/local/bin"),
)
_CODE = (".pyc", ".so", ".pyd", ".dylib", ".dll", ".ttf", ".otf", ".ttc", ".afm", ".pfb")
_HIDDEN = (
    *(".ipython", ".jupyter", ".local/share/jupyter", ".cache/pip", ".config/pip"),
    *(".cache/fontconfig", ".fonts"),
)
"""Folders of tools in a user's own: settings of the machine, and what can be made again."""
_KEPT = (("profile_default", "db", "autorestore"),)
"""What `%store` keeps for other notebooks, in a folder of IPython's own."""
_VARIABLES = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR")


def prefixes(*folders: str) -> tuple[str, ...]:
    """Return what the paths of files in some folders begin with."""
    return tuple(folder.rstrip(os.sep) + os.sep for folder in folders)


def sites() -> list[str]:
    """Return the folders that libraries are installed in."""
    return [entry for entry in sys.path if entry.endswith(_SITES)]


class UsersFiles:
    """Tells the user's files from those of libraries, of the system, and of the kernel itself."""

    def __init__(self) -> None:
        home = os.path.expanduser("~")  # noqa: PTH111  # texts throughout
        caches = [os.path.join(home, *path.split("/")) for path in _HIDDEN]  # noqa: PTH118
        caches += [os.environ[name] for name in _VARIABLES if os.environ.get(name)]
        ipython = os.environ.get("IPYTHONDIR") or os.path.join(home, ".ipython")  # noqa: PTH118
        self._kept_by_magic = prefixes(*(os.path.join(ipython, *part) for part in _KEPT))  # noqa: PTH118
        cells = f"{tempfile.gettempdir()}{os.sep}ipykernel_{os.getpid()}"
        inside = [os.path.join(sys.prefix, name) for name in ("lib", "lib64", "share", "etc")]  # noqa: PTH118
        system = _SYSTEM if os.name == "posix" else ()
        self._others = prefixes(*PYTHONS_OWN, *sites(), *inside, *caches, *system, cells)
        self._libraries = prefixes(*PYTHONS_OWN, *sites(), *inside)

    def learn(self) -> None:
        """Learn in which folders the libraries that are loaded keep what they can make again."""
        own = [folder for folders in answers("own_folders") for folder in folders]
        self._others = tuple(dict.fromkeys((*self._others, *prefixes(*own))))

    def is_users(self, path: str) -> bool:
        """Tell whether a file, or a folder, by its absolute path is of the user."""
        if path.startswith(self._others) or path.endswith(_CODE):
            return path.startswith(self._kept_by_magic)
        return "__pycache__" not in path and f"{path}{os.sep}" not in self._others

    def is_installed(self, path: str) -> bool:
        """Tell whether a path is of a library, or compiled code: most that is opened is."""
        return path.startswith(self._libraries) or path.endswith(".pyc")

    def is_users_code(self, file: str) -> bool:
        """Tell whether code that stands in a file is of a module of the user's."""
        return file.endswith(".py") and file[:1] != "<" and not file.startswith(self._libraries)
