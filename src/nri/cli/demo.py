"""``nri demo``: a rule for a data set that ships with scikit-learn."""

from typing import TYPE_CHECKING, Annotated

import typer

from nri.cli.console import mute_notes, tell, waiting
from nri.cli.induce import Output, induce_and_show
from nri.cli.options import QuietOption
from nri.errors import InputError

if TYPE_CHECKING:
    from nri.induction import LabelledTable

_SETS = {
    "breast-cancer": (
        "load_breast_cancer",
        "tumour",
        "cell nuclei of breast tumours, measured under a microscope",
    ),
    "wine": ("load_wine", "cultivar", "chemical analysis of wines from three cultivars"),
    "iris": ("load_iris", "species", "leaves of iris flowers of three species"),
}

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(_SETS)}.")]


def demo(name: NameArgument = "breast-cancer", quiet: QuietOption = False) -> None:
    """Induce a rule on a data set that comes with scikit-learn; nothing is downloaded."""
    mute_notes(quiet)
    if name not in _SETS:
        raise InputError(f"no demo {name!r}; choose one of {', '.join(_SETS)}")
    loader, target, about = _SETS[name]
    with waiting(f"loading {name}", quiet=quiet):  # the imports take their time too
        from nri.induction import Settings

        table = _load(loader, target)
    tell(f"{about}: {len(table.codes)} rows, {table.features.shape[1]} columns", quiet=quiet)
    induce_and_show(table, Settings(), None, Output(None, None, None, quiet), cv=True, seed=0)


def _load(loader: str, target: str) -> "LabelledTable":
    import numpy as np
    from sklearn import datasets

    from nri.induction import LabelledTable

    data = getattr(datasets, loader)(as_frame=True)
    classes = [str(name) for name in data.target_names]
    order = np.argsort(classes)
    codes = np.argsort(order)[data.target.to_numpy()]
    return LabelledTable(data.data, codes, tuple(sorted(classes)), target)
