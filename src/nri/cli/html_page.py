"""A page of its own around a rule: one file, nothing loaded from elsewhere."""

from html import escape

from nri.rule import RuleSet, render

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1d2733; max-width: 60rem; }
body { margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .45rem .7rem; border-bottom: 1px solid #d8dee6; vertical-align: top; }
tbody th { text-transform: uppercase; font-size: .8rem; color: #5b6b7d; width: 3.5rem; }
em { font-style: normal; font-weight: 600; color: #0b6e99; }
.nri-outcome td { font-size: 1.05rem; }
.nri-note, .nri-left-out { color: #5b6b7d; }
@media (prefers-color-scheme: dark) {
  body { background: #12171d; color: #dfe6ee; }
  th, td { border-color: #2c3743; }
  em { color: #6cc4ec; }
}
"""


def html_page(ruleset: RuleSet, note: str, left_out: str) -> str:
    """Return a page that shows a rule, how good it is, and which columns took no part."""
    title = escape(f"Rule for {ruleset.target}")
    footnote = f'<p class="nri-left-out">{escape(left_out.capitalize())}.</p>\n' if left_out else ""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{render(ruleset, 'html', note=note)}{footnote}</body>\n</html>\n"
    )
