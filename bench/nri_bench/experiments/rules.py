"""``nri bench rules``: the rules themselves, one listing for each data set (the paper's appendix)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from nri_bench.datasets import Dataset
from nri_bench.experiments.base import ON_DATA, Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.uci import datasets
from nri_bench.methods import Method, get_method
from nri_bench.methods.dnf import Conjunction, DNFClassifier
from nri_bench.protocols import Split, splits
from nri_bench.run import Job, Measures, Row
from nri_bench.run.score import size_of
from nri_bench.tables.cell import NO_ROWS
from nri_bench.tables.frame import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("seeded", "greedy", "paper", "paper-tuned", "ripper")


def jobs(options: Options) -> list[Job]:
    """One job for each data set, protocol and method: the first fold, by default of p4 as in the paper."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    made = []
    for data in datasets(options):
        for protocol in options.protocols or ("p4",):
            for seed in options.seeds or (0,):
                split = next(splits(data.y, protocol, seed))
                made += [_job(method, data, protocol, seed, split) for method in methods]
    return made


def _job(method: Method, data: Dataset, protocol: str, seed: int, split: Split) -> Job:
    return Job(
        key={
            "experiment": "rules",
            "method": method.name,
            "dataset": data.name,
            "protocol": protocol,
            "seed": seed,
        },
        work=write_rule,
        arguments={"method": method.name, "data": data, "split": split, "seed": seed},
        facts={"data": _checksum(data), **method_facts(method)},
        packages=method.packages,
    )


def _checksum(data: Dataset) -> str:
    """Return a checksum of the cells and of the columns' names, because the rules are written with them."""
    return hashlib.sha256("\x1f".join((data.sha256, *data.variables)).encode()).hexdigest()[:8]


def write_rule(method: str, data: Dataset, split: Split, seed: int) -> Measures:
    """Fit on the support and write the rule out with the names of the columns."""
    X = pd.DataFrame(data.X, columns=list(data.variables))
    seen, codes = np.unique(data.y[split.support], return_inverse=True)
    ours = get_method(method).family == "ours"
    support, query = X.iloc[split.support], X.iloc[split.query]
    model = get_method(method).make(seed)
    model.fit(support if ours else support.to_numpy(), codes)
    answer = seen[np.asarray(model.predict(query if ours else query.to_numpy())).astype(np.int64)]
    size = size_of(method, model, n_classes=len(seen))
    return {
        "rule": readable(model, data.variables, [data.classes[label] for label in seen]),
        "accuracy": float(np.mean(answer == data.y[split.query])),
        "clauses": size.clauses if size else None,
        "literals": size.literals if size else None,
    }


def readable(model: Any, variables: Sequence[str], classes: Sequence[str]) -> str:
    """Write a fitted model's rules, one line for each class it describes."""
    if isinstance(model, Pipeline):
        model = model[-1]
    if hasattr(model, "rule_"):
        return "\n".join(_our_rule(model.rule_, label, classes) for label in model.rule_.described)
    parts = getattr(model, "estimators_", [model])
    if not all(isinstance(part, DNFClassifier) for part in parts):
        raise ValueError("this method has no rule that could be written out")
    if len(parts) == 1:
        return _dnf(classes[parts[0].positive_], parts[0].clauses_, variables)
    return "\n".join(_one_vs_rest(part, label, variables) for part, label in zip(parts, classes, strict=True))


def _one_vs_rest(part: DNFClassifier, label: str, variables: Sequence[str]) -> str:
    heading = label if part.positive_ == 1 else f"not {label}"
    return _dnf(heading, part.clauses_, variables)


def _dnf(label: str, clauses: Sequence[Conjunction], variables: Sequence[str]) -> str:
    written = [
        "("
        + " AND ".join(variables[column] if sign else f"NOT {variables[column]}" for column, sign in clause)
        + ")"
        for clause in clauses
    ]
    return f"{label}: {' OR '.join(written) or 'never'}"


def _our_rule(rule: Any, label: Any, classes: Sequence[str]) -> str:
    clauses = []
    for clause in rule.conditions(label):
        literals = [lit.column if lit.positive else f"NOT {lit.column}" for lit in clause]
        if clause.counts:
            clauses.append(f"AT LEAST {clause.at_least} OF ({', '.join(literals)})")
        else:
            clauses.append(f"({' AND '.join(literals)})")
    named = classes[int(label)] if str(label).isdigit() and int(label) < len(classes) else str(label)
    return f"{named}: {' OR '.join(clauses) or 'never'}"


def table(rows: Sequence[Row]) -> str:
    """Write the listing: a heading for each data set, a block for each method."""
    blocks = []
    rows = _with_protocols(rows)
    for name in dict.fromkeys(row["dataset"] for row in rows):
        blocks.append(f"### {name}\n")
        for row in rows:
            if row["dataset"] != name:
                continue
            label = label_of(str(row["method"]))
            if row["status"] != "ok":
                blocks.append(f"**{label}**: {row['status']}, {row.get('message', '')}\n")
                continue
            clauses = "1 clause" if row["clauses"] == 1 else f"{row['clauses']} clauses"
            head = f"**{label}** (accuracy {100 * row['accuracy']:.1f} %, {clauses})"
            blocks.append(f"{head}\n\n```\n{row['rule']}\n```\n")
    return "\n".join(blocks) or NO_ROWS


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Clauses and literals for each data set."""
    from nri_bench.figures.dots import rule_size_dots

    figure = rule_size_dots(_with_protocols(rows))
    return {"rules": figure} if figure else {}


def _with_protocols(rows: Sequence[Row]) -> list[Row]:
    """Name the protocol beside the data set where the rows are of more than one."""
    protocols = {row.get("protocol") for row in rows}
    if len(protocols) < 2:
        return list(rows)
    return [{**row, "dataset": f"{row['dataset']} ({row['protocol']})"} for row in rows]


EXPERIMENT = Experiment(
    "rules", "The rules for each data set, written out.", jobs, table, figures, takes=ON_DATA
)
