"""Saved outputs against new ones, as a person would judge it: `comparison` is the entry."""
