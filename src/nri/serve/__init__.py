"""The page in the browser: a local server that sends nothing anywhere.

``upload``, ``question``, ``work`` and ``view`` know tables and rules but nothing of the web; ``guard``,
``sessions``, ``queue`` and ``app`` are the web. The page itself is plain files in ``static``.
"""
