"""The soak in small: a few visitors, a kill and a restart; ``make soak`` is the long one."""

import re

from soak import soak


def test_a_few_visitors_lose_nothing_when_the_server_is_killed_and_started_again():
    line, faults, row = soak(minutes=0.1, visitors=6)
    assert faults == []
    assert "1 kill" in line
    assert "0 of 5xx" in line
    assert "0 files left" in line
    edits, lost = map(int, re.search(r"(\d+) edits, (\d+) lost", line).groups())
    assert edits > 0
    assert lost == 0
    assert (row["edits"], row["failed"], row["left"]) == (edits, 0, 0)
