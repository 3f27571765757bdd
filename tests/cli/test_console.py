import logging
import sys
import threading

from nri.cli import console
from nri.cli import terminal as shown


class Terminal:
    """A standard output that says it is a terminal."""

    def __init__(self) -> None:
        self.text = ""
        self.encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def test_a_terminal_gets_colour_and_the_same_words(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    console.show_rule("IF  (a[0] AND b)     precision 1.00   covers 3 of 5\nTHEN y = :smile:     ELSE no")
    assert "\x1b[" in terminal.text
    assert "a[0]" in terminal.text
    assert ":smile:" in terminal.text


def test_a_long_rule_is_not_broken_on_a_narrow_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    console.show_rule("IF  (a AND b AND c AND d AND e AND f AND g AND h)     precision 1.00")
    assert terminal.text.count("\n") == 1


def test_progress_stays_silent_without_a_terminal(capfd):
    with console.progress("thinking", steps=2) as step:
        step()
        step()
    captured = capfd.readouterr()
    assert captured.err == ""
    assert captured.out == ""


def test_progress_appears_on_a_terminal_after_two_seconds(monkeypatch):
    started = threading.Event()
    monkeypatch.setattr(shown, "PROGRESS_AFTER", 0.01)
    monkeypatch.setattr(shown.Elapsed, "seconds", 0.0)
    monkeypatch.setattr("rich.progress.Progress.start", lambda self: started.set())
    monkeypatch.setattr(sys, "stderr", Terminal())
    with console.progress("thinking"):
        assert started.wait(10)
    started.clear()
    monkeypatch.setattr(console._HANDLER, "level", logging.ERROR)
    with console.progress("thinking"):
        assert not started.wait(0.1)


def test_several_short_waits_are_a_long_one(monkeypatch):
    """Reading, inducing and each fold may take less than two seconds, and together many seconds."""
    started = threading.Event()
    monkeypatch.setattr(shown, "PROGRESS_AFTER", 60.0)
    monkeypatch.setattr(shown.Elapsed, "seconds", 0.0)
    monkeypatch.setattr("rich.progress.Progress.start", lambda self: started.set())
    monkeypatch.setattr(sys, "stderr", Terminal())
    with console.progress("reading"):
        assert not started.wait(0.05)
    assert 0.05 <= shown.Elapsed.seconds < 60
    shown.Elapsed.seconds = 61.0
    with console.progress("thinking"):
        assert started.wait(10)
