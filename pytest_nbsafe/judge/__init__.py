"""All deciding: what is suspected, what to run next, and what the runs say."""
