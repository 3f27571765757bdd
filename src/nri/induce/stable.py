"""Stable: the rule that other rows would have given too.

Of few rows each label pulls the rule its own way, and the rows of another day pull otherwise. What experts
and network together believe moves less from draw to draw. So the steady rule is the best one under that
belief alone: a labelled row counts as what is believed of it, as any plausible row does, and a condition must
bring a little more. Where the labels tell their rule plainly, or are very many, it is the rule of labels as
ever.

Choosing by bootstrap samples among rules that are nearly as good was measured too, and gave rules that agree
less (docs/log.md): rules of samples are longer and worse than that of the table.
"""

from dataclasses import replace

from nri.errors import InputError
from nri.induce.models import Inducer

LABEL_SHARE = 0.0
"""How far a labelled row speaks for itself; the usual rule lets it by half."""
PRICE = 1.4
"""Price of a bit of the rule, by that of the usual one."""


def steady(model: Inducer) -> Inducer:
    """Return a model that looks for the rule on which draws agree most, as another finds its best one.

    Raises
    ------
    InputError
        If the model has no belief beyond its rule to go by.
    """
    from nri.seeded.model import SeededModel  # which loads what a network needs

    if not isinstance(model, SeededModel):
        raise InputError("stable is for the model 'seeded', which knows more than its rule; drop one of both")
    usual = model.config
    config = replace(usual, label_share=LABEL_SHARE, price_share=PRICE * usual.price_share)
    return SeededModel(config, model.network)
