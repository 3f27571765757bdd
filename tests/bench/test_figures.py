import pytest

from nri.bench.experiments import EXPERIMENTS
from nri.bench.figures.pareto import time_figure
from nri.bench.figures.style import look_of
from nri.bench.methods import METHODS


def words(figure):
    """Everything a figure says."""
    from matplotlib.text import Text

    return " ".join(text.get_text() for text in figure.findobj(Text))


def test_the_overview_has_four_figures_for_each_protocol(uci_rows, tmp_path):
    figures = EXPERIMENTS["uci"].figures(uci_rows)
    kinds = ("pareto", "ranks", "wins", "time")
    assert set(figures) == {f"{kind}-{protocol}" for kind in kinds for protocol in ("p20", "p4")}
    for name in ("pareto-p4", "ranks-p4", "wins-p4"):
        assert "NRI seeded" in words(figures[name])
        figures[name].savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "uci"])
def test_every_experiment_draws_its_rows_and_bears_having_none(name, experiment_rows, tmp_path):
    figures = EXPERIMENTS[name].figures(experiment_rows[name])
    assert figures
    for title, figure in figures.items():
        assert "NRI seeded" in words(figure)
        figure.savefig(tmp_path / f"{title}.pdf")
    assert EXPERIMENTS[name].figures([]) == {}


def test_seconds_of_a_busy_machine_are_never_drawn(uci_rows):
    busy = [{**row, "timed": False} for row in uci_rows]
    assert time_figure(busy, "p4") is None
    assert not any(name.startswith("time") for name in EXPERIMENTS["uci"].figures(busy))


def test_no_two_methods_look_alike_without_colour():
    looks = [(look_of(name).marker, look_of(name).line) for name in METHODS]
    assert len(set(looks)) == len(looks)
