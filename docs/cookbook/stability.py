"""Stability: which clauses come back when the rows had been drawn a little differently?"""

import numpy as np
from visits import draw_visits

from nri.induce.labelled import label_table
from nri.induce.path import induce_ruleset
from nri.tasks import clause_stability

asked = label_table(draw_visits(120), "flu", positive="yes")
rng = np.random.default_rng(0)
ruleset = induce_ruleset(asked.table, rng=rng, positive=asked.positive).ruleset
found = clause_stability(asked.table, ruleset, rng=rng, samples=10)
print(f"{found.samples} bootstrap samples of {found.rows} rows")
for one in found.clauses:
    print(f"{one.clause}: same conditions in {one.same_conditions:.0%}, same words in {one.same_words:.0%}")
