"""Search: an episode in, rules out; arrays only, no names and no tables."""
