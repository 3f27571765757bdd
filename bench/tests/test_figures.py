from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.font_manager import findfont
from matplotlib.text import Text

from nri_bench.experiments import EXPERIMENTS
from nri_bench.figures.dots import variant_bars, variant_dots
from nri_bench.figures.pareto import pareto_figure, time_figure
from nri_bench.figures.ranks import GAP, critical_difference_figure
from nri_bench.figures.style import INK, LOOKS, ink_on
from nri_bench.methods import METHODS


def words(figure):
    """Everything a figure says."""
    return " ".join(text.get_text() for text in figure.findobj(Text))


@pytest.fixture(scope="module")
def overview(uci_rows):
    """The figures of Table 1, which no test changes."""
    return EXPERIMENTS["uci"].figures(uci_rows)


@pytest.fixture(scope="module")
def drawn(experiment_rows):
    """The figures of an experiment by its name, which no test changes."""
    return cache(lambda name: EXPERIMENTS[name].figures(experiment_rows[name]))


def test_the_overview_has_four_figures_for_each_protocol(overview, tmp_path):
    figures = overview
    kinds = ("pareto", "ranks", "wins", "time")
    assert set(figures) == {f"{kind}-{protocol}" for kind in kinds for protocol in ("p20", "p4")}
    for name in ("pareto-p4", "ranks-p4", "wins-p4"):
        assert "NRI seeded" in words(figures[name])
        figures[name].savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


@pytest.mark.parametrize("name", sorted({*EXPERIMENTS} - {"uci", "number", "survival", "size", "small"}))
def test_every_experiment_draws_its_rows_and_bears_having_none(name, drawn, tmp_path):
    figures = drawn(name)
    assert figures
    for title, figure in figures.items():
        assert ("stated by the paper" if title.startswith("paper-") else "NRI seeded") in words(figure)
        figure.savefig(tmp_path / f"{title}.pdf")
    assert EXPERIMENTS[name].figures([]) == {}


