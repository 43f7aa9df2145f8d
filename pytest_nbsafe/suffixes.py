"""What the file of a notebook is called."""

from __future__ import annotations

from pathlib import PurePath

JSON = ".ipynb"
TEXT = frozenset({".py", ".md", ".qmd"})


def is_text(path: str) -> bool:
    """Return whether a file of this name is read as text, not as JSON."""
    return PurePath(path).suffix.lower() in TEXT


def is_notebook(path: str) -> bool:
    """Return whether a file of this name is a notebook, or may be one where the user says so."""
    return path.endswith(JSON) or is_text(path)


def without(path: str) -> str:
    """Return a path without the suffix of a notebook."""
    suffix = PurePath(path).suffix
    return path.removesuffix(suffix) if suffix == JSON or is_text(path) else path
