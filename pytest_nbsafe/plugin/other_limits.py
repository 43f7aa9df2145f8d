"""The time limit that pytest-timeout sets for an item.

It lies over all attempts of an item together, and is over when it has struck: a second attempt,
which pytest-rerunfailures asks for, would have none.
"""

from __future__ import annotations

from typing import Any

import pytest


def start_again(item: pytest.Item) -> None:
    """Let the limit of an item begin anew, if it has one that lies over its attempts."""
    plugin: Any = item.config.pluginmanager.get_plugin("timeout")
    settings_of = getattr(plugin, "_get_item_settings", None)  # it has no public name for it
    settings = settings_of(item) if settings_of is not None else None
    if settings is None or not settings.timeout or settings.func_only:
        return
    item.ihook.pytest_timeout_cancel_timer(item=item)
    item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
