"""Rules for a number: segments of rows with a value each, found, counted and tried on rows left out."""
