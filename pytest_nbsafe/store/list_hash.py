"""One hash of several texts: no two lists of texts look the same to it."""

from __future__ import annotations

import hashlib


def hashed(*parts: str | bytes) -> str:
    """Return the hash of parts in their order, as 40 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        digest.update(
            framed(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass"))
        )
    return digest.hexdigest()


def framed(part: bytes) -> bytes:
    """Return a part with its length before it: parts that are joined so can be told apart."""
    return b"%d:%b" % (len(part), part)
