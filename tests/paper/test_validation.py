"""Networks are chosen by what their deployed rules do on synthetic tables, under both deployments."""

import numpy as np
import pytest
import torch
from torch import nn

from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.tnorm import SoftRule
from nri.paper.torch.training import SHAPES, SUPPORT_SIZES, deployed_suite, score_deployed


class BestLiteral(nn.Module):
    """Opens one slot with the literal that separates the classes best, and one that asks for everything."""

    def __init__(self) -> None:
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(1))

    def forward(self, batch: EpisodeBatch) -> SoftRule:
        literals = batch.literals
        agreement = (literals * (batch.positives - batch.negatives).unsqueeze(-1)).sum(1)
        best = nn.functional.one_hot(agreement.argmax(-1), literals.shape[-1]).float()
        return SoftRule(torch.stack([best, torch.full_like(best, 0.9)], 1), torch.ones(len(literals), 2))


def test_every_part_is_scored_under_both_deployments():
    suite = deployed_suite(3)
    assert all(len(suite[f"recovery/{shape}/{rows}"]) == 3 for shape in SHAPES for rows in SUPPORT_SIZES)
    assert len(suite["wide"]) == len(suite["mixed"]) == 12
    scores = score_deployed(BestLiteral(), suite)
    assert set(scores) == {f"{name}/{part}" for name in ("text", "tuned") for part in (*suite, "choice")}
    recovered = [scores[f"text/{part}"] for part in suite if part.startswith("recovery/")]
    parts = [scores["text/wide"], scores["text/mixed"], np.mean(recovered)]
    assert scores["text/choice"] == pytest.approx(np.mean(parts))
    # a slot that asks for everything fires once it is cut to four literals; the tuned deployment drops it
    assert scores["text/recovery/1x1/256"] == 0
    assert scores["tuned/recovery/1x1/256"] == 1
    assert scores["tuned/recovery/4x3/48"] == 0


def test_rules_to_recover_have_both_classes_and_wide_tables_are_wider_than_in_training():
    for name, tables in deployed_suite(4).items():
        for table in tables:
            if name == "wide":
                assert table.values.shape[1] >= 13
            else:
                assert set(table.support.labels) == {0, 1}
                assert 0 < table.truth.mean() < 1
                assert len(np.unique(table.values, axis=0)) == 2**12
