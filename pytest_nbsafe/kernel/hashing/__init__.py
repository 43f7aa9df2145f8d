"""Fingerprints: hashes of what values hold."""
