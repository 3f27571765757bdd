"""Two rules: what changed between last year and this year, and on which rows they differ."""

from visits import draw_visits

from nri import NRIClassifier, compare_rules

last_year, this_year = draw_visits(90, seed=1), draw_visits(90, seed=3)
old, new = (
    NRIClassifier(positive="yes").fit(visits.drop(columns="flu"), visits["flu"]).rule_
    for visits in (last_year, this_year)
)
comparison = compare_rules(old, new, this_year)
for change in comparison.classes:
    print(f"flu = {change.label}: the new rule fires on {change.relation}")
    print("  kept:   ", "; ".join(map(str, change.kept)) or "-")
    print("  moved:  ", "; ".join(f"{one.old} -> {one.new}" for one in change.moved) or "-")
    print("  dropped:", "; ".join(map(str, change.dropped)) or "-")
    print("  added:  ", "; ".join(map(str, change.added)) or "-")
print(f"they differ on {comparison.rows.differing} of {len(this_year)} rows")
print(f"accuracy on this year's rows: {comparison.rows.score_old} -> {comparison.rows.score_new}")
