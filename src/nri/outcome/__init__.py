"""Outcomes: what a table is to explain, row by row: classes, a number, or the time until an event."""

from nri.outcome.base import Classes, Outcome
from nri.outcome.number import Number
from nri.outcome.score import Interval, Score
from nri.outcome.survival import Survival

__all__ = ["Classes", "Interval", "Number", "Outcome", "Score", "Survival"]
