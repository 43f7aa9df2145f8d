"""A text with all that cells are looked at for, to go once through that before the first comes."""

from __future__ import annotations

SAMPLE = """\
total = total + 1
def add(number, by=2):
    return number + by
for number in range(3):
    total += add(number)
print(total, [number for number in (total, 2) if number])
"""
