"""A draft of a guideline: the cuts of a clinic, a direction, sensitivity and PPV at its prevalence."""

import numpy as np
from visits import draw_visits

from nri import Knowledge, Settings, diagnose, induce_rule, read_table

table = read_table(draw_visits(), "flu", positive="yes")
settings = Settings(knowledge=Knowledge(cuts={"age": [40, 50, 60, 75]}, monotone={"age": "up"}))
print(induce_rule(table, settings).rule)
(measured,) = diagnose(table, settings, rng=np.random.default_rng(0), prevalence=0.05)
for name, measure in measured.measures.items():
    print(f"{name}: {measure}")
