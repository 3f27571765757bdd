"""Rules for the time until an event: rows that are followed in, segments whose survival curves part out."""
