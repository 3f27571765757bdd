"""The time until an event, where some rows were not observed until then."""

import numpy as np
import pandas as pd

from nri import cross_validate, induce_rule, read_table

# old patients with a high marker die four times as fast; some patients leave the study early
rng = np.random.default_rng(0)
patients = pd.DataFrame({"age": rng.integers(30, 90, 300), "marker": rng.normal(5, 2, 300).round(1)})
hazard = np.where((patients["age"] > 60) & (patients["marker"] > 5), 0.03, 0.008)
death, left = rng.exponential(1 / hazard), rng.uniform(10, 200, 300)
patients["days"] = np.ceil(np.minimum(death, left))
patients["status"] = np.where(death <= left, "dead", "alive")

rows = read_table(patients, time="days", event="status = dead")
rule = induce_rule(rows).rule
print(rule)
print("concordance on new rows:", cross_validate(rows, rng=np.random.default_rng(0)))

times = rule.predicts.times
middle = len(times) // 2
for clause, risk in zip([*rule.clauses, "any other row"], rule.estimates, strict=True):
    alive, after = risk.survival[middle], rule.predicts.amount(times[middle])
    print(f"{clause}: {alive:.0%} alive after {after} days")
