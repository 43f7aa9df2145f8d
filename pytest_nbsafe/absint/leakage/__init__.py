"""Data leakage, by abstract interpretation of the rows that each value was made from.

`orders.leaks(graph, order)` is the whole answer for one order of cells; `leak.Leak` is one leak.
"""
