"""What the notebooks share: reading the rentals, and what a day of them costs."""

from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[2] / "data" / "rentals.csv"
PRICE = 1.5


def load(year=None):
    """Return the rentals, of one year if it is given."""
    rentals = pd.read_csv(DATA, parse_dates=["day"])
    return rentals if year is None else rentals[rentals["day"].dt.year == year]


def income(rentals):
    """Return what the rentals brought, with the price as it is now."""
    return float((rentals["minutes"] * PRICE).sum())
