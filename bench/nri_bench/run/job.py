"""A job: one piece of work for a child process, and the key its result row is known by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Scalar = str | int | float | bool | None
Measures = dict[str, Scalar]
"""What a piece of work found out."""


@dataclass(frozen=True, eq=False)
class Job:
    """A module-level function, its arguments, and the key of its row.

    The key names experiment, method, data set, protocol, seed, fold and whatever else tells this
    row from every other one; a row with the same key is not computed again.
    """

    key: Mapping[str, Scalar]
    work: Callable[..., Measures]
    """must be importable by name, because it runs in another process"""
    arguments: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    """known before the work is done, e.g. the number of rows; written also when it fails"""
    packages: tuple[str, ...] = ()
    """imported once in the parent of all children, so that imports cost no fit any time"""
