"""Rules for a number in other forms: for people, for files and for other languages.

Text, Markdown and HTML are written here; SQL and Python are those of any rule, whose labels are then numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.render.as_html import STYLE as HTML_STYLE
from nri.rule.render.as_markdown import STYLE as MARKDOWN_STYLE
from nri.rule.render.as_markdown import escaped
from nri.rule.render.as_python import render_python
from nri.rule.render.as_sql import render_sql
from nri.rule.render.as_text import aligned, wrapped
from nri.rule.render.numbers_json import render_segments_json
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import number, one_line, phrase_clause, phrase_name
from nri.rule.segments import Segment, Segments


@dataclass(frozen=True)
class Told:
    """A segment as a person is told about it."""

    clause: Clause | None
    """None for the rest"""
    value: str
    interval: str
    """of the mean"""
    usual: str
    """where four fifths of its rows are"""
    covers: str


def told(segments: Segments) -> list[Told]:
    """Return the segments in their order and the rest, as texts."""

    def one(segment: Segment, clause: Clause | None) -> Told:
        spread, amount = segment.spread, segments.amount
        covers = f"{number(spread.rows)} of {number(segments.support.rows)}"
        if spread.rows <= 0:
            return Told(clause, amount(segment.value), "-", "-", covers)
        interval = f"{amount(spread.low)} to {amount(spread.high)}"
        usual = f"{amount(spread.quantiles[0])} to {amount(spread.quantiles[-1])}"
        return Told(clause, amount(segment.value), interval, usual, covers)

    return [*(one(segment, segment.clause) for segment in segments.segments), one(segments.rest, None)]


def explained_line(segments: Segments) -> str:
    """Say how much of the variance the rule explains on the rows that it was induced from."""
    return f"explains {100 * max(segments.explained, 0.0):.0f} % of the variance of these rows"


def _text(segments: Segments, options: RenderOptions) -> str:
    lines = []
    rows = told(segments)
    width = max(len(row.value) for row in rows)
    wide = max(len(row.interval) + 2 for row in rows)
    name = phrase_name(segments.target)
    for i, row in enumerate(rows):
        interval = f"({row.interval})"
        beside = f"{name} {row.value:>{width}}   {interval:<{wide}}   covers {row.covers}"
        if row.clause is None:
            lines.append(("ELSE" if i else "ALWAYS", beside))
            continue
        first, *rest = wrapped(row.clause)
        lines.append((f"{'ELSE IF' if i else 'IF     '} {first}", beside))
        lines += [(f"{'':>9}{more}", "") for more in rest]
    note = one_line(options.note or "") or explained_line(segments)
    return aligned(lines) + f"\n{note}"


def _markdown(segments: Segments, options: RenderOptions) -> str:
    name = escaped(phrase_name(segments.target))
    lines = [
        f"| | if | {name} | mean, 95 % interval | four fifths of rows | covers |",
        "|---|---|---|---|---|---|",
    ]
    for i, row in enumerate(told(segments)):
        opening = "" if i == 0 else "else"
        clause = "*any other row*" if row.clause is None else phrase_clause(row.clause, MARKDOWN_STYLE)
        cells = [escaped(cell) for cell in (row.value, row.interval, row.usual, row.covers)]
        lines.append(f"| {opening} | {clause} | **{cells[0]}** | {' | '.join(cells[1:])} |")
    note = escaped(one_line(options.note or "") or explained_line(segments))
    return "\n".join(lines) + f"\n\n{note[:1].upper()}{note[1:]}.\n"


def _html(segments: Segments, options: RenderOptions) -> str:
    name = escape(phrase_name(segments.target))
    titles = (name, "mean, 95 %", "four fifths of rows", "covers")
    head = f"<tr><td></td><td></td>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"
    rows = []
    for i, row in enumerate(told(segments)):
        opening = "if" if i == 0 and row.clause is not None else "else"
        clause = "<em>any other row</em>" if row.clause is None else phrase_clause(row.clause, HTML_STYLE)
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in (row.interval, row.usual, row.covers))
        rows.append(
            f"<tr><th>{opening}</th><td>{clause}</td><td><strong>{escape(row.value)}</strong></td>{cells}</tr>"
        )
    note = escape(one_line(options.note or "") or explained_line(segments))
    body = "\n".join(rows)
    return (
        f'<div class="nri-ruleset">\n<table class="nri-rule nri-segments">\n<thead>{head}</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
        f'<p class="nri-note">{note[:1].upper()}{note[1:]}.</p>\n</div>\n'
    )


NUMBER_FORMATS: dict[str, Callable[[Segments, RenderOptions], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": render_segments_json,
    "sql": render_sql,
    "python": render_python,
}
"""How a rule for a number can be written."""


def render_segments(segments: Segments, form: str, options: RenderOptions) -> str:
    """Write a rule for a number in the format of that name."""
    if form not in NUMBER_FORMATS:
        raise InputError(
            f"a rule for a number cannot be written as {form!r}: use one of {', '.join(NUMBER_FORMATS)}"
        )
    return NUMBER_FORMATS[form](segments, options)
