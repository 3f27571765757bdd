"""What a figure does not show, said in a line below it."""

from collections.abc import Iterable, Sequence
from textwrap import fill

from matplotlib.figure import Figure

from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of


def add_note(figure: Figure, sentences: Iterable[str]) -> None:
    """Write the sentences that are not empty below a figure, in lines as wide as it."""
    text = " ".join(sentence for sentence in sentences if sentence)
    if text:
        width = int(figure.get_figwidth() * 21)  # letters of 6.5 points on an inch
        figure.supxlabel(fill(text, width), x=0.01, ha="left", fontsize=6.5)


def names_of(methods: Iterable[str]) -> str:
    """Join the names of methods, in the order of the tables."""
    return ", ".join(label_of(method) for method in in_order(methods))


def left_out(rows: Sequence[Row], protocol: str, compared: Iterable[str]) -> str:
    """Say which methods have rows of a protocol and yet are not compared, as they lack data sets."""
    missing = {str(row["method"]) for row in rows if row["protocol"] == protocol} - set(compared)
    return f"Not on all data sets, so left out: {names_of(missing)}." if missing else ""


def fewer_fits(rows: Sequence[Row], protocol: str, shown: Iterable[str]) -> str:
    """Say which methods' means are of fewer folds or seeds than the others'."""
    frame = frame_of([row for row in rows if row["protocol"] == protocol])
    counts = frame["method"].value_counts().reindex(list(shown))
    few = counts.index[counts < counts.max()]
    return f"Fewer folds or seeds than the others: {names_of(map(str, few))}." if len(few) else ""


def timed_part(rows: Sequence[Row], timed: Sequence[Row], protocol: str, shown: Iterable[str]) -> list[str]:
    """Say of which seeds the timed rows are, and which methods lack them on some data sets."""
    every, some = ({row["seed"] for row in part if row["protocol"] == protocol} for part in (rows, timed))
    missing = {str(row["method"]) for row in rows if row["protocol"] == protocol} - set(shown)
    said = []
    if every != some:
        listed = [", ".join(str(seed) for seed in sorted(seeds)) for seeds in (some, every)]
        word = "seed" if len(some) == 1 else "seeds"
        said.append(f"Accuracy of the timed fits only: {word} {listed[0]} of {listed[1]}.")
    if missing:
        said.append(f"Not timed on all data sets: {names_of(missing)}.")
    return said
