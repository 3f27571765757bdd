"""Edit: rules as the page sends them back after somebody dropped, added or changed a condition."""

from typing import Any

from nri.errors import InputError
from nri.rule import Label, Rule
from nri.serve.conditions import read_clauses
from nri.serve.fields import as_object, listed
from nri.serve.work import Work


def read_rules(data: Any, work: Work) -> dict[Label, Rule]:
    """Read ``{"rules": [{"clauses": [...]}]}``, one rule for each class that has one.

    Rules stand in the order of the present rule set's, so no label needs to be sent back; for clauses see
    :mod:`nri.serve.conditions`.
    """
    rules = listed(as_object(data).get("rules"), "rules", len(work.ruleset.rules))
    if len(rules) != len(work.ruleset.rules):
        raise InputError("the edited rule has another number of classes; reload the page")
    profiles = {column.name: column for column in work.upload.columns}
    profiles = {name: profiles[name] for name in work.table.names}
    return {
        present.label: Rule(read_clauses(as_object(rule).get("clauses"), profiles))
        for present, rule in zip(work.ruleset.rules, rules, strict=True)
    }
