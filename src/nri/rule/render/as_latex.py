"""LaTeX: a tabular of branches, with no package needed."""

from nri.rule.literal import Value
from nri.rule.phrase import Style, phrase_clause, phrase_name, phrase_value
from nri.rule.render.outline import outline_of
from nri.rule.rule import RenderOptions, Rule


def render_latex(rule: Rule, options: RenderOptions) -> str:
    """Write the rule as one tabular; all that is special to LaTeX is escaped."""
    outline = outline_of(rule, options)
    titles = [_name(outline.target), *map(_escape, outline.titles[1:])]
    if rule.predicts.kind == "survival":
        titles = list(map(_escape, outline.titles))
    rows = [rf" & & {' & '.join(titles)} \\", r"\hline"]
    for line in outline.lines:
        condition = r"\emph{any other row}" if line.opening == "else" else r"\emph{any row}"
        if line.clause is not None:
            condition = phrase_clause(line.clause, _STYLE)
        first, *others = map(_escape, line.cells)
        cells = " & ".join((rf"\textbf{{{first}}}", *others))
        rows.append(rf"{line.opening} & {condition} & {cells} \\")
    table = "\n".join([rf"\begin{{tabular}}{{ll{'r' * len(titles)}}}", *rows, r"\end{tabular}"])
    return f"{table}\n\n{_escape(outline.note)}\n" if outline.note else f"{table}\n"


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def _escape(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)


def _name(name: str) -> str:
    return _escape(phrase_name(name))


def _value(value: Value) -> str:
    return _escape(phrase_value(value))


_STYLE = Style(
    name=_name,
    value=_value,
    negation=r"\emph{{not}} {}",
    conjunction=r" \emph{and} ",
    counting=r"\emph{{at least {} of}} ({})",
    greater="$>$",
    less="$<$",
    at_most=r"$\le$",
    equal="$=$",
    unequal=r"$\ne$",
    not_in=r"$\notin$",
    set_of=r"\{{{}\}}",
)
