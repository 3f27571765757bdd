"""Rows: where the rows of a table are. In memory, or in an engine that answers in SQL; one interface."""
