"""Neural Rule Inducer: a table goes in, a rule that a person can read comes out."""
