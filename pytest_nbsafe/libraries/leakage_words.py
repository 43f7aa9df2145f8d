"""The finer words of the leakage tables: effects of single functions, and what else they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Learns = Literal["nothing", "categories", "statistics", "target"]
"""What fitting takes from the rows: nothing; only which values there are; more; the target too."""

SPECIAL = {
    "assign": ("rowwise", "a table with columns named by keywords"),
    "astype": ("rowwise", "the same values as another type"),
    "between": ("rowwise", "whether values lie between two bounds"),
    "dummies": ("rowwise", "a column for each category"),
    "eval": ("rowwise", "a table with the column that an expression in a text makes"),
    "insert": ("rowwise", "nothing; the table has a column more"),
    "is_missing": ("rowwise", "whether a value is missing"),
    "is_present": ("rowwise", "whether a value is there"),
    "isin": ("rowwise", "whether values are among others"),
    "normalize": ("rowwise", "each row by its length; with axis=0 each column"),
    "as_array": ("identity", "the same rows as an array"),
    "choose": ("identity", "the rows for which an expression holds, else columns by their names"),
    "from_slices": ("identity", "the features of a pair of features and labels"),
    "get": ("identity", "a column, by its name"),
    "items": ("identity", "pairs of a label and a row or column"),
    "reindex": ("identity", "the same rows; with `columns` some columns"),
    "rename_columns": ("identity", "the same table, its columns under other names"),
    "reset_index": ("identity", "the same rows; of a statistic, a table"),
    "set_index": ("identity", "a table whose rows have a column for their labels"),
    "some_columns": ("identity", "columns that nobody can tell from the code"),
    "take_out": ("identity", "a column, which the table loses"),
    "to_array": ("identity", "an array of whatever is given"),
    "to_frame": ("identity", "the same rows as a table"),
    "delete": ("filter", "the rows that are not at given positions"),
    "dropna": ("filter", "the rows, or with axis=1 the columns, without gaps"),
    "group_rows": ("filter", "the rows of one group"),
    "head": ("filter", "the first rows"),
    "query": ("filter", "the rows for which a condition in a text holds"),
    "skip": ("filter", "the rows after the first ones"),
    "subset": ("filter", "the rows at given positions"),
    "tail": ("filter", "the last rows"),
    "take": ("filter", "the first rows, or those at given positions"),
    "aggregate": ("statistic", "several statistics, by the names of columns or by expressions"),
    "correlation": ("statistic", "how columns go together: it tells on the target"),
    "highest": ("statistic", "the highest value, or where it is"),
    "highest_rows": ("statistic", "the rows with the highest values"),
    "lowest": ("statistic", "the lowest value, or where it is"),
    "lowest_rows": ("statistic", "the rows with the lowest values"),
    "pivot_table": ("statistic", "a statistic of groups"),
    "quantile": ("statistic", "a share of the values lies below: the share is given first"),
    "value_counts": ("statistic", "how many rows each value has"),
    "difference": ("shift", "what changed since an earlier row"),
    "expanding": ("window", "a window over all rows so far, for a statistic"),
    "time_window": ("window", "a window over the rows of an hour, a day and so on"),
    "each_whole": ("each", "a given function over whole columns or groups"),
    "pipe": ("each", "a given function over the whole table"),
    "select_columns": ("columns", "the columns that expressions make, and no others"),
    "load_pair": ("load", "features and target from somewhere else"),
    "load_pairs": ("load", "features and target for training and for testing"),
    "load_series": ("load", "a table with a row for each day"),
    "load_saved": ("load", "what was saved in a file"),
    "dump": ("draw", "nothing: it saves something in a file"),
    "calendar": ("dates", "dates of which rows are not a series for that alone"),
    "date": ("dates", "one date"),
    "counts": ("size", "how often each number occurs"),
    "nonzero": ("size", "the positions of what is true"),
    "positions": ("size", "positions of rows"),
    "positions_without": ("size", "positions without others"),
    "range": ("size", "positions of rows between two bounds"),
    "checkpoint": ("size", "a callback that keeps the best model in a file"),
    "stopper": ("size", "a callback that stops a training early"),
    "repeat": ("resample", "each row several times"),
    "cut": ("split", "parts of rows one after another"),
    "random_split": ("split", "parts of rows drawn at random, as many as there are sizes"),
    "shuffle_in_place": ("shuffle", "nothing; the rows have another, random order"),
    "curve_metric": ("metric", "a score for each threshold"),
    "evaluate": ("score", "a loss or a score of an estimator on rows"),
    "partial_fit": ("fit", "an estimator that has learned from more rows"),
    "inverse_transform": ("transform", "rows as they were before"),
    "learned": ("size", "what an estimator has learned of the columns"),
    "optimise": ("each", "a given function is called with many values, and its best result kept"),
    "partial": ("each", "a given function with some of its arguments"),
    "reduce": ("each", "a given function over the items of a list, two by two"),
    "same": ("identity", "whatever is given"),
}
"""Effects of single functions: the effect that each is a kind of, and what more is known of it."""

Form = Literal["any", "frame", "series"]
FORMS: Mapping[str, Form] = {"as_frame": "frame", "as_series": "series"}
"""Keys for classes that hold rows, and the form of a value that is made of such a class."""

OTHER = {
    **{key: f"of a class that holds rows: it makes a {form}" for key, form in FORMS.items()},
    "stops": "of a model: it stops by the rows that it watches, unless told otherwise",
    "forms": "of a class: the forms of values that have its methods",
    "returns": "pairs `function:name`: what the function returns is known by that name",
}
"""What else the tables of the libraries say."""

LEARNS: Mapping[str, Learns] = {
    "learns_nothing": "nothing",
    "learns_categories": "categories",
    "learns_target": "target",
}
