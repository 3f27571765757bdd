"""What became of each case: it went well, was refused in one line, or is a finding."""

import signal
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from nri.errors import NRIError

OUTCOMES = ("ok", "refused", "foreign", "hung", "different")
FINDINGS = OUTCOMES[2:]
PATIENCE = 20.0
"""CPU seconds that a case may take."""


class DifferentError(AssertionError):
    """Two ways to the same answer gave two answers."""


class HungError(BaseException):
    """A case took longer than anybody waits; no exception, lest somebody catch it."""


@dataclass
class Tally:
    """How many cases ended how, and what the findings were."""

    counts: Counter = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    """CPU seconds, those of finished child processes included"""

    @property
    def tried(self) -> int:
        return sum(self.counts[outcome] for outcome in OUTCOMES)

    def row(self) -> dict[str, float]:
        """Return the counts as they are kept in a file of rows."""
        ended = {outcome: self.counts[outcome] for outcome in OUTCOMES}
        return {"tried": self.tried, **ended, "rows": self.counts["rows"], "seconds": round(self.seconds, 1)}

    def add(self, outcome: str, finding: str = "", times: int = 1) -> None:
        self.counts[outcome] += times
        if outcome in FINDINGS:
            self.findings.append(finding)

    def line(self, name: str) -> str:
        told = ", ".join(f"{outcome} {self.counts[outcome]}" for outcome in OUTCOMES)
        more = "".join(f", {what} {n}" for what, n in sorted(self.counts.items()) if what not in OUTCOMES)
        return f"{name}: tried {self.tried}, {told}{more}"


def outcome_of(run: Callable[[Any], None], case: Any, seconds: float = PATIENCE) -> tuple[str, str]:
    """Run a case; return how it ended, and of a finding what it was."""
    try:
        with warnings.catch_warnings(), patience(seconds):
            warnings.simplefilter("ignore")
            run(case)
    except NRIError as error:
        if "\n" in str(error) or not str(error):
            return "foreign", f"an error of other than one line: {error!r}\n{case!r}"
        return "refused", ""
    except DifferentError as error:
        return "different", f"{error}\n{case!r}"
    except HungError:
        return "hung", f"{traceback.format_exc()}\n{case!r}"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of a foreign library is no Exception
        return "foreign", f"{traceback.format_exc()}\n{case!r}"
    return "ok", ""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise a HungError once so much CPU time was taken, where the system has such an alarm."""
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise HungError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
