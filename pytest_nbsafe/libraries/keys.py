"""The sections of a library's data file, and the keys of their tables, each with what it says.

The same sections and keys are read from a user's `[tool.nbsafe.libraries.NAME]`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.libraries.leakage_words import OTHER, SPECIAL

ROLES = {
    "transformer": "changes features",
    "vectorizer": "makes features of texts",
    "encoder": "makes numbers of categories",
    "imputer": "fills what is missing",
    "selector": "chooses features",
    "sampler": "makes other rows of the rows: over-sampling, under-sampling",
    "classifier": "predicts classes",
    "regressor": "predicts numbers",
    "model": "predicts something: a network, or a model with an interface of its own",
    "clusterer": "finds groups of rows",
    "outlier": "finds unusual rows",
    "density": "models how rows are distributed",
    "embedding": "places rows in a plane; most cannot transform other rows",
    "splitter": "makes folds or parts of rows",
    "search": "fits candidates by cross-validation and keeps the best",
    "pipeline": "runs steps one after another",
    "columns": "runs steps on columns, or side by side",
    "meta": "fits other estimators",
    "data": "holds rows: a frame, an array, a tensor",
}
"""What a class is for."""

EFFECTS = {
    "load": "rows from somewhere else",
    "random": "random numbers, made from no rows",
    "dates": "dates and times",
    "identity": "the same rows, in another form or order of columns",
    "rowwise": "each row from that row alone",
    "filter": "some of the rows",
    "drop": "some of the rows or columns, by their labels",
    "sample": "some of the rows, drawn at random",
    "shuffle": "the same rows in another, random order",
    "sort": "the same rows, sorted",
    "size": "how many rows or columns there are, or which values: nothing that is learned",
    "statistic": "something learned from all rows; with axis=1, from each row alone",
    "selection": "scores of the features against the target, from all rows",
    "fitted": "rows changed by what is learned from all of them",
    "fill": "rows with gaps filled by the argument",
    "shift": "rows from earlier or later rows",
    "rolling": "a window over neighbouring rows",
    "backfill": "gaps filled from later rows",
    "group": "rows in groups",
    "window": "a window over all rows up to this one",
    "each": "a given function over columns, rows or groups",
    "map": "each value by a given function or table",
    "learn": "the network that a loss comes from learns from its rows",
    "item": "a number out of a tensor",
    "column": "a column by its name, of a table that is named later",
    "columns": "a table with columns that expressions make",
    "rename": "a column under another name",
    "over": "a statistic of groups, given to each of their rows",
    "concat": "rows of several, joined",
    "merge": "columns of several, joined",
    "resample": "rows drawn with duplicates",
    "split": "parts of rows",
    "folds": "positions of the rows of each part, fold by fold",
    "cv": "scores of an estimator by cross-validation",
    "cv_predict": "predictions of an estimator by cross-validation",
    "cv_curve": "scores of many parameters by cross-validation",
    "metric": "a score of predictions against the truth",
    "cluster_metric": "a score of groups that were found, or of distances: judges no prediction",
    "score": "a score of an estimator on rows",
    "scorer": "something that scores an estimator",
    "predict": "predictions of an estimator on rows",
    "fit": "an estimator that has learned from rows",
    "transform": "rows changed by what an estimator has learned",
    "fit_transform": "the two together",
    "fit_predict": "an estimator that learns from rows and predicts them",
    "fit_resample": "other rows made of the rows",
    "make_pipeline": "a pipeline of the arguments",
    "make_columns": "steps on columns, or side by side",
    "clone": "the same estimator, not fitted",
    "settings": "the same estimator, with other settings",
    "draw": "nothing that is learned: it prints, draws or writes",
}
"""What a function or method returns, in terms of the rows that it is given."""
TRAITS = {
    "learns_nothing": "of a class: fitting takes nothing from the rows",
    "learns_categories": "of a class: fitting takes categories from the rows",
    "learns_target": "of a class: fitting takes target from the rows",
    "fixed_by": "`Class:parameter` or `Class:parameter=value`, with which it learns nothing",
    "time": "of a splitter: it keeps the order of rows",
    "grouped": "of a splitter: it keeps groups of rows together",
    "shuffles": "of a splitter: it shuffles by itself",
}
"""What more can be said of the classes of a table."""

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "library": {
        "aliases": "`name:module`, what a name nearly always stands for: `pd:pandas`",
        "moved": "`old:new`, a module's old place and its new one",
        "learns": "words of which a notebook that learns by the library holds one",
    },
    "classes": {
        "changes": "methods that change their object in place and return nothing worth keeping",
        "changes_and_returns": "methods that change it and return something: `pop`",
        "inplace": "methods that change it only when told `inplace=True`",
        "idempotent": "of those that change it: a second call has no effect",
        "draws": "methods that only add to a picture, or set how it looks",
        "pure": "methods that leave it as it was",
        "same": "methods that leave it as it was and return another of its class",
        "returns": "`method:class`, what methods that leave it as it was return",
    },
    "functions": {
        "changes": "`function:position` of the argument that is changed in place, counted from 0",
        "idempotent": "functions whose second call has no effect",
        "returns": "`function:class`, what functions return",
    },
    "leakage": {
        **ROLES,
        **EFFECTS,
        **TRAITS,
        **{key: says for key, (_, says) in SPECIAL.items()},
        **OTHER,
    },
    "random_source": {
        "name": "how a message names the source",
        "state": "how it names the source's state",
        "seed": "a call that seeds it",
        "module": "where the kernel finds its state",
    },
    "random": {
        "source": "what the functions of the module draw from",
        "draws": "functions that draw",
        "generators": "those that make a generator, random when they are given nothing",
        "seeds": "those that seed the source",
        "other_seeds": "those that seed something that nothing here draws from",
        "seeded_by": "parameters that make a seed needless",
        "only_if": "`function:parameter=value` (or `!=`), without which it draws nothing",
        "enough": "another source whose seed will do",
        "also": "modules that hand the functions on",
    },
    "row_sample": {
        "source": "what the methods draw from",
        "methods": "methods of tables that draw rows",
        "by_name": "parameters that show that it is such a method",
        "count": "the parameter that says how many rows",
        "seeded_by": "parameters that make a seed needless",
        "other_methods": "methods of the same name that draw no rows",
    },
    "files": {
        "writes": "functions and methods that write a file, by their last word",
        "reads": "functions and methods that read a file, by their last word",
        "paths": "calls whose first argument is surely a path, `*` for anything",
        "no_paths": "calls whose texts are no paths of this machine",
    },
    "outside": {
        "machine": "calls that ask the clock, the machine, its user, the network",
        "places": "calls that ask where a folder lies",
        "files": "calls that ask which files there are",
        "versioned": "modules that give other numbers from one version to the next",
        "versioned_calls": "calls that load what may be another thing tomorrow",
    },
}
"""The sections that a user may write, too."""

OWN_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "rebinding": {
        "repeats": "`x = x.method()` done again gives the same",
        "converts": "the same, whatever `x` has become in between: it is of one kind again",
        "shifts": "it gives something else each time",
        "grows": "functions that join their arguments, `x` among them",
        "other_kind": "methods that the result has no more",
        "modules": "modules whose functions do as the methods of these names",
        "loses_columns": "functions that take columns out when they are told `columns`",
        "merges": "functions that merge two tables",
    },
    "second_call": {
        "does": "of `Class.method`: how a second call goes on, `a second run of this cell ...`",
    },
    "printing": {
        "kinds": "printed words that say how a value is kept, not what it is",
        "pictures": "how a text begins that stands for a picture",
        "scalars": "what a printed number is wrapped in",
    },
    "kinds": {"unshared": "classes of objects that several names may hold without harm"},
    "plotting": {
        "names": "names that a session holds which draws",
        "magic": "the magic with which pictures are drawn into the page",
    },
    "magics": {
        "automagic": "magics that a one-line cell may call without `%`",
        "cause": "why the magic may bind names that the text does not show",
    },
    "installs": {"valued": "options of the installer that take a value"},
}
"""The sections of our own data files alone."""
