"""What a run uses and does beyond the names of the notebook."""
