"""LaTeX: a tabular for each rule, with no package needed."""

from nri.rule.labels import Label
from nri.rule.literal import Value
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import (
    CONFLICTS,
    Outline,
    OutlineRule,
    Style,
    one_line,
    outline_of,
    phrase_clause,
    phrase_name,
    phrase_value,
)
from nri.rule.ruleset import RuleSet


def render_latex(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write each rule as a tabular; all that is special to LaTeX is escaped."""
    outline = outline_of(ruleset)
    blocks = [_tabular(outline, rule) for rule in outline.rules]
    opening = "Otherwise" if outline.rules else "Always"
    strength = outline.default_strength
    blocks.append(
        f"{opening} {_outcome(outline, outline.default)} "
        f"(precision {strength.precision}, covers {strength.covers})."
    )
    if len(outline.rules) > 1:
        blocks.append(f"{CONFLICTS.capitalize()}.")
    if options.note:
        blocks.append(_escape(one_line(options.note)))
    return "\n\n".join(blocks) + "\n"


def _tabular(outline: Outline, rule: OutlineRule) -> str:
    rows = [r" & & precision & covers \\", r"\hline"]
    for i, (clause, strength) in enumerate(rule.clauses):
        opening = "or" if i else "if"
        rows.append(
            rf"{opening} & {phrase_clause(clause, _STYLE)} & {strength.precision} & {strength.covers} \\"
        )
    rows.append(rf"then & {_outcome(outline, rule.label)} & & \\")
    return "\n".join([r"\begin{tabular}{llrr}", *rows, r"\end{tabular}"])


def _outcome(outline: Outline, label: Label) -> str:
    return rf"\textbf{{{_name(outline.target)} = {_value(label)}}}"


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
