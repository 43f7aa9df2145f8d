"""Runs that need not be run again: what may be reused, and a kernel that remembers."""
