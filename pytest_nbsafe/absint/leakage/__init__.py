"""Data leakage, by abstract interpretation of the rows that each value was made from."""
