"""Rule sets that say the same about every row: whichever way they came about, they are told alike."""

from dataclasses import replace

from nri.rule.ruleset import RuleSet


def settled(ruleset: RuleSet) -> RuleSet:
    """Return a rule set that decides alike, but without clauses if one that always holds makes them idle.

    A rule about the most frequent class for which nothing pays comes as the clause that always holds.
    ``IF (always) THEN yes ELSE no`` is an odd way of saying ALWAYS yes.
    """
    labels = []
    for decision in ruleset.decisions:
        labels.append(decision.label)
        if not decision.clause.literals:  # nobody after this one gets a say
            break
    else:
        return ruleset
    if len(set(labels)) > 1:
        return ruleset
    return replace(ruleset, rules=(), default=labels[0], default_evidence=ruleset.support)
