"""Figures made of rows, and nothing but rows; matplotlib is imported only here."""
