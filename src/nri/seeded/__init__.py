"""The seeded model: experts and a small network form a posterior; the rule is the best under it."""
