"""Notebooks as frozen values: reading them, their Python, and the plans to run them."""
