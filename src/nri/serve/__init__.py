"""The page in the browser: a local server that sends nothing anywhere.

``upload``, ``profile``, ``fields``, ``question``, ``work``, ``number``, ``rows``, ``view`` and ``downloads``
know tables and rules but nothing of the web; ``guard``, ``sessions``, ``queue`` and ``app`` are the web. The
page itself is plain files in ``static``.
"""
