"""Which methods, called as a statement of their own, leave their object as it was."""

from __future__ import annotations

import ast

PURE_METHODS = frozenset({
    "head", "tail", "info", "describe", "sample", "show", "plot", "hist", "boxplot", "scatter",
    "bar", "barh", "line", "pie", "display", "print", "keys", "values", "items", "count", "index",
    "copy", "get", "format", "join", "lower", "upper", "strip", "split", "replace", "startswith",
    "endswith", "encode", "decode", "mean", "median", "std", "var", "sum", "min", "max", "mode",
    "quantile", "unique", "nunique", "value_counts", "corr", "cov", "isnull", "isna", "notnull",
    "notna", "any", "all", "shape", "size", "query", "groupby", "agg", "aggregate", "pivot_table",
    "crosstab", "merge", "concat", "to_csv", "to_json", "to_excel", "to_html", "to_dict",
    "to_numpy", "to_pickle", "to_string", "to_parquet", "to_frame", "to_list", "tolist", "astype",
    "memory_usage", "equals", "duplicated", "nlargest", "nsmallest", "select_dtypes", "iterrows",
    "itertuples", "idxmax", "idxmin", "cumsum", "cumprod", "rolling", "resample", "melt", "pivot",
    "stack", "unstack", "transpose", "dot", "argmax", "argmin", "flatten", "ravel", "save",
    "savefig", "write_image", "write_html", "summary", "score", "predict", "predict_proba",
    "decision_function", "evaluate", "get_params", "get_feature_names_out", "view", "render",
    "debug", "warning", "error", "critical", "exception", "log", "count_values", "explain",
    "collect", "take", "first", "printSchema", "createOrReplaceTempView",
})  # fmt: skip
"""Names of methods that look at their object, draw it, or save it elsewhere, and return a value."""


def changes_its_object(call: ast.Call) -> bool:
    """Tell whether a method call, whose value nobody keeps, may change the object in place."""
    if not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr not in PURE_METHODS or is_in_place(call)


def is_in_place(call: ast.Call) -> bool:
    """Tell whether the call says `inplace=True`."""
    return any(
        k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value is True
        for k in call.keywords
    )
