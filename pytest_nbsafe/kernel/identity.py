"""What tells objects apart."""

from __future__ import annotations

identity = object.__hash__
"""Returns a number that no other object has while this one lives, as `id` does, of any object.

Python tells audit hooks, of which a kernel has one, of each call of `id`: that takes three times as
long. No method of the object, or of its class, is called.
"""
