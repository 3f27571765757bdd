"""What can go wrong, as exceptions that name the cause and the remedy."""


class NRIError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(NRIError, ValueError):
    """The caller's table, file, column or option cannot be used as given.

    The message is one line: what was found, where, and what to do about it.
    The command line prints it as it is and exits with code 2.
    """


class ConfigError(InputError):
    """A configuration file has an unknown key or an impossible value."""
