"""Questions about rows of any number, batch by batch: why, and where two rules differ."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pandas as pd

from nri.engine.batches import Batch, batches
from nri.engine.files import Files
from nri.errors import InputError
from nri.rule import RuleSet
from nri.tasks.compare import SHOWN, RowCounts
from nri.tasks.predictions import added_names, said_of
from nri.tasks.stream import AnyRule, Judge, PlanReader, RowSink, row_sink


def stream_explanations(rule: AnyRule, files: Files, numbers: Sequence[int]) -> list[str]:
    """Return why rows of some numbers, from 1, have their class; rows behind the last one are not read."""
    reader, last, n_rows = PlanReader(rule.plans), max(numbers), 0
    found: dict[int, str] = {}
    if min(numbers) < 1:
        raise InputError(f"no row {min(numbers)}: rows are counted from 1")
    for batch in batches(files, rule.plans):
        n_rows = batch.first + len(batch) - 1
        here = sorted({number for number in numbers if batch.first <= number <= n_rows})
        if here:
            rows = np.array([number - batch.first for number in here])
            read = reader.read(batch.source([*rule.plans]), batch)
            columns = {name: column.take(rows) for name, column in read.items()}
            said = rule.explain(columns, len(rows))
            found |= {number: str(one) for number, one in zip(here, said, strict=True)}
        if n_rows >= last:
            break
    for number in numbers:
        if number not in found:
            raise InputError(f"no row {number}: {files.paths[0]} has rows 1 to {n_rows}")
    return [found[number] for number in numbers]


def stream_changes(
    old: RuleSet,
    new: RuleSet,
    files: Files,
    destination: Path | None = None,
    *,
    step: Callable[[int], None] = lambda rows: None,
) -> RowCounts:
    """Count on all rows what changed from one rule to another.

    Parameters
    ----------
    old, new
        Rules for one target.
    files
        The rows.
    destination
        Where the rows go on which they differ; nowhere by default.
    step
        Told how many rows are done.
    """
    readers = [PlanReader(rule.plans) for rule in (old, new)]
    judges = [Judge(new), Judge(new)]  # one reading of the truth for both
    changes: Counter[tuple[int, int]] = Counter()
    first: list[int] = []
    n_rows = 0
    wanted = {*old.plans, *new.plans, new.target} if destination is None else None
    with _sink(destination) as sink:
        for batch in batches(files, wanted):
            source = batch.source([*{**old.plans, **new.plans}, new.target])
            said = [
                said_of(rule, reader.read(source, batch), len(batch), added_names(rule, ())).iloc[:, 0]
                for rule, reader in zip((old, new), readers, strict=True)
            ]
            differs = (said[0].astype(str) != said[1].astype(str)).to_numpy()
            pairs = zip(said[0][differs].tolist(), said[1][differs].tolist(), strict=True)
            changes.update((old.index_of(a), new.index_of(b)) for a, b in pairs)
            first += (batch.first + np.flatnonzero(differs)[: SHOWN - len(first)]).tolist()
            for judge, words in zip(judges, said, strict=True):
                judge.add(source, words.to_numpy())
            if sink is not None:
                told = {f"old_{new.target}": said[0][differs], f"new_{new.target}": said[1][differs]}
                rows = Batch(batch.first, batch.rows.filter(differs))
                sink.write(rows, pd.DataFrame(told).reset_index(drop=True))
            n_rows += len(batch)
            step(n_rows)
    return RowCounts(
        n_rows,
        sum(changes.values()),
        tuple(first),
        tuple((old.classes[a], new.classes[b], count) for (a, b), count in changes.most_common()),
        judges[0].accuracy,
        judges[1].accuracy,
    )


@contextmanager
def _sink(destination: Path | None) -> Iterator[RowSink | None]:
    with nullcontext() if destination is None else row_sink(destination, only=False) as sink:
        yield sink
