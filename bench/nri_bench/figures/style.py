"""One look for all figures: a journal column, colour-blind safe, and readable in grey.

Every method has its own colour, marker and line, the same in every figure; our own stand out by
vermilion, orange and purple and by size, black boxes are grey and hollow. Names are written in ink, since
colours that distinguish lines are too pale to be read as text.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from nri_bench.methods import METHODS

COLUMN, PAGE = 3.5, 7.2
"""Widths in inches of one column and of the page."""

RC: dict[Any, Any] = {
    # the one that matplotlib brings along: where names go depends on their width, on every machine the same
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "figure.constrained_layout.use": True,
    "savefig.bbox": "tight",
    "pdf.fonttype": 42,
}

INK, MUTED = "#222222", "#767676"


@dataclass(frozen=True)
class Look:
    """How a method is drawn: a colour for the eye, and a marker and a line that distinguish it in grey."""

    colour: str
    marker: str | Path
    line: str | tuple[int, tuple[float, ...]]
    hollow: bool = False
    """black boxes are drawn with an empty marker, so that a family is seen before a name is read"""


_STAR = Path.unit_regular_star(4, innerCircle=0.35)
"""Four points: beside the five of seeded it is still another shape."""

LOOKS = {
    "posterior": Look("#882255", "D", (0, (9, 1.2))),
    "seeded": Look("#D55E00", "*", "-"),
    "greedy": Look("#E69F00", "P", (0, (5, 1.5))),
    "paper": Look("#CC79A7", "X", (0, (3, 1, 1, 1))),
    "paper-tuned": Look("#AA4499", "8", (0, (8, 1, 2, 1))),
    "paper-feedback": Look("#661100", "h", (0, (4, 1, 1, 1))),
    "exact": Look("#000000", "p", (0, (1, 1))),
    "bayes-limit": Look("#111111", "2", (0, (2, 3))),
    "ripper": Look("#0072B2", "o", "--"),
    "rulefit": Look("#56B4E9", "s", "-."),
    "figs": Look("#009E73", "^", (0, (4, 1, 1, 1, 1, 1))),
    "boosted-rules": Look("#44AA99", "v", (0, (1, 3))),
    "rulekit": Look("#6699CC", "H", (0, (3, 1, 3, 1, 1, 1))),
    "tree-4": Look("#88CCEE", "d", (0, (1, 1.5, 4, 1.5))),
    "tree": Look("#117733", "<", ":"),
    "tree-dnf": Look("#999933", ">", (0, (6, 3))),
    "neural-dnf": Look("#332288", _STAR, (0, (2, 1))),
    "logistic": Look("#777777", "d", (0, (7, 1.5, 1, 1.5)), hollow=True),
    "random-forest": Look("#555555", "o", (0, (3, 2)), hollow=True),
    "xgboost": Look("#222222", "s", (0, (12, 2)), hollow=True),
    "lightgbm": Look("#888888", "^", (0, (2, 2)), hollow=True),
    "ebm": Look("#444444", "h", (0, (5, 1, 1, 1, 1, 1, 1, 1)), hollow=True),
    "best-literal": Look("#AA9977", "1", (0, (1, 2))),
    "majority": Look("#BBBBBB", "x", (0, (1, 4))),
}
"""The look of every method in the registry; a test sees to it that none is forgotten."""


def look_of(method: str) -> Look:
    """Return a method's look, grey for one that the registry does not know."""
    return LOOKS.get(method, Look(MUTED, "o", "-"))


def marker_of(method: str) -> dict[str, Any]:
    """Return what ``Axes.plot`` needs to draw a method's marker, the larger ones being ours."""
    look = look_of(method)
    bare = isinstance(look.marker, str) and look.marker in "1x"  # nothing but edges, they bear the colour
    return {
        "marker": look.marker,
        "markersize": marker_size(method),
        "color": look.colour,
        "markerfacecolor": "white" if look.hollow else look.colour,
        "markeredgecolor": look.colour if look.hollow or bare else "white",
        "markeredgewidth": 1.1 if look.hollow or bare else 0.4,
    }


def marker_size(method: str) -> float:
    """Diameter of a method's marker in points; slender shapes need more to look as large."""
    marker = look_of(method).marker
    if not is_ours(method):
        return 7.0 if marker in (_STAR, "1") else 5.0
    return 6.0 if marker == "D" else 8.0


def line_of(method: str) -> dict[str, Any]:
    """Return what ``Axes.plot`` needs to draw a method's curve, ours in front and heavier."""
    ours = is_ours(method)
    return {
        **marker_of(method),
        "linestyle": look_of(method).line,
        "linewidth": 1.8 if ours else 1.2,
        "zorder": 3 if ours else 2,
    }


def weight_of(method: str) -> str:
    """Return the weight of a method's name: names are ink on white, only their weight marks ours."""
    return "bold" if is_ours(method) else "normal"


def luminance(colour: Any) -> float:
    """Return the relative luminance of a colour as the contrast rules for reading define it.

    >>> round(luminance("white"), 3), round(luminance("black"), 3)
    (1.0, 0.0)
    """
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def ink_on(colour: Any) -> str:
    """Return black or white, whichever is read better on a colour."""
    return "black" if luminance(colour) > 0.179 else "white"


NETWORKS = ("paper", "paper-tuned", "paper-feedback")
"""Those that figures beside the paper's own show."""


def is_ours(method: str) -> bool:
    """Whether the method is one of this package's own."""
    return method in METHODS and METHODS[method].family == "ours"


def journal() -> AbstractContextManager[None]:
    """Return the context in which a figure is drawn."""
    return rc_context(RC)


def plain_log(axes: Axes, side: str, low: float, high: float) -> None:
    """Make the ``x`` or ``y`` axis logarithmic from low to high, its ticks written as plain numbers."""
    axes.set(**{f"{side}scale": "log", f"{side}lim": (low, high)})
    axis = axes.xaxis if side == "x" else axes.yaxis
    decades = np.log10(high / low)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,), numticks=20))
    axis.set_minor_locator(LogLocator(subs=range(1, 10), numticks=20) if decades < 6 else NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
