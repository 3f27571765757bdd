"""What happened in a soak, counted."""

import collections
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field

from calling import Answer


@dataclass
class Tally:
    """What happened."""

    until: float
    most_requests: int
    answers: collections.Counter[int] = field(default_factory=collections.Counter)
    waits: list[float] = field(default_factory=list)
    """seconds of small requests"""
    edits: int = 0
    lost: int = 0
    waited: int = 0
    """times somebody was told how many are before"""
    resent: int = 0
    halves: int = 0
    """requests that were left half sent"""
    left: int = 0
    """requests that were left before the answer"""
    faults: list[str] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether it is time to end."""
        return time.monotonic() > self.until or self.requests >= self.most_requests

    @property
    def requests(self) -> int:
        """Answers, half requests and those left early."""
        return sum(self.answers.values()) + self.halves + self.left

    def count(self, answer: Answer, *allowed: int) -> Answer:
        """Count an answer; one that may not be is a fault."""
        self.answers[answer.status] += 1
        if answer.status not in (200, 403, 410, 503, *allowed):
            self.faults.append(f"{answer.status} {answer.body[:200].decode(errors='replace')}")
        return answer

    def told(self) -> list[str]:
        """Say it in a few words."""
        refused = sum(self.answers[status] for status in (400, 403, 404, 405, 413))
        return [
            f"{self.answers[200]} ok, {refused} refused, {self.halves} left half sent",
            f"{self.left} left early",
            f"{self.waited} told their place, {self.answers[503]} asked to come again",
            f"{self.answers[410]} told of a lost table, {self.resent} sent again",
            f"{self.edits} edits, {self.lost} lost",
            f"{self.failed} of 5xx",
            f"{len(self.waits)} small requests, p50 {self.wait(0.5)} ms, p99 {self.wait(0.99)} ms",
        ]

    def row(self) -> dict[str, int]:
        """Return the counts that docs/limits.md tells."""
        return {
            "requests": self.requests,
            "failed": self.failed,
            "edits": self.edits,
            "lost": self.lost,
            "told_place": self.waited,
            "small": len(self.waits),
            "p50_ms": self.wait(0.5),
            "p99_ms": self.wait(0.99),
        }

    @property
    def failed(self) -> int:
        """Answers of 500 and above, but for 503: too many connections."""
        return sum(count for status, count in self.answers.items() if status >= 500 and status != 503)

    def wait(self, share: float) -> int:
        """Milliseconds within which this share of the small requests was answered."""
        waits = sorted(self.waits) or [0.0]
        return round(1000 * waits[int(share * (len(waits) - 1))])

    async def small(self, asking: Awaitable[Answer]) -> Answer:
        """Count a small request and how long it took."""
        began = time.monotonic()
        answer = self.count(await asking)
        self.waits.append(time.monotonic() - began)
        return answer
