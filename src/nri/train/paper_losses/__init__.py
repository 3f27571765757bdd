"""The paper's training objective: six losses with their sub-terms, each with a weight that can be zero."""

from nri.train.paper_losses.config import PaperLossConfig
from nri.train.paper_losses.objective import PaperLoss, paper_loss

__all__ = ["PaperLoss", "PaperLossConfig", "paper_loss"]
