"""The page in the browser: a local server that keeps every table in memory and sends nothing anywhere.

``upload``, ``columns``, ``question``, ``work``, ``edit``, ``rows``, ``view``, ``validation`` and
``downloads`` know tables and rules but nothing of the web; ``guard``, ``visitors``, ``body``, ``app`` and
``run`` are the web. The page itself is plain files in ``static``.
"""
