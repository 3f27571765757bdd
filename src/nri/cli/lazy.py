"""Commands that are loaded only when they are called, since what they need takes long to import."""

import importlib

import typer


def add_lazily(app: typer.Typer, name: str, place: str, about: str) -> None:
    """Add a group of commands by the place of its Typer object.

    Parameters
    ----------
    app
        The application to add to.
    name
        How the group is called.
    place
        ``package.module:object``.
    about
        One line for the list of commands; the group's own help says more.
    """

    def forward(context: typer.Context) -> None:
        module, _, attribute = place.partition(":")
        group: typer.Typer = getattr(importlib.import_module(module), attribute)
        command = typer.main.get_command(group)
        code = command.main(args=context.args, prog_name=context.command_path, standalone_mode=False)
        if isinstance(code, int) and code:
            raise typer.Exit(code)

    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, help=about, context_settings=settings)(forward)
