"""Stability: which clauses come back when the rows had been drawn a little differently?"""

import numpy as np
from visits import draw_visits

from nri import clause_stability, induce_rule, read_table

table = read_table(draw_visits(120), "flu", positive="yes")
rng = np.random.default_rng(0)
ruleset = induce_rule(table, rng=rng).rule
found = clause_stability(table, ruleset, rng=rng, samples=10)
print(f"{found.samples} bootstrap samples of {found.rows} rows")
for one in found.clauses:
    print(f"{one.clause}: same conditions in {one.same_conditions:.0%}, same words in {one.same_words:.0%}")
