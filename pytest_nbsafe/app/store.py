"""`nbsafe store`: what is kept of earlier runs, and how to be rid of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from pytest_nbsafe.app.run_store import FOLDER
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.store import clearing, database, place
from pytest_nbsafe.store.database import Store, StoreRefused
from pytest_nbsafe.store.holdings import Size


def opened() -> Store:
    """Return the store of this user.

    Raises:
        NbsafeError: there is none that can be used.

    """
    try:
        return database.opened(_folder())
    except StoreRefused as refused:
        raise NbsafeError("no-store", f"there is no store: {refused}") from None


def _folder() -> Path:
    """Return the folder of this user's store.

    Raises:
        NbsafeError: there is none that can be used.

    """
    folder = place.folder()
    if folder is None:
        hint = f"name a folder of yours in {place.VARIABLE}"
        raise NbsafeError("no-store", "there is no store: its folder cannot be used", hint)
    return folder / FOLDER


def listed() -> tuple[Path, tuple[Size, ...], int]:
    """Return the folder of the store, what it holds for each notebook, and its bytes in all.

    Raises:
        NbsafeError: it cannot be used.

    """
    store = opened()
    try:
        return store.folder, *store.sizes()
    except StoreRefused as refused:
        raise NbsafeError("no-store", f"the store cannot be used: {refused}") from None
    finally:
        store.close()


def freed(*, everything: bool) -> int:
    """Remove what is too much or too old, or everything; return how many bytes that was.

    Raises:
        NbsafeError: it cannot be used.

    """
    try:
        if everything:
            return clearing.clear(_folder())
        with closing(opened()) as store:
            return store.prune()
    except StoreRefused as refused:
        raise NbsafeError("no-store", f"the store cannot be used: {refused}") from None
