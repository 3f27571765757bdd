"""Visitors: what each browser works on. Files wait on disk, without a name; tables in use are in memory.

A table that was not used for a while *rests*: its file and the rule stay, its cells leave the memory, and
come back when the visitor does. Only where even files take too much room, or nobody came back for long, a
visit ends; why it did is remembered, so that the page can say it.
"""

import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from nri.errors import InputError
from nri.serve.number import NumberAtRest, NumberWork
from nri.serve.upload import Upload, read_upload
from nri.serve.work import Work, WorkAtRest
from nri.table.excel import SheetChoice

MOST_VISITS = 200
"""So many tables are kept at once; each takes an open file."""
MOST_BYTES = 2 * 2**30
"""Most bytes of all files on disk."""
MOST_CELLS = 10_000_000
"""Most cells of all tables in memory, but for those that are being worked on."""
IDLE_SECONDS = 60 * 60.0
"""After so long without use a table is forgotten."""
_REMEMBERED = 1000
"""Visits whose end is remembered."""

UNKNOWN = (
    "this server does not have the table: it was started anew, or the browser lost its cookie; "
    "drop the table again"
)
ENDED = "the table was forgotten as you asked; drop it again to go on"


class ForgottenError(InputError):
    """The visitor's table is no longer (or not yet) here."""


@dataclass(eq=False)
class Visit:
    """One browser's table, and its work on it."""

    file: IO[bytes]
    """what was dropped, on disk"""
    name: str
    choice: SheetChoice
    seen: float = 0.0
    upload: Upload | None = None
    """the table, None while it rests"""
    work: Work | NumberWork | None = None
    """what is being worked on, None while it rests and before anything was asked"""
    resting: WorkAtRest | NumberAtRest | None = None
    _waking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return 0 if self.file.closed else os.fstat(self.file.fileno()).st_size

    @property
    def cells(self) -> int:
        """Cells in memory."""
        return 0 if self.upload is None else len(self.upload.table) * len(self.upload.table.names)

    def wake(self) -> Upload:
        """Read the table, if it is not in memory, and go on where the work was left."""
        with self._waking:
            if self.upload is None:
                upload = read_upload(self.name, self._content(), self.choice)
                self.work = None if self.resting is None else self.resting.resumed(upload)
                self.upload = upload
            return self.upload

    def _content(self) -> bytes:
        try:
            self.file.seek(0)
            return self.file.read()
        except ValueError:  # closed: somebody forgot the table just now
            raise ForgottenError(ENDED) from None

    def take(self, upload: Upload, work: Work | NumberWork) -> None:
        """Put the answer to another question in the place of the last one."""
        self.upload, self.work = upload, work

    def rest(self) -> None:
        """Leave the memory."""
        self.resting = None if self.work is None else self.work.at_rest()
        self.upload = self.work = None


class Visitors:
    """Visits by the secret in the visitor's cookie.

    Parameters
    ----------
    most
        Visits that are kept at once.
    most_bytes, most_cells
        What all files may take on disk, and all tables in memory.
    idle_seconds
        How long a visit is kept after its last use.
    clock
        Seconds that never run backwards.
    """

    def __init__(
        self,
        most: int = MOST_VISITS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_bytes: int = MOST_BYTES,
        most_cells: int = MOST_CELLS,
    ) -> None:
        self._visits: OrderedDict[str, Visit] = OrderedDict()  # the one used last is the last
        self._ended: OrderedDict[str, str] = OrderedDict()
        self._most = most
        self._most_bytes = most_bytes
        self._most_cells = most_cells
        self._idle_seconds = idle_seconds
        self._clock = clock

    def __len__(self) -> int:
        return len(self._visits)

    @property
    def awake(self) -> int:
        """How many tables are in memory."""
        return sum(visit.upload is not None for visit in self._visits.values())

    def find(self, secret: str | None) -> Visit | None:
        """Return the visit of a cookie, None if there is none (any more); see :meth:`why_none`."""
        self.forget_idle()
        visit = None if secret is None else self._visits.get(secret)
        if visit is not None:
            assert secret is not None
            visit.seen = self._clock()
            self._visits.move_to_end(secret)
        return visit

    def why_none(self, secret: str | None) -> str:
        """Say why there is no visit under a secret, and what to do."""
        if secret is None:
            return "there is no table yet; drop one first"
        return self._ended.get(secret, UNKNOWN)

    def begin(self, visit: Visit) -> str:
        """Begin a visit under a new secret; others may have to give way."""
        self.forget_idle()
        others = sum(other.size for other in self._visits.values())
        while self._visits and (len(self._visits) >= self._most or others + visit.size > self._most_bytes):
            secret, oldest = next(iter(self._visits.items()))
            others -= oldest.size
            self._end(
                secret,
                "the table had to make room for those of others, who came later; drop it again to go on",
            )
        secret = secrets.token_urlsafe(32)
        visit.seen = self._clock()
        self._visits[secret] = visit
        return secret

    def settle(self, used: Visit) -> None:
        """Where all tables take too much memory, let others than the one used rest, the oldest first."""
        cells = sum(visit.cells for visit in self._visits.values())
        for visit in self._visits.values():
            if cells <= self._most_cells:
                return
            if visit.upload is not None and visit is not used:
                cells -= visit.cells
                visit.rest()

    def forget(self, secret: str | None) -> None:
        """Forget a visit at once."""
        if secret is not None and secret in self._visits:
            self._end(secret, ENDED)

    def forget_idle(self) -> None:
        """Forget visits that were not used for long."""
        oldest = self._clock() - self._idle_seconds
        minutes = f"{self._idle_seconds / 60:.0f} minutes"
        for secret, visit in list(self._visits.items()):
            if visit.seen < oldest:
                self._end(
                    secret, f"the table was not used for {minutes} and is forgotten; drop it again to go on"
                )

    def close(self) -> None:
        """Forget everything."""
        for secret in list(self._visits):
            self._end(secret, UNKNOWN)

    def _end(self, secret: str, why: str) -> None:
        self._visits.pop(secret).file.close()
        self._ended[secret] = why
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)
