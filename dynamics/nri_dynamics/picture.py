"""Picture: the influence graph of a system as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

from nri_dynamics.arrays import BoolArray, FloatArray
from nri_dynamics.influence import Effect, Influence
from nri_dynamics.layout import place
from nri_dynamics.system import Dynamics
from nri_dynamics.wording import display_width

_HEIGHT = 30.0
_EDGE = 28.0
"""Free space around everything; loops reach into it."""
_LEGEND = 40.0
_BENDS = (0.0, 0.1, -0.1, 0.2, -0.2, 0.32, -0.32, 0.46, -0.46)
"""How far an arrow may bend sideways, as shares of its length; the straightest that hits nothing is taken."""
_LOOP_ROOM = np.array([16.0, 15.0])
"""Half the room that a loop takes."""
_ROOMY = 1.4
"""Influences for each variable up to which lines have room; beyond, variables stand further apart."""
_MANY = 80
"""Influences from which lines are drawn thin, so that what lies below them can be seen."""
_NAMES = {
    Effect.ACTIVATES: "for",
    Effect.INHIBITS: "against",
    Effect.BOTH: "both",
    Effect.SETS: "sets",
}
_STYLE = """
.influences { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --ground: #fff; --ink: #1b2430; --soft: #586574; --node: #f2f5f8; --edge: #b9c4cf;
  --for: #0e7490; --against: #c2410c; --both: #7c3aed; --sets: #586574; }
@media (prefers-color-scheme: dark) { .influences {
  --ground: #12171d; --ink: #e3e9f0; --soft: #9aa7b5; --node: #1e2731; --edge: #445160;
  --for: #5cc4dd; --against: #f59a5f; --both: #b79bf7; --sets: #9aa7b5; } }
.influences .ground { fill: var(--ground); }
.influences .node { fill: var(--node); stroke: var(--edge); stroke-width: 1.2; }
.influences .input { stroke-dasharray: 4 3; }
.influences .held { fill: var(--edge); }
.influences .name { fill: var(--ink); font-weight: 550; }
.influences .legend { fill: var(--soft); font-size: 12px; }
.influences .arrow { fill: none; stroke-width: 1.6; stroke-linecap: round; }
.influences .arrow.for, .influences .bar.for { stroke: var(--for); }
.influences .head.for { fill: var(--for); }
.influences .arrow.against, .influences .bar.against { stroke: var(--against); }
.influences .arrow.both { stroke: var(--both); } .influences .head.both { fill: var(--both); }
.influences .arrow.sets { stroke: var(--sets); } .influences .head.sets { fill: var(--sets); }
.influences .bar { stroke-width: 2.6; stroke-linecap: round; }
.influences.many .arrow { stroke-width: 1.1; stroke-opacity: .6; }
.influences.many .bar { stroke-width: 2; }
.influences .arrow:hover { stroke-width: 3.2; stroke-opacity: 1; }
"""


@dataclass(frozen=True, eq=False)
class _Node:
    middle: FloatArray
    width: float

    def holds(self, points: FloatArray, margin: float = 0.0) -> BoolArray:
        """Whether points are inside the box."""
        half = np.array([self.width / 2 + margin, _HEIGHT / 2 + margin])
        return np.asarray((np.abs(points - self.middle) < half).all(axis=1))


def influence_picture(system: Dynamics) -> Markup:
    """Draw which variable acts on which: arrows for activation, bars for inhibition."""
    names = [_short(name) for name in system.names]
    widths = [max(44.0, 8.0 * display_width(name) + 24.0) for name in names]
    places = {name: i for i, name in enumerate(system.names)}
    edges = [(places[one.source], places[one.target]) for one in system.influences]
    crowd = len(edges) / max(1, len(names))
    spread = float(np.clip(np.sqrt(crowd / _ROOMY), 1.0, 1.9))
    spots = place(len(names), edges, widths, _HEIGHT, spread) + _EDGE
    nodes = [_Node(spot, width) for spot, width in zip(spots, widths, strict=True)]
    size = np.max([node.middle + np.array([node.width, _HEIGHT]) / 2 for node in nodes], axis=0) + _EDGE
    size[0] = max(size[0], 330.0)
    drawn: list[Markup] = [
        _element("style", Markup(_STYLE)),
        _element("rect", width=float(size[0]), height=float(size[1]) + _LEGEND, rx=8, class_="ground"),
    ]
    middle = np.mean([node.middle for node in nodes], axis=0)
    for influence, path in zip(system.influences, _paths(nodes, edges, middle), strict=True):
        drawn += _arrow(influence, path)
    for variable, name, node in zip(system.variables, names, nodes, strict=True):
        kind = "node held" if variable.name in system.fixed else "node input" if variable.is_input else "node"
        drawn += _box(node, name, kind, variable.name)
    drawn += _legend({one.effect for one in system.influences}, float(size[1]))
    about = f"influence graph of {len(names)} variables with {len(system.influences)} influences"
    width, height = float(size[0]), float(size[1]) + _LEGEND
    return _element(
        "svg",
        _element("title", about),
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="img",
        aria_label=about,
        class_="influences many" if len(edges) > _MANY else "influences",
    )


def _short(name: str, most: int = 24) -> str:
    shown = "".join(c if c.isprintable() else " " for c in name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _box(node: _Node, name: str, kind: str, whole: str) -> Iterator[Markup]:
    left, top = node.middle - np.array([node.width, _HEIGHT]) / 2
    box = _element("title", whole)
    yield _element(
        "rect",
        box,
        x=float(left),
        y=float(top),
        width=node.width,
        height=_HEIGHT,
        rx=_HEIGHT / 2,
        class_=kind,
    )
    yield _text(float(node.middle[0]), float(node.middle[1]) + 4.5, name, "name", "middle")


def _paths(nodes: Sequence[_Node], edges: Sequence[tuple[int, int]], middle: FloatArray) -> list[FloatArray]:
    """Return the points of each arrow; loops last, since they can stand where the others leave room."""
    joined = set(edges)
    ways = {(a, b): _way(nodes, a, b, (b, a) in joined) for a, b in edges if a != b}
    taken = np.concatenate([np.zeros((0, 2)), *ways.values()])
    return [ways[a, b] if a != b else _loop(nodes[a], middle, taken) for a, b in edges]


def _arrow(influence: Influence, path: FloatArray) -> Iterator[Markup]:
    kind = _NAMES[influence.effect]
    path = path[: len(path) - _stop(path, 8.0 if influence.effect is not Effect.INHIBITS else 4.0)]
    if len(path) < 2:
        return
    points = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in path[:: max(1, len(path) // 24)])
    points += f" L{path[-1][0]:.1f} {path[-1][1]:.1f}"
    title = _element("title", f"{influence.source} {influence.effect} {influence.target}")
    yield _element("path", title, d=points, class_=f"arrow {kind}")
    heading = path[-1] - path[max(0, len(path) - 6)]
    yield _head(path[-1], heading / max(float(np.hypot(*heading)), 1e-9), influence.effect, kind)


def _stop(path: FloatArray, distance: float) -> int:
    """Return how many points at the end of a path are nearer to it than a distance."""
    gaps = np.hypot(*(path - path[-1]).T)
    near = int((gaps < distance).sum())
    return min(near, len(path) - 2)


def _way(nodes: Sequence[_Node], source: int, target: int, returned: bool) -> FloatArray:
    """Return the points of a curve from box to box that crosses no other box, as straight as possible."""
    start, end = nodes[source].middle, nodes[target].middle
    across = np.array([-(end - start)[1], (end - start)[0]])
    t = np.linspace(0.0, 1.0, 121)[:, None]
    best: tuple[float, FloatArray] | None = None
    for bend in _BENDS:
        if returned and bend <= 0:  # two arrows between two boxes each keep to their left
            continue
        control = (start + end) / 2 + across * bend
        path = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
        outside = ~nodes[source].holds(path, 1.0) & ~nodes[target].holds(path, 3.0)
        path = path[outside]
        if len(path) < 4:
            continue
        hits = sum(
            int(node.holds(path, 5.0).sum()) for i, node in enumerate(nodes) if i not in (source, target)
        )
        cost = hits + 12 * abs(bend)
        if best is None or cost < best[0]:
            best = (cost, path)
    return best[1] if best is not None else np.stack([start, end])


def _loop(node: _Node, middle: FloatArray, taken: FloatArray) -> FloatArray:
    """Return the points of a loop above or below a box, where the fewest points of others are.

    Where it is as good, the loop is at the right end, on the side that looks away from the rest.
    """
    away = -1.0 if node.middle[1] <= middle[1] else 1.0
    end = node.width / 2 - 24.0
    loops = [_loop_at(node, x, up) for up in (away, -away) for x in (end, -end, 0.0)]
    hits = [
        int((np.abs(taken - (one.min(axis=0) + one.max(axis=0)) / 2) < _LOOP_ROOM).all(axis=1).sum())
        for one in loops
    ]
    return loops[int(np.argmin(hits))]


def _loop_at(node: _Node, x: float, up: float) -> FloatArray:
    border = node.middle + np.array([x, up * (_HEIGHT / 2 + 2.0)])
    corners = [
        border + np.array(one) for one in ((-9.0, 0.0), (-19.0, up * 29.0), (19.0, up * 29.0), (9.0, 0.0))
    ]
    t = np.linspace(0.0, 1.0, 61)[:, None]
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    return np.asarray(sum(weight * corner for weight, corner in zip(weights, corners, strict=True)))


def _head(tip: FloatArray, ahead: FloatArray, effect: Effect, kind: str) -> Markup:
    """Return an arrowhead, a bar, or a diamond for what may be either."""
    aside = np.array([-ahead[1], ahead[0]])
    if effect is Effect.INHIBITS:
        first, last = tip + aside * 6.0, tip - aside * 6.0
        return _line(float(first[0]), float(first[1]), float(last[0]), float(last[1]), f"bar {kind}")
    if effect is Effect.BOTH:
        corners = [
            tip + ahead * 8.0,
            tip + ahead * 3.0 + aside * 5,
            tip - ahead * 2.0,
            tip + ahead * 3.0 - aside * 5,
        ]
    else:
        corners = [tip + ahead * 8.0, tip - ahead * 1.5 + aside * 4.8, tip - ahead * 1.5 - aside * 4.8]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return _element("polygon", points=points, class_=f"head {kind}")


def _legend(effects: set[Effect], top: float) -> Iterator[Markup]:
    x, y = _EDGE, top + _LEGEND / 2 - 4.0
    for effect in (one for one in Effect if one in effects):
        kind = _NAMES[effect]
        yield _line(x, y, x + 22.0, y, f"arrow {kind}")
        yield _head(np.array([x + 24.0, y]), np.array([1.0, 0.0]), effect, kind)
        yield _text(x + 40.0, y + 4.0, str(effect), "legend")
        x += 58.0 + 6.6 * len(str(effect))


def _element(name: str, *content: object, **attributes: object) -> Markup:
    """Return an SVG element; text inside is escaped, ``class_`` and ``aria_label`` become attribute names."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _rounded(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), written, inside)


def _rounded(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return _element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def _text(x: float, y: float, content: str, class_: str, anchor: str = "start") -> Markup:
    return _element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)
