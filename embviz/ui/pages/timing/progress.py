"""How far the sweeps of a session are, in one line beside Start or Stop."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from embviz.request.markdown import literal
from embviz.timing.cluster_sweep import RemoteSweep
from embviz.timing.phrases import capitalized
from embviz.timing.sweep import Sweep
from embviz.ui.pages.timing import sweeps

NAMED = 3  # machines; of more the line has counts
STARTING = (
    "the measuring process starts: it imports PyTorch, which takes some seconds the first time"
)


def waits(every: Mapping[str, Sweep]) -> bool:
    """Whether no sweep has begun, and others go before each."""
    active = [sweep for sweep in every.values() if sweep.active]
    return bool(active) and all(one.state == "queued" and one.place[0] > 1 for one in active)


def show_progress(session: sweeps.SessionSweep, with_recorded: bool) -> None:
    """A bar while a sweep waits or runs, else a sentence."""
    if not session.sweeps:
        recorded = sweeps.recorded() if with_recorded else None
        shown = f"A recorded run of {recorded.label}. " if recorded else "Nothing is measured yet. "
        st.caption(literal(f"{shown}Press Start to measure yours."))
        return
    every = session.sweeps
    share = sum(_share(sweep) for sweep in every.values()) / len(every)
    if len(every) == 1:
        (sweep,) = every.values()
        text = capitalized(_words(sweep))
    elif len(every) <= NAMED:
        text = "; ".join(f"{name}: {_short(sweep)}" for name, sweep in every.items())
    else:
        text = _counted(every)
    if session.active:
        st.progress(min(1.0, share), text=literal(text))
    else:
        st.caption(literal(text))


def _share(sweep: Sweep) -> float:
    done, total = sweep.rounds
    return done / max(1, total) if sweep.active else 1.0


def _counted(every: Mapping[str, Sweep]) -> str:
    states = [sweep.state for sweep in every.values()]
    kinds = {"wait": ("queued", "starting"), "measure": ("running",), "are done": ("done",)}
    kinds |= {"stopped": ("stopped",), "failed": ("failed",)}
    counts = {words: sum(states.count(one) for one in those) for words, those in kinds.items()}
    parts = [f"{count} {words}" for words, count in counts.items() if count]
    return f"{len(every)} machines: {', '.join(parts)}"


def _short(sweep: Sweep) -> str:
    """The state of one of several sweeps."""
    if sweep.state == "queued":
        return _waiting(sweep)
    _, total = sweep.rounds
    return {
        "starting": "starts",
        "running": _round(sweep),
        "done": f"done, {total} rounds in {sweep.wall_s:.1f} s",
    }.get(sweep.state, _ended(sweep))


def _words(sweep: Sweep) -> str:
    _, total = sweep.rounds
    cases = "1 case" if len(sweep.cases) == 1 else f"{len(sweep.cases)} cases"
    if sweep.state == "queued":
        return _waiting(sweep)
    left = "" if sweep.seconds_left is None else f", {sweep.seconds_left:.0f} s left"
    return {
        "starting": STARTING,
        "running": f"{_round(sweep)} through {cases}{left}",
        "done": f"{cases} in {sweep.wall_s:.1f} s, {total} rounds",
        "stopped": f"stopped: {sweep.cut}" if sweep.cut else f"{_ended(sweep)} through {cases}",
    }.get(sweep.state, _ended(sweep))


def _round(sweep: Sweep) -> str:
    done, total = sweep.rounds
    return f"round {min(done + 1, total)} of {total}" if total else "first round"


def _ended(sweep: Sweep) -> str:
    """How far a sweep came that was stopped or failed; the page shows the reason below."""
    done, total = sweep.rounds
    when = (
        f"after {done} of {total} rounds" if sweep.results and total else "before its first point"
    )
    return f"{sweep.state} {when}"


def _waiting(sweep: Sweep) -> str:
    place, length = sweep.place
    position = f"position {place} of {length}"
    if isinstance(sweep, RemoteSweep) and sweep.machine is None:
        free = "its machine" if sweep.asked_for else "a free machine"
        return f"waits for {free}: {position} in this server's queue"
    where = "the same" if isinstance(sweep, RemoteSweep) else "this"
    return f"another sweep runs on {where} machine: {position}" if place > 1 else STARTING
