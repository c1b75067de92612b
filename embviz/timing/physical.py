"""Bytes and operations in a second, beside what the same machine did in the same run.

Bytes are those that the definition reads and writes (`Case.bytes`). The ceilings are plain copies
of several sizes and one square matrix product (see `calibration`). A copy of n bytes moves 2n,
because it reads n and writes n. Nothing is timed here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from embviz.core.dtypes import DTYPES
from embviz.timing.cases import Case
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.settings import DEVICES

MAX_CALIBRATIONS = 20  # of one run
MAX_COPIES = 40  # of one of them
FASTEST = 1e7  # GB/s or GFLOP/s

Key = tuple[str, str, int]  # device, dtype, threads


@dataclass(frozen=True)
class Ceilings:
    """What one device did at best, in one dtype with one number of threads.

    Attributes:
        copies: GB moved in a second by a plain copy, by the bytes that it moved; in rising order.
        gflop_per_s: of a square matrix product.
    """

    copies: dict[float, float]
    gflop_per_s: float

    @property
    def memory_gb_per_s(self) -> float:
        """GB moved in a second by the largest copy, which no cache holds."""
        return list(self.copies.values())[-1]

    def copy_gb_per_s(self, case: Case) -> float:
        """GB moved in a second by a copy that moves as many bytes as the case."""
        sizes, rates = np.log(list(self.copies)), np.log(list(self.copies.values()))
        return float(math.exp(np.interp(math.log(case.bytes), sizes, rates)))


def gb_per_s(one: Measurement) -> float:
    """GB read and written in a second; 1 GB is 1e9 bytes."""
    return one.case.bytes / one.median_s / 1e9


def gflop_per_s(one: Measurement) -> float:
    """Operations in a second, in 1e9; 0 for a method that only copies."""
    return one.case.flops / one.median_s / 1e9


def key_of(case: Case) -> Key:
    """Cases with the same key have the same ceilings."""
    return case.device, case.dtype, case.threads


def ceilings(end: Mapping[str, Any] | None) -> dict[Key, Ceilings]:
    """What the machine did, from the last line of a run; empty where a run lacks it."""
    return {
        (one["device"], one["dtype"], one["threads"]): Ceilings(
            {2.0 * int(size): 2 * rate for size, rate in one["copy_gb_per_s"].items()},
            one["gflop_per_s"],
        )
        for one in kept(end or {}).get("calibrations", [])
    }


def words(one: Measurement, found: Ceilings | None) -> list[str]:
    """GB/s and, where it computes, GFLOP/s, with their shares; the shares need the ceilings."""
    moved, computed = gb_per_s(one), gflop_per_s(one)
    parts = [f"{number(moved)} GB/s"]
    if found:
        parts[0] += f", {share(moved / found.copy_gb_per_s(one.case))} of a plain copy's"
    if computed:
        parts.append(f"{number(computed)} GFLOP/s")
        if found:
            parts[1] += f", {share(computed / found.gflop_per_s)} of a matrix product's"
    return parts


def row(one: Result, found: Mapping[Key, Ceilings]) -> dict[str, float]:
    """The columns of a table; without shares where the machine's ceilings are not known."""
    if isinstance(one, Failure):
        return {}
    columns = {"gb_per_s": gb_per_s(one), "gflop_per_s": gflop_per_s(one)}
    if best := found.get(key_of(one.case)):
        columns["share_of_copy"] = columns["gb_per_s"] / best.copy_gb_per_s(one.case)
        columns["share_of_matrix_product"] = columns["gflop_per_s"] / best.gflop_per_s
    return columns


def number(value: float) -> str:
    """A rate with two significant digits.

    >>> [number(rate) for rate in (0.0123, 1.26, 12.6, 1264)]
    ['0.012', '1.3', '13', '1,264']
    """
    return f"{value:.2g}" if value < 99.5 else f"{value:,.0f}"


def share(value: float) -> str:
    """A share in percent.

    >>> share(0.234), share(0.0012), share(1.3)
    ('23 %', '0.12 %', '130 %')
    """
    return f"{number(100 * value)} %"


def kept(end: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The `calibrations` of a run's last line, without what cannot be one."""
    given, found = end.get("calibrations"), list[dict[str, Any]]()
    for one in given[:MAX_CALIBRATIONS] if isinstance(given, list) else []:
        if not isinstance(one, Mapping):
            continue
        copies = _rates(one.get("copy_gb_per_s"))
        plain = {name: one.get(name) for name in ("device", "dtype", "threads", "gflop_per_s")}
        known = plain["device"] in DEVICES and plain["dtype"] in list(DTYPES)
        if known and type(plain["threads"]) is int and _rate(plain["gflop_per_s"]):
            found += [{**plain, "copy_gb_per_s": copies}] if copies else []
    return {"calibrations": found} if found else {}


def _rates(given: object) -> dict[str, float]:
    """Rates by a size in bytes, written as a text; in rising order."""
    items = list(given.items())[:MAX_COPIES] if isinstance(given, Mapping) else []
    kept = {
        size: rate
        for size, rate in items
        if isinstance(size, str) and size.isdecimal() and len(size) < 16 and _rate(rate)
    }
    return {size: kept[size] for size in sorted(kept, key=int) if int(size) > 0}


def _rate(given: object) -> bool:
    return isinstance(given, int | float) and 0 < given <= FASTEST
