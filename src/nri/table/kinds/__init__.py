"""Kinds of columns: for each, how it is recognised among texts and how texts are read by a plan."""
