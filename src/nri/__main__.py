"""``python -m nri`` is the command ``nri``."""

from nri.cli.app import main

if __name__ == "__main__":
    main()
