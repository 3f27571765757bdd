"""Rules in a notebook: the HTML that any page may take, with the looks of our own page around it."""

_LOOKS = """
.nri-notebook { --ink: #1b2430; --soft: #5a6472; --line: #e4e1da; --card: #fff; --green: #1d6b5a;
  --chip: #f1f0ec;
  color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
  padding: .8rem 1.1rem; max-width: 60rem; overflow-x: auto;
  font: .95rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  .nri-notebook { --ink: #e6eaee; --soft: #a2adb9; --line: #2b343d; --card: #1a2128; --green: #58bfa3;
    --chip: #252e37; }
}
.nri-notebook table.nri-rule { border-collapse: collapse; margin: .2rem 0 .6rem; border: 0; color: inherit; }
.nri-notebook .nri-rule tr, .nri-notebook .nri-rule thead { background: none; border: 0; }
.nri-notebook .nri-rule th, .nri-notebook .nri-rule td { text-align: left; padding: .35rem .9rem .35rem 0;
  border: 0; border-bottom: 1px solid var(--line); vertical-align: baseline;
  font-variant-numeric: tabular-nums; color: inherit; max-width: none; }
.nri-notebook .nri-rule :is(th, td):nth-child(n + 3) { white-space: nowrap; }
.nri-notebook .nri-rule thead th { color: var(--soft); font-weight: 500; font-size: .85rem; }
.nri-notebook .nri-rule tbody th { color: var(--green); font-weight: 650; }
.nri-notebook .nri-column { background: var(--chip); border-radius: .3rem; padding: .05rem .35rem; }
.nri-notebook .nri-value { font-weight: 650; }
.nri-notebook em { color: var(--soft); font-style: normal; }
.nri-notebook p { margin: .3rem 0; }
@media (max-width: 40rem) {
  .nri-notebook { padding: .5rem .7rem; font-size: .85rem; }
  .nri-notebook .nri-rule th, .nri-notebook .nri-rule td { padding-right: .5rem; }
}
.nri-notebook .nri-note, .nri-notebook .nri-conflicts { color: var(--soft); font-size: .875rem; }
"""


def in_notebook(fragment: str) -> str:
    """Return an HTML fragment of rules with its looks; it loads nothing and runs nothing."""
    return f'<div class="nri-notebook">\n<style>{_LOOKS}</style>\n{fragment}</div>\n'
