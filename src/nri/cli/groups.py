"""What a rule does with each group of a column, as a table for the terminal."""

from typing import TYPE_CHECKING

from nri.cli.console import text_table

if TYPE_CHECKING:
    from nri.tasks.fairness import Groups


def groups_lines(groups: "Groups") -> str:
    """Return a row for each group: its rows, how often a clause fires, how often the rule is right."""
    from nri.rule.render.phrase import number, phrase_name

    head = (phrase_name(groups.column), "rows", "a clause fires on", "right on")
    rows = [(one.name, number(one.rows), str(one.fires), str(one.right)) for one in groups.groups]
    told = text_table([head, *rows])
    return told if groups.used else f"{told}\n(the rule does not read it; another column may stand for it)"
