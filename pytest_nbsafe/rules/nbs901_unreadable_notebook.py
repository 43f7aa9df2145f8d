"""The file is not a notebook that can be read.

Why it matters: nothing of it was checked, though it ends in .ipynb and others will open it. An
unresolved merge conflict and a truncated upload are the usual reasons.

Limits: told before any rule is asked; the line is where the JSON breaks.
"""

BAD = """\
{"cells": [
<<<<<<< HEAD
"""
GOOD = """\
{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"""
