"""Records of tasks as JSON, for other programs."""

import dataclasses
import datetime as dt
import json
from typing import Any

import numpy as np

from nri.rule import Clause, RuleSet, render
from nri.rule.phrase import phrase_clause


def record_json(record: Any, **more: Any) -> str:
    """Write a record and whatever is put beside it; clauses as text and as literals, rules as their own JSON.

    >>> from nri.rule import Literal, Op
    >>> print(record_json(Clause([Literal("age", Op.GT, 61)])))
    {
      "text": "age > 61",
      "literals": [
        {
          "column": "age",
          "op": ">",
          "value": 61
        }
      ]
    }
    """
    told = _plain(record)
    return json.dumps(
        told | {key: _plain(value) for key, value in more.items()}, indent=2, ensure_ascii=False
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Clause):
        literals = [{"column": x.column, "op": str(x.op), "value": _plain(x.value)} for x in value]
        needed = {"at_least": value.at_least} if value.counts else {}
        return {"text": phrase_clause(value), **needed, "literals": literals}
    if isinstance(value, RuleSet):
        return json.loads(render(value, "json"))
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value
