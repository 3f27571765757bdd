"""``nri export-weights``: a checkpoint as one file that runs without PyTorch."""

from pathlib import Path
from typing import Annotated

import typer

from nri.cli.console import tell
from nri.cli.extras import require_extra
from nri.cli.options import QuietOption

CheckpointArgument = Annotated[
    Path, typer.Argument(metavar="CHECKPOINT", help="A checkpoint written by `nri train`.")
]
OnnxOption = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The ONNX file; its card goes beside it as .json.")
]


def export_weights(checkpoint: CheckpointArgument, out: OnnxOption, quiet: QuietOption = False) -> None:
    """Write a checkpoint's averaged weights as ONNX, with configuration, commit and SHA-256 beside it."""
    require_extra("train", "exporting weights", "torch", "safetensors", "jaxtyping", "onnx")
    from nri.errors import InputError
    from nri.train.export import export_weights as write

    if out.suffix != ".onnx":
        raise InputError(f"--out {out}: the file must end in .onnx; its card gets the same name with .json")
    card = write(checkpoint, out)
    size = out.stat().st_size / 2**20
    tell(
        f"wrote {out} ({size:.1f} MB): {card['inducer']} after {card['step']} updates, "
        f"{card['episodes']} episodes, SHA-256 {card['sha256'][:12]}",
        quiet=quiet,
    )
