"""Recorded sessions, run again: their files, their judge, their measures."""
