"""The page in the browser: a local server that sends nothing anywhere.

``upload``, ``question``, ``work`` and ``view`` know nothing of the web; the page is files in ``static``.
"""
