"""Visitors: what each browser works on, in memory only, and forgotten after a while."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from nri.serve.number import NumberWork
from nri.serve.upload import Upload
from nri.serve.work import Work

MOST_VISITORS = 8
"""So many tables are kept at once; the one that was not used for longest goes first."""
IDLE_SECONDS = 60 * 60.0
"""After so long without use a table is forgotten."""


@dataclass(eq=False)
class Visit:
    """One browser's table, and its work on it."""

    seen: float
    upload: Upload | None = None
    work: Work | None = None
    number: NumberWork | None = None
    """the work in place of the other, where the target is a number"""


class Visitors:
    """Visits by the secret in the visitor's cookie.

    Parameters
    ----------
    most
        Visits that are kept at once.
    idle_seconds
        How long a visit is kept after its last use.
    clock
        Seconds that never run backwards.
    """

    def __init__(
        self,
        most: int = MOST_VISITORS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._visits: dict[str, Visit] = {}
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock

    def __len__(self) -> int:
        return len(self._visits)

    def find(self, secret: str | None) -> Visit | None:
        """Return the visit of a cookie, None if there is none (any more)."""
        self.forget_idle()
        visit = None if secret is None else self._visits.get(secret)
        if visit is not None:
            visit.seen = self._clock()
        return visit

    def begin(self) -> tuple[str, Visit]:
        """Begin a visit under a new secret."""
        self.forget_idle()
        while len(self._visits) >= self._most:
            del self._visits[min(self._visits, key=lambda secret: self._visits[secret].seen)]
        secret = secrets.token_urlsafe(32)
        self._visits[secret] = Visit(self._clock())
        return secret, self._visits[secret]

    def forget(self, secret: str | None) -> None:
        """Forget a visit at once."""
        if secret is not None:
            self._visits.pop(secret, None)

    def forget_idle(self) -> None:
        """Forget visits that were not used for long."""
        oldest = self._clock() - self._idle_seconds
        self._visits = {secret: visit for secret, visit in self._visits.items() if visit.seen >= oldest}
