"""The results of a case as JSON: from its own process, or as they were recorded on a GPU.

A case that this machine cannot run shows what `recorded_gpu.json` has of it. That file has, beside
where it was recorded, both sides of each case. `tests.gpu.session` wrote it on an H200.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch

from embviz.fact.dtypes import dtype_name
from embviz.limits.case import Case
from embviz.limits.prove import Outcome, Proof

RECORDED = Path(__file__).with_name("recorded_gpu.json")


def to_json(value: Any) -> dict[str, Any]:
    """A side of a program: a tensor of the CPU, an error or a plain value."""
    if isinstance(value, Exception):
        return {"raises": type(value).__name__, "said": str(value)}
    if isinstance(value, torch.Tensor):
        return {"dtype": dtype_name(value.dtype), "values": value.tolist()}
    return {"value": value}


def from_json(side: Mapping[str, Any]) -> Any:
    """The side again; an error has the name of its class, and its text.

    >>> from_json(to_json(torch.tensor([1.5, -0.0])))
    tensor([1.5000, -0.0000])
    >>> from_json(to_json(IndexError("none")))
    IndexError('none')
    """
    if "raises" in side:
        return type(side["raises"], (Exception,), {})(side["said"])
    if "dtype" in side:
        return torch.tensor(side["values"], dtype=getattr(torch, side["dtype"]))
    return side["value"]


def recorded(case: Case, lacks: str) -> Proof:
    """The outcome of a GPU, for a case that this machine cannot run; none where none is known."""
    record = file()
    if case.name not in record["cases"]:
        return Proof(case, lacks=lacks)
    problem = Outcome(*map(from_json, record["cases"][case.name]))
    where = f"an {record['gpu']} with PyTorch {record['torch']}"
    return Proof(case, problem, lacks, recorded=where)


@cache
def file() -> dict[str, Any]:
    """The record: `gpu`, `torch` and `date`, and `cases`, the sides of each by its name."""
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found
