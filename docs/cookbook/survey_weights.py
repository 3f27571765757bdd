"""Weights: each row stands for so many, as in surveys; a row of weight two counts as two rows."""

import numpy as np
import pandas as pd

from nri import NRIClassifier

answers = pd.DataFrame(
    {
        "commutes": ["car", "car", "bike", "bike", "train", "train"] * 4,
        "children": [0, 2, 0, 1, 0, 3] * 4,
        "in_favour": ["no", "no", "yes", "yes", "yes", "no"] * 4,
        "people": [120, 80, 60, 40, 90, 10] * 4,
    }
)
features = answers[["commutes", "children"]]
classifier = NRIClassifier(positive="yes").fit(features, answers.in_favour, sample_weight=answers.people)
print(classifier.rule_)
in_favour = np.average(answers.in_favour == "yes", weights=answers.people)
print(f"{in_favour:.0%} of the people are in favour")
