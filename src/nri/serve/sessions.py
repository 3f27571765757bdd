"""Sessions: the table of each tab. Files wait on disk, without a name; tables in use are in memory.

A table that was not used for a while *rests*: its cells leave the memory and come back with the next request.
A session ends if files take too much room or it is unused for long; the page can show why.
"""

import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from nri.errors import InputError
from nri.serve.upload import Upload, read_upload
from nri.serve.work import Work
from nri.table.excel import SheetChoice

UNKNOWN = "this server does not have the table: it was started anew; drop the table again"
REMOVED = "the table was removed; drop it again to go on"
NO_ROOM = "the table had to make room for later ones; drop it again to go on"


class NoTableError(InputError):
    """The table of a request is no longer (or not yet) here."""

    status = 410


@dataclass(eq=False)
class Session:
    """The table of one tab, and the work on it."""

    file: IO[bytes]  # the dropped file, on disk
    name: str
    choice: SheetChoice
    used: float = 0.0  # when it was used last
    upload: Upload | None = None  # the table, None while it rests
    work: Work | None = None  # question and rule, None while it rests and before a target is chosen
    resume: Callable[[Upload], Work] | None = None  # how the work goes on with its table, while it rests
    _reading: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return os.fstat(self.file.fileno()).st_size

    @property
    def cells(self) -> int:
        """Cells in memory."""
        return 0 if self.upload is None else len(self.upload.table) * len(self.upload.table.names)

    def load(self) -> Upload:
        """Read the table, if it is not in memory, and go on where the work was left."""
        with self._reading:
            if self.upload is None:
                try:
                    self.file.seek(0)
                    content = self.file.read()
                except ValueError:  # closed: the table was removed just now
                    raise NoTableError(REMOVED) from None
                upload = read_upload(self.name, content, self.choice)
                self.work = None if self.resume is None else self.resume(upload)
                self.upload = upload
            return self.upload

    def rest(self) -> None:
        """Leave the memory."""
        self.resume = None if self.work is None else self.work.rest()
        self.upload = self.work = None


@dataclass(eq=False)
class Sessions:
    """Sessions by the token that a tab sends, the one used last at the end."""

    most: int = 200  # tables that are kept at once; each takes an open file
    idle_seconds: float = 60 * 60.0  # after so long without use a table is removed
    clock: Callable[[], float] = time.monotonic
    max_disk: int = 2 * 2**30  # bytes of all files on disk
    max_cells: int = 10_000_000  # cells of all tables in memory, but for those in use
    _sessions: dict[str, Session] = field(default_factory=dict)
    _ended: dict[str, str] = field(default_factory=dict)  # of each token, why

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, token: str) -> Session:
        """Return the session of a token; raise why there is none, and what to do."""
        self.end_idle()
        if not token:
            raise NoTableError("there is no table yet; drop one first")
        if token not in self._sessions:
            raise NoTableError(self._ended.get(token, UNKNOWN))
        session = self._sessions[token] = self._sessions.pop(token)
        session.used = self.clock()
        return session

    def begin(self, session: Session) -> str:
        """Begin a session under a new token; older ones may have to make room."""
        self.end_idle()
        while self._sessions and (
            len(self._sessions) >= self.most
            or sum(other.size for other in self._sessions.values()) + session.size > self.max_disk
        ):
            self.end(next(iter(self._sessions)), NO_ROOM)
        token = secrets.token_urlsafe(32)
        session.used = self.clock()
        self._sessions[token] = session
        return token

    def free_memory(self, used: Session) -> None:
        """Where all tables take too much memory, let others than the one used rest, the oldest first."""
        cells = sum(session.cells for session in self._sessions.values())
        for session in self._sessions.values():
            if cells > self.max_cells and session.upload is not None and session is not used:
                cells -= session.cells
                session.rest()

    def end(self, token: str, why: str = REMOVED) -> None:
        """End a session at once, if there is one."""
        if token in self._sessions:
            self._sessions.pop(token).file.close()
            self._ended[token] = why
            while len(self._ended) > self.most:  # the reasons that were given first are forgotten
                del self._ended[next(iter(self._ended))]

    def end_idle(self) -> None:
        """End sessions that were not used for long."""
        oldest = self.clock() - self.idle_seconds
        unused = f"the table was not used for {self.idle_seconds / 60:.0f} minutes"
        for token in [token for token, session in self._sessions.items() if session.used < oldest]:
            self.end(token, f"{unused} and was removed; drop it again to go on")

    def close(self) -> None:
        """End everything."""
        for token in list(self._sessions):
            self.end(token, UNKNOWN)
