"""SVG: elements of pictures, written out as text that no name can break."""

from collections.abc import Iterable

from markupsafe import Markup, escape


def element(name: str, *content: object, **attributes: object) -> Markup:
    """Return an SVG element; plain text inside is escaped, elements are kept.

    Underscores in attribute names become hyphens, a trailing one is dropped (``class_``).

    >>> print(element("text", "a < b", x=1.5, class_="note"))
    <text x="1.5" class="note">a &lt; b</text>
    """
    told = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), told, inside)


def picture(
    width: float, height: float, about: str, content: Iterable[object], class_: str, least: float = 0.0
) -> Markup:
    """Return a whole picture that shrinks with the page and tells a screen reader what it shows."""
    return element(
        "svg",
        element("title", about),
        *content,
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        role="img",
        aria_label=about,
        class_=class_,
        style=f"max-width:{_plain(width)}px;min-width:{_plain(least * width)}px",
    )


def rect(x: float, y: float, width: float, height: float, class_: str, *content: object) -> Markup:
    """Return a rectangle; a width or height below zero counts as zero."""
    return element("rect", *content, x=x, y=y, width=max(0.0, width), height=max(0.0, height), class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def circle(x: float, y: float, radius: float, class_: str, *content: object) -> Markup:
    """Return a circle."""
    return element("circle", *content, cx=x, cy=y, r=radius, class_=class_)


def text(x: float, y: float, content: object, class_: str = "", anchor: str = "start") -> Markup:
    """Return text whose start, middle or end is at a point."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def _plain(value: object) -> object:
    """Write coordinates with at most two decimals: finer ones cannot be seen."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
