"""Rules: literals, clauses and branches with their estimates; no tensors, no tables."""

from nri.rule.column import (
    BOOLEAN,
    OPEN,
    Column,
    ColumnDomain,
    ColumnPlan,
    Columns,
    Domain,
    column_of,
    empty_column,
    row_count,
)
from nri.rule.estimate import Mean, NumberTarget, Risk, SurvivalTarget
from nri.rule.explain import Explanation, Miss, NearMiss
from nri.rule.labels import ClassTarget, Label, Shares, as_label, spelled
from nri.rule.literal import ALWAYS, FALSE, TRUE, Clause, Dnf, Kind, Literal, Op, Value, plain_value
from nri.rule.regions import difference, implies
from nri.rule.render import FORMATS
from nri.rule.render.as_json import from_json
from nri.rule.render.as_logic import asp_facts, prolog_facts
from nri.rule.rule import Branch, RenderOptions, Rule
from nri.rule.simplify import simplify
from nri.rule.truth import clause_matrix, clause_truth, literal_truth, rule_truth

__all__ = ["BOOLEAN", "Column", "ColumnDomain", "ColumnPlan", "Columns", "Domain", "column_of"]
__all__ += ["ALWAYS", "FALSE", "TRUE", "Clause", "Dnf", "Kind", "Literal", "Op", "Value"]
__all__ += ["Branch", "ClassTarget", "Label", "Mean", "NumberTarget", "RenderOptions", "Risk", "Rule"]
__all__ += ["Explanation", "Miss", "NearMiss", "Shares", "SurvivalTarget", "difference", "implies"]
__all__ += ["OPEN", "as_label", "empty_column", "plain_value", "row_count", "simplify", "spelled"]
__all__ += ["FORMATS", "asp_facts", "from_json", "prolog_facts"]
__all__ += ["clause_matrix", "clause_truth", "literal_truth", "rule_truth"]
