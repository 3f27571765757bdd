"""Numbers into documents: every marked place is filled from the rows, by name.

A place is ``<!-- bench:NAME -->anything<!-- /bench -->``, within a line for a single number or over
several lines for a table. Names:

``table1:PROTOCOL``, ``table1-latex:PROTOCOL``
    Table 1;
``mean:METHOD:PROTOCOL``
    mean accuracy over the data sets, in percent;
``ranking:PROTOCOL``
    the methods by mean accuracy with their rule size, as a table;
``against-paper``
    ours minus the paper's Table 1 at p4, method by method and set by set;
``paper``, ``expected``
    the paper's claims beside its code and our networks; the same with commands, for these alone;
``EXPERIMENT``
    the table of an experiment, e.g. ``recovery``;
``wide:TABLE:HALF``
    a table of the wide suite (:data:`nri_bench.tables.wide.TABLES`) for ``choosing``, ``confirming`` or
    ``all``, e.g. ``wide:accuracy:all``;
``value:EXPERIMENT:FIELD:NAME=VALUE,...``
    the mean of a field over the rows that have these values, shares in percent, e.g.
    ``value:recovery:equal:method=paper,K=1,L=2``;
``provenance``, ``provenance:wide``
    commits, versions and seeds or draws of the rows of Table 1, and of those of the wide suite;
``measured:EXPERIMENT``
    the version and commit that the rows of our methods state, in a sentence;
``campaign``
    what ``make fuzz`` counted;
``soak``
    what the last ``make soak`` counted;
``FOLDER/NAME``
    any of these from the rows in a folder below, e.g. ``published-run/noise``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from nri import InputError
from nri_bench.command import experiment_rows
from nri_bench.experiments import EXPERIMENTS
from nri_bench.run import Row
from nri_bench.tables.campaign import campaign_table, soak_line
from nri_bench.tables.cell import FAILED, NO_ROWS, markdown, notes, percent
from nri_bench.tables.frame import frame_of, label_of, with_values
from nri_bench.tables.paper import expected_table, paper_table
from nri_bench.tables.published import against_paper
from nri_bench.tables.table1 import Table1, table1, table1_latex, table1_markdown
from nri_bench.tables.wide import PARTS, TABLES

PLACE = re.compile(r"(<!-- bench:(?P<name>[^ ]+) -->)(?P<text>.*?)(<!-- /bench -->)", re.DOTALL)


@dataclass(frozen=True)
class ReadOnce:
    """Rows and tables of results that stay as they are while documents are filled: many places share them."""

    rows_of: dict[tuple[str, Path], list[Row]] = field(default_factory=dict)
    tables: dict[tuple[Path, str], Table1] = field(default_factory=dict)

    def rows(self, experiment: str, results: Path) -> list[Row]:
        """Return every row of an experiment."""
        key = (experiment, results)
        if key not in self.rows_of:
            self.rows_of[key] = experiment_rows(EXPERIMENTS[experiment], results)
        return self.rows_of[key]

    def table1(self, results: Path, protocol: str) -> Table1:
        """Return Table 1 of a protocol."""
        key = (results, protocol)
        if key not in self.tables:
            self.tables[key] = table1(self.rows("uci", results), protocol)
        return self.tables[key]


def documents_with_places(root: Path) -> list[Path]:
    """Return README.md and the pages of docs/, as far as they have places to fill."""
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    return [path for path in pages if path.exists() and "<!-- bench:" in path.read_text(encoding="utf-8")]


def fill_documents(paths: Sequence[Path], results: Path, *, write: bool = True) -> list[Path]:
    """Fill the marked places of documents; return those whose text changed (or would have to)."""
    changed = []
    once = ReadOnce()
    for path in paths:
        try:
            old = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise InputError(
                f"{path}: no such file; name documents that have <!-- bench:... --> places"
            ) from error
        new = fill(old, results, str(path), once)
        if new != old:
            changed.append(path)
            if write:
                path.write_text(new, encoding="utf-8")
    return changed


def fill(text: str, results: Path, where: str = "document", once: ReadOnce | None = None) -> str:
    """Return the text with every marked place filled."""
    once = once or ReadOnce()
    opened, closed = len(re.findall(r"<!-- bench:", text)), len(re.findall(r"<!-- /bench -->", text))
    if opened != closed:
        raise InputError(
            f"{where}: {opened} bench places opened but {closed} closed; end each with <!-- /bench -->"
        )

    def put(match: re.Match[str]) -> str:
        content = content_of(match["name"], results, once)
        inline = "\n" not in match["text"] and "\n" not in content.strip()
        body = content.strip() if inline else f"\n\n{content.strip()}\n\n"
        return f"{match[1]}{body}{match[4]}"

    return PLACE.sub(put, text)


def content_of(name: str, results: Path, once: ReadOnce | None = None) -> str:
    """Return what belongs in the place of that name."""
    once = once or ReadOnce()
    folder, _, place = name.rpartition("/")
    results = results / folder
    kind, *arguments = place.split(":")
    if kind in EXPERIMENTS and not arguments:
        rows = once.rows(kind, results)
        return EXPERIMENTS[kind].table(rows) if rows else NO_ROWS
    if kind == "value" and len(arguments) == 3 and arguments[0] in EXPERIMENTS:
        return mean_value(once.rows(arguments[0], results), *arguments[1:])
    if kind == "wide" and len(arguments) == 2 and arguments[0] in TABLES and arguments[1] in PARTS:
        return TABLES[arguments[0]](once.rows("wide", results), arguments[1]) or NO_ROWS
    if name in ("paper", "expected"):
        write = paper_table if name == "paper" else expected_table
        return write(lambda experiment, below: once.rows(experiment, results / below))
    if name == "campaign":
        return campaign_table(results / "fuzz.jsonl")
    if name == "soak":
        return soak_line(results / "soak.jsonl")
    uci = once.rows("uci", results)
    if kind == "table1" and len(arguments) == 1:
        return table1_markdown(uci, arguments[0])
    if kind == "table1-latex" and len(arguments) == 1:
        return f"```latex\n{table1_latex(uci, arguments[0])}```"
    if kind == "mean" and len(arguments) == 2:
        means = once.table1(results, arguments[1]).means
        return f"{means[arguments[0]].mean:.1f}" if arguments[0] in means else "n/a"
    if kind == "ranking" and len(arguments) == 1:
        return ranking_table(uci, arguments[0])
    if kind == "against-paper" and not arguments:
        return against_paper(uci)
    if kind == "measured" and len(arguments) == 1 and arguments[0] in EXPERIMENTS:
        return measured(once.rows(arguments[0], results))
    if kind == "provenance" and arguments in ([], ["wide"]):
        return provenance(once.rows("wide", results) if arguments else uci)
    raise InputError(f"no bench place {name!r}; see the list in nri_bench.report")


SHARES = ("accuracy", "balanced_accuracy", "equal", "support_accuracy", "shifted_accuracy")
"""Fields in percent."""


def mean_value(rows: Sequence[Row], field: str, conditions: str) -> str:
    """Return the mean of a field over rows whose fields, written out, have the values asked for."""
    frame = frame_of(with_values(rows, conditions))
    if frame.empty or field not in frame or frame[field].isna().all():
        return "n/a"
    mean = frame["score" if field == "accuracy" else field].mean()
    mark = "" if frame["ok"].all() else FAILED
    return f"{percent(mean) if field in SHARES else f'{mean:.3g}'}{mark}"


def ranking_table(rows: Sequence[Row], protocol: str) -> str:
    """List methods by mean accuracy, with balanced accuracy, AUC and the size of the model."""
    table = table1(rows, protocol)
    frame = frame_of(row for row in rows if row["protocol"] == protocol)
    lines = []
    for method, cell in sorted(table.means.items(), key=lambda item: -item[1].mean):
        part = frame[frame["method"] == method]
        by_set = part.groupby("dataset")[["balanced_accuracy", "auc", "clauses", "literals"]].mean()
        mean, middle = by_set.mean(), by_set.median()
        accuracies = [
            f"{cell.mean:.1f}{cell.marks}",
            percent(mean["balanced_accuracy"]),
            percent(mean["auc"]),
        ]
        sizes = [_count(middle["clauses"]), _count(middle["literals"])]
        lines.append([label_of(method), *accuracies, *sizes, str(cell.n_failed), _empty_fits(method, part)])
    header = ["method", "accuracy", "balanced", "AUC", "clauses (median)", "literals (median)"]
    header += ["failed fits", "empty fits"]
    if not lines:
        return NO_ROWS
    seeds = ", ".join(map(str, table.seeds))
    caption = f"Means over {len(table.datasets)} data sets, their folds and seeds ({seeds})."
    return f"{markdown(header, lines)}\n{caption}{notes(table.means.values())}\n"


def provenance(rows: Sequence[Row]) -> str:
    """Say which code, libraries and seeds the rows come from."""
    if not rows:
        return NO_ROWS
    commits = sorted({str(row.get("commit", "")) for row in rows} - {""})
    libraries = sorted({pair for row in rows for pair in _pairs(str(row.get("versions", "")))})
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(f"`{row['protocol']}`" if "protocol" in row else f"n = {row['n']}", []).append(row)
    lines = []
    for name, part in sorted(parts.items()):
        word, field = ("seeds", "seed") if "seed" in part[0] else ("draws", "draw")
        drawn = ", ".join(sorted({str(row[field]) for row in part}))
        sets = len({row["dataset"] for row in part})
        lines.append(f"- {name}: {len(part)} rows, {sets} data sets, {word} {drawn}")
    lines.append(f"- commits ({'+'} marks changed sources): {', '.join(commits)}")
    lines.append(f"- versions: {', '.join(libraries)}")
    return "\n".join(lines)


def measured(rows: Sequence[Row]) -> str:
    """State the version and commit of the rows of our methods: those of an older one may differ now."""
    origins: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        label = label_of(row["method"])
        if label.startswith("NRI"):
            libraries = dict(pair.split() for pair in _pairs(str(row.get("versions", ""))))
            version = libraries.get("nri", "unknown")
            origins.setdefault((version, str(row.get("commit", "unknown"))), set()).add(label)
    parts = [
        f"{', '.join(sorted(labels))}: version {version}, commit {commit}"
        for (version, commit), labels in sorted(origins.items())
    ]
    return f"Rows of our methods were measured with: {'; '.join(parts)}." if parts else NO_ROWS


def _pairs(versions: str) -> list[str]:
    words = versions.split()
    return [f"{name} {version}" for name, version in zip(words[::2], words[1::2], strict=False)]


def _empty_fits(method: str, part: pd.DataFrame) -> str:
    """Count the fits that ended without an error and without a rule: they say one class of all rows.

    Of several classes one can be left without a rule while others have theirs. Methods that fit each class
    apart note that, and these fits are listed beside the others.
    """
    if method == "majority" or part["clauses"].isna().all():
        return "–"  # noqa: RUF001
    empty = (part["clauses"] == 0) & part["ok"]
    noted = part["note"].notna() & ~empty & part["ok"] if "note" in part else empty & False
    return f"{empty.sum()} + {noted.sum()} in part" if noted.any() else str(empty.sum())


def _count(number: float) -> str:
    return "–" if number != number else f"{number:.0f}"  # noqa: RUF001
