"""The campaign: ``make fuzz MINUTES=60``. Every part for its share of the time, in processes of their own.

Prints one line of counts for each part and one for all: tried, ok, refused, foreign, hung, different. What was
found goes to build/fuzz/. Exits with 1 if there is any finding.

Bars that no single run reaches are reached over several: ``--parts fits --count 20000 --rows
results/fuzz.jsonl`` tries so many cases (the minutes are a bound) and adds what was counted, part by part, to a
file of rows; ``nri bench report`` writes the table of docs/limits.md from them. A finding names its round:
``--parts fits --again 3000017`` draws the cases of that round again, once it was mended.
"""

import argparse
import json
import logging
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "helpers")]

from fuzz_commands import commands  # noqa: E402
from fuzz_commands import run as run_command  # noqa: E402
from fuzz_exports import execute, exports  # noqa: E402
from fuzz_files import (  # noqa: E402
    count_table,
    damaged_rules,
    damaged_tables,
    damaged_weights,
    large_tables,
    read_rule,
    read_table,
    read_weights,
)
from fuzz_fits import fit, move, survive, systems  # noqa: E402
from fuzz_relations import relate, relations  # noqa: E402
from fuzz_server import requests, send  # noqa: E402
from fuzz_tables import table_cases  # noqa: E402
from fuzz_tally import OUTCOMES, Tally, outcome_of  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402

from nri_bench.run.rows import commit_of  # noqa: E402

QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
ROUND = 200
"""Cases of one call of hypothesis, which takes its time to begin and begins with the simplest case."""


@dataclass(frozen=True)
class Part:
    """What is drawn, what is done with it, and its share of the time."""

    strategy: Any
    run: Any
    share: float


PARTS = {
    "fits": Part(table_cases(), fit, 0.34),
    "relations": Part(relations, relate, 0.08),
    "survival": Part(table_cases(), survive, 0.04),
    "systems": Part(systems, move, 0.04),
    "exports": Part(exports, execute, 0.15),
    "tables": Part(damaged_tables, read_table, 0.07),
    "large": Part(large_tables, count_table, 0.03),
    "rules": Part(damaged_rules, read_rule, 0.03),
    "weights": Part(damaged_weights, read_weights, 0.04),
    "commands": Part(commands, run_command, 0.15),
    "server": Part(requests, send, 0.03),
}


def one_round(part: Part, number: int, tally: Tally, examples: int = ROUND) -> None:
    """Draw so many cases and count what becomes of them."""

    @seed(number)
    @settings(max_examples=examples, phases=[Phase.generate], **QUIET)
    @given(part.strategy)
    def drive(case: Any) -> None:
        rows: list[int] = []
        outcome, finding = outcome_of(lambda one: rows.append(part.run(one) or 0), case)
        tally.add(outcome, finding)
        if rows and rows[0]:
            tally.counts["rows"] += rows[0]

    drive()


class Unheard(logging.Handler):
    """What is logged must be text, but nobody reads thousands of lines of it."""

    def emit(self, record: logging.LogRecord) -> None:
        record.getMessage().encode("utf-8", "backslashreplace")


def _work(name: str, first: int, minutes: float, count: int, folder: Path) -> None:
    """Do rounds of a part until its time is over or enough were tried; what was counted is written after each."""
    logging.getLogger().addHandler(Unheard())
    tally, number, end = Tally(), first, time.monotonic() + 60 * minutes
    while time.monotonic() < end and tally.tried < count:
        (folder / f"{name}-{first}.round").write_text(str(number))
        known = len(tally.findings)
        one_round(PARTS[name], number, tally, min(ROUND, count - tally.tried))
        tally.findings[known:] = [f"round {number}: {one}" for one in tally.findings[known:]]
        number += 1
        seconds = sum(os.times()[:4])
        found = {"counts": dict(tally.counts), "findings": tally.findings[:200], "seconds": seconds}
        (folder / f"{name}-{first}.json").write_text(json.dumps(found))


def run_part(name: str, minutes: float, count: int, first: int, folder: Path, jobs: int) -> Tally:
    """Run a part; if its process dies, that is a finding, and another goes on."""
    end, number, tally = time.monotonic() + 60 * minutes, first, Tally()
    while (left := (end - time.monotonic()) / 60) > 0 and (wanted := count - tally.tried) > 0:
        seeds = [number + 10**6 * job for job in range(jobs)]
        workers = [
            multiprocessing.Process(target=_work, args=(name, one, left, -(-wanted // jobs), folder))
            for one in seeds
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for one, worker in zip(seeds, workers, strict=True):
            _collect(folder / f"{name}-{one}.json", tally)
            if worker.exitcode:
                at = (folder / f"{name}-{one}.round").read_text()
                tally.add("foreign", f"the process died ({worker.exitcode}) in round {at} of {name}")
        number += 10**4
    return tally


def campaign(asked: argparse.Namespace) -> Tally:
    """Run every part for its share of the minutes; rows are added to a file if one is named."""
    asked.out.mkdir(parents=True, exist_ok=True)
    names = asked.parts.split(",")
    total, shares = Tally(), sum(PARTS[name].share for name in names)
    for name in names:
        minutes = asked.minutes * PARTS[name].share / shares
        if asked.again:
            tally = Tally()
            for number in asked.again:
                one_round(PARTS[name], number, tally)
        else:
            tally = run_part(name, minutes, asked.count, asked.seed, asked.out, asked.jobs)
        print(tally.line(name), flush=True)
        if asked.rows:
            with asked.rows.open("a", encoding="utf-8") as file:
                row = {"part": name, "seed": asked.seed, "commit": commit_of(HERE), **tally.row()}
                file.write(json.dumps({**row, "again": asked.again} if asked.again else row) + "\n")
        for outcome, times in tally.counts.items():
            total.counts[outcome] += times
        total.findings += [f"{name}: {finding}" for finding in tally.findings]
    return total


def _collect(file: Path, tally: Tally) -> None:
    if file.exists():
        found = json.loads(file.read_text())
        tally.counts.update(found["counts"])
        tally.findings += found["findings"]
        tally.seconds += found["seconds"]
        file.unlink()


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def asked_of(words: list[str] | None = None) -> argparse.Namespace:
    """Read what is asked on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--count", type=int, default=10**9, help="cases of each part, at most")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--again", type=_numbers, default=[], help="rounds to draw again, separated by commas"
    )
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--rows", type=Path, help="a file that a row of counts is added to for each part")
    return parser.parse_args(words)


def main() -> None:
    asked = asked_of()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    total = campaign(asked)
    (asked.out / "findings.txt").write_text(
        "\n\n".join(total.findings), encoding="utf-8", errors="backslashreplace"
    )
    print(total.line(f"fuzz (seed {asked.seed}, {asked.minutes:g} minutes)"))
    sys.exit(any(total.counts[outcome] for outcome in OUTCOMES[2:]))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
