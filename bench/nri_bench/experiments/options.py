"""``nri bench options``: what each option of the paper's training does, one by one, on synthetic tables.

Every line is the recipe that ships with one thing changed, by a short training; no real table is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.training import FULL, OPTIONS, QUICK, VARIANTS, ShortTraining, training
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = ("1x1", "1x2", "1x3", "2x1", "2x2", "4x1")
FIELDS = {
    "clean": "clean/accuracy",
    "noisy": "noisy/accuracy",
    "entropy": "clean/gate_entropy",
    **{f"{way}_{name}": f"{way}/{name}" for way in ("text", "tuned") for name in ("wide", "mixed", "choice")},
    **{f"text_{shape}": f"text/recovery/{shape}/256" for shape in SHAPES},
}
"""A row's fields, and what the validation calls them."""


def jobs(options: Options) -> list[Job]:
    """One job for each option and seed."""
    (method,) = chosen_methods(options, ("paper",), ("paper",))[:1]
    size = QUICK if options.quick else FULL
    names = ("full", "gate noise") if options.quick else (*VARIANTS, *OPTIONS)
    return [
        Job(
            key={"experiment": "options", "method": method.name, "variant": name, "seed": seed},
            work=train_option,
            arguments={"variant": name, "size": size, "seed": seed},
            facts={**size.facts(), **method_facts(method)},
            packages=(*method.packages, "torch"),
        )
        for seed in options.seeds or ((0,) if options.quick else (0, 1, 2))
        for name in names
    ]


def train_option(variant: str, size: ShortTraining, seed: int) -> Measures:
    """Train with one thing changed and return the scores of its end."""
    with training(size, variant, seed) as trained:
        scores = trained.scores[-1]
    return {name: scores[f"valid/{field}"] for name, field in FIELDS.items()}


def table(rows: Sequence[Row]) -> str:
    """Scores in percent, a line for each option: the recipe itself first."""
    from nri_bench.tables.cell import NO_ROWS, markdown
    from nri_bench.tables.frame import frame_of

    frame = frame_of(rows)
    if frame.empty or not frame["ok"].any():
        return NO_ROWS
    frame = frame[frame["ok"]]
    lines = []
    for name, part in frame.groupby("variant", sort=False):
        means = part[list(FIELDS)].mean()
        recovered = " ".join(f"{100 * means[f'text_{shape}']:.0f}" for shape in SHAPES)
        shares = [f"{100 * means[field]:.1f}" for field in ("clean", "noisy", "text_wide", "tuned_wide")]
        spread = f" ± {100 * part['text_choice'].std():.1f}" if len(part) > 1 else ""
        choice = f"{100 * means['text_choice']:.1f}{spread}"
        label = "the recipe" if name == "full" else str(name)
        lines.append([label, str(len(part)), *shares, recovered, choice, f"{means['entropy']:.2f}"])
    shown = ("clean", "noisy", "wide, text", "wide, tuned", " ".join(SHAPES), "choice", "entropy")
    header = ["changed", "seeds", *shown]
    size = frame.iloc[0]
    caption = (
        f"Width {size['width']:.0f}, {size['updates']:.0f} updates of {size['batch']:.0f} episodes. "
        "In %: accuracy on fresh rows of episodes like those of training, clean and with 30 % of the "
        "support's labels flipped; on wide tables, by either deployment; rules found exactly "
        "at M = 256 under the text's rule; choice (± over seeds); entropy of clause gates."
    )
    return f"{markdown(header, lines)}\n{caption}\n"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw choice and accuracy on wide tables under the text's rule, a line for each option."""
    from nri_bench.experiments.ablation import label_of_variant
    from nri_bench.figures.dots import variant_dots

    labelled = [{**row, "label": label_of_variant(row)} for row in rows if row["status"] == "ok"]
    columns = (("text_choice", "choice (%)", 100.0), ("text_wide", "wide tables (%)", 100.0))
    figure = variant_dots(labelled, columns)
    return {"options": figure} if figure else {}


EXPERIMENT = Experiment(
    "options", "What each option of the paper's training does, by short trainings.", jobs, table, figures
)