def test_figures_are_set_in_the_font_that_matplotlib_brings_along(overview, drawn):
    """With Liberation Sans installed names were of another width than those they had been placed by."""
    figures = {**overview, **drawn("recovery")}
    own = Path(matplotlib.get_data_path())
    fonts = {
        findfont(text.get_fontproperties()) for figure in figures.values() for text in figure.findobj(Text)
    }
    assert {Path(font).name for font in fonts} <= {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"}
    assert all(own in Path(font).parents for font in fonts)


def test_seconds_of_a_busy_machine_are_never_drawn(uci_rows):
    busy = [{**row, "timed": False} for row in uci_rows]
    assert time_figure(busy, "p4") is None
    assert not any(name.startswith("time") for name in EXPERIMENTS["uci"].figures(busy))


def test_every_registered_method_has_a_look_of_its_own():
    assert set(LOOKS) == set(METHODS)


def test_no_two_methods_look_alike_without_colour():
    markers = [(look.marker, look.hollow) for look in LOOKS.values()]
    assert len(set(markers)) == len(LOOKS)
    assert len({str(look.line) for look in LOOKS.values()}) == len(LOOKS)


def test_names_beside_points_cover_neither_each_other_nor_a_marker(uci_rows):
    crowded = [{**row, "fit_seconds": row["fit_seconds"] ** 0.1} for row in uci_rows]
    for figure in (pareto_figure(uci_rows, "p4"), time_figure(uci_rows, "p4"), time_figure(crowded, "p4")):
        figure.draw_without_rendering()
        axes = figure.axes[0]
        # the name's own box: an annotation's extent would have its leader in it
        names = [Text.get_window_extent(text) for text in axes.texts]
        inside = [line for line in axes.lines if len(line.get_xdata()) == 1 and line.get_clip_on()]
        points = [line.get_transform().transform(line.get_xydata())[0] for line in inside]
        assert len(points) > 5
        for number, name in enumerate(names):
            assert not any(name.overlaps(other) for other in names[:number])
            assert not any(name.contains(*point) for point in points)


def test_names_of_curves_stay_beside_the_axes_and_say_how_many_sets(drawn):
    figure = drawn("learning")["learning"]
    figure.draw_without_rendering()
    axes = figure.axes[0]
    frame, names = axes.get_window_extent(), [text.get_window_extent() for text in axes.texts]
    assert len(names) == 5
    assert all(frame.y0 - 1 <= name.y0 and name.y1 <= frame.y1 + 1 for name in names)
    assert all(frame.x1 < name.x0 for name in names)
    assert "mean accuracy (%)\nover 2 data sets" in words(figure)
    leaders = [line for line in axes.lines if len(line.get_xdata()) == 2]
    ends = [line.get_transform().transform(line.get_xydata())[1] for line in leaders]
    assert max(end[0] for end in ends) < min(name.x0 for name in names)


def test_names_are_written_in_ink_however_pale_their_line_is(overview, drawn):
    figures = {**overview, **drawn("noise")}
    labels = {method.label for method in METHODS.values()}
    for figure in figures.values():
        for text in figure.findobj(Text):
            if any(label in text.get_text() for label in labels):
                assert to_hex(text.get_color()) in (INK, "#000000")


def test_the_time_figure_says_what_was_not_timed(uci_rows):
    assert "timed fits" not in words(time_figure(uci_rows, "p4"))
    part = [{**row, "timed": row["seed"] == 1 and row["method"] != "tree"} for row in uci_rows]
    said = words(time_figure(part, "p4")).replace("\n", " ")
    assert "Accuracy of the timed fits only: seed 1 of 0, 1." in said
    assert "Not timed on all data sets: DT." in said


def test_the_pareto_figure_says_whom_it_leaves_out_and_who_has_fewer_fits(uci_rows):
    part = [
        row
        for row in uci_rows
        if not (row["method"] == "ebm" and row["dataset"] == "vote")
        and not (row["method"] == "tree" and row["seed"] == 1)
    ]
    said = words(pareto_figure(part, "p4")).replace("\n", " ")
    assert "reads nothing: Majority." in said
    assert "left out: EBM." in said
    assert "Fewer folds or seeds than the others: DT." in said


def test_bars_start_at_zero_and_a_cut_axis_has_dots_instead():
    rows = [{"label": label, "method": "paper", "accuracy": 0.8} for label in ("full", "less")]
    quantities = (("accuracy", "accuracy (%)", 100.0),)
    (bars,) = variant_bars(rows, quantities).axes
    assert len(bars.patches) == 2
    assert bars.get_xlim()[0] == 0
    (dots,) = variant_dots(rows, quantities).axes
    assert not dots.patches
    assert len(dots.lines) == 2


def test_accuracies_of_two_protocols_are_drawn_to_one_scale():
    """With a scale of its own for each panel, p4 looked as good as p20."""
    base = {"experiment": "seeds", "method": "paper", "dataset": "vote", "seed": 0, "status": "ok"}
    rows = [{**base, "protocol": "p20", "accuracy": 0.9}, {**base, "protocol": "p4", "accuracy": 0.6}]
    left, right = EXPERIMENTS["seeds"].figures(rows)["seeds"].axes
    assert left.get_xlim() == right.get_xlim()


def test_heat_maps_of_many_methods_share_lines_of_panels_and_one_grid(experiment_rows):
    rows = experiment_rows["spurious"]
    part = [row for row in rows if row["method"] != "tree" or row["D"] == 0]
    figure = EXPERIMENTS["spurious"].figures(part)["spurious"]
    figure.draw_without_rendering()
    panels = [axes for axes in figure.axes if axes.images]
    assert len(panels) == 5
    assert len({round(axes.get_position().y0, 3) for axes in panels}) == 2
    assert {axes.images[0].get_array().shape for axes in panels} == {(3, 3)}


def test_numbers_on_a_colour_are_black_or_white_whichever_reads_better():
    assert ink_on("#ffff00") == ink_on("white") == "black"
    assert ink_on("#00204d") == ink_on("black") == "white"


def test_lines_of_near_ranks_are_bent_apart(uci_rows):
    close = [{**row, "accuracy": 0.8 + 1e-3 * (len(row["method"]) % 3 == 0)} for row in uci_rows]
    (axes,) = critical_difference_figure(close, "p4").axes
    stems = sorted(line.get_xdata()[1] for line in axes.lines if len(line.get_xdata()) == 4)
    assert len(stems) == len({row["method"] for row in uci_rows})
    assert min(np.diff(stems)) >= GAP - 1e-9


def test_a_curve_of_one_seed_has_no_band_and_of_two_the_sample_deviation(experiment_rows):
    rows = [row for row in experiment_rows["noise"] if row["method"] == "tree" and row["noise"] == 0.1]
    scores = [100 * row["accuracy"] for row in rows]
    (band,) = EXPERIMENTS["noise"].figures(rows)["noise"].axes[0].collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert np.ptp(heights) / 2 == pytest.approx(np.std(scores, ddof=1))
    (none,) = EXPERIMENTS["noise"].figures(rows[:1])["noise"].axes[0].collections
    assert not none.get_paths()
