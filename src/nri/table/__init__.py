"""Tables: reading files, naming predicates, turning columns into boolean variables."""
