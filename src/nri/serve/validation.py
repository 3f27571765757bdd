"""Validation: how the rule's search does on rows it has not seen, told fold by fold."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import numpy as np

from nri.errors import NRIError
from nri.induce.resample import FOLDS, cross_validate
from nri.serve.work import SEED, Work


class _Stopped(Exception):  # noqa: N818  # not an error: the visitor went on to something else
    """Ends a computation that nobody waits for any more."""


async def validation_lines(work: Work) -> AsyncIterator[str]:
    """Cross-validate in a thread and yield a line of JSON after each fold; the last one has the accuracy.

    What is estimated is the search with the visitor's wishes, not a rule that was edited by hand. If the
    reader goes away the computation ends with its present fold.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    gone = threading.Event()

    def tell(line: dict[str, Any] | None) -> None:
        if not gone.is_set():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    worker = loop.run_in_executor(None, _run, work, tell, gone)
    try:
        while (line := await lines.get()) is not None:
            yield json.dumps(line) + "\n"
    finally:
        gone.set()
        if not worker.done():
            worker.add_done_callback(lambda done: done.cancelled() or done.exception())


def _run(work: Work, tell: Any, gone: threading.Event) -> None:
    done = 0

    def step() -> None:
        nonlocal done
        if gone.is_set():
            raise _Stopped
        done += 1
        tell({"done": done, "of": FOLDS})

    try:
        accuracy = cross_validate(
            work.searched,
            work.question.settings,
            rng=np.random.default_rng(SEED),
            step=step,
        )
        tell({"accuracy": accuracy.mean, "error": accuracy.error})
    except _Stopped:
        pass
    except NRIError as error:
        tell({"problem": str(error)})
    except Exception as error:  # the reader must learn that no further line comes
        tell({"problem": f"the estimate failed ({type(error).__name__})"})
        raise
    finally:
        tell(None)
