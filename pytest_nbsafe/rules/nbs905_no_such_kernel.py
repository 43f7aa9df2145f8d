"""The notebook's kernel is not installed, or does not start.

Why it matters: nothing of the notebook could be run, so nothing passed.

Limits: told when a run is asked for, and by the kernel's name alone.
"""

BAD = """\
"kernelspec": {"name": "conda-env-of-somebody-else-py"}
"""
GOOD = """\
"kernelspec": {"name": "python3"}
"""
