"""Plans: which cells to run one after another, and why each is there."""
