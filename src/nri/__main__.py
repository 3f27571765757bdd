"""``python -m nri`` is the command ``nri``; torchrun starts training this way."""

from nri.cli.app import main

if __name__ == "__main__":
    main()
