"""Stability: which clauses recur in rules from other samples of the rows?"""

import numpy as np
from visits import draw_visits

from nri import clause_stability, induce_rule, read_table

table = read_table(draw_visits(120), "flu", positive="yes")
rng = np.random.default_rng(0)
rule = induce_rule(table, rng=rng).rule
stability = clause_stability(table, rule, rng=rng, samples=10)
print(f"{stability.samples} bootstrap samples of {stability.rows} rows")
for one in stability.clauses:
    print(f"{one.clause}: same conditions in {one.same_conditions:.0%}, same words in {one.same_words:.0%}")
