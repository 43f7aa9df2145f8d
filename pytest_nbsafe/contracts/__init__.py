"""Contracts: the user's questions in SQL, proved against the tables that will answer them."""
