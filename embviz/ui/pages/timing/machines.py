"""The machines that sweeps can run on: this one's card, and those of a cluster to choose from.

A visitor of a hosted server chooses none: the sweep goes to a free machine of the cluster, and no
name or address of it is shown.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from embviz.core.bounds import hosted
from embviz.core.machine import cores_written, environment
from embviz.core.wording import format_bytes
from embviz.request.markdown import literal
from embviz.timing.cases import CaseError
from embviz.timing.cluster import VARIABLE
from embviz.timing.cluster_sweep import Machine
from embviz.timing.phrases import capitalized, listed
from embviz.timing.runs import short_name
from embviz.timing.settings import HERE
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.timing import cluster, sweeps
from embviz.ui.parts.widgets import several
from embviz.ui.state.session import setting, state

LOOK_S = 0.3  # between two updates while a look at the cluster is under way
LISTED = 4  # machines whose facts are not folded
LOOKING = "Looking for the machines of the cluster …"
ANY = ""  # the first machine of the cluster that is free
_HELP = "The same sweep runs on each. A machine measures one sweep at a time."


def choose() -> None:
    """The sidebar's list of machines; nothing without a cluster, or where hosted."""
    if not cluster.named() or hosted():
        return
    watched = cluster.watched()
    watched.look()
    looks, looking = watched.looks, watched.looking or not watched.looks
    usable = [one.name for one in watched.machines if not one.trouble]
    if not watched.trouble:
        names = dict.fromkeys([HERE, *usable, *setting("machines")])
        several("Machines", "machines", names, help=_HELP)
    with st.container(gap="xsmall"):  # a fragment that redraws itself stays at its place
        queued_fragment(LOOK_S if looking else None, _facts, looks)
    if not watched.hopeless:
        icon = ":material/refresh:"
        st.button("Look again", on_click=watched.changed, type="tertiary", icon=icon)


def _facts(looks: int) -> None:
    """What each machine is; the whole page runs again when a look has ended."""
    watched = cluster.watched()
    if watched.looks != looks:
        st.rerun(scope="app")
    if watched.trouble:
        st.warning(literal(capitalized(watched.trouble)))
        if watched.command:
            st.code(watched.command, language=None, wrap_lines=True)
        st.caption(f"Sweeps run on this machine. {VARIABLE} names the cluster.")
        return
    every = sweeps.session_sweep().sweeps.items()
    mine = {name for name, sweep in every if sweep.active and sweep.state != "queued"}
    texts = [_here(watched.busy_here or HERE in mine)]
    texts += [_line(one, one.name in mine) for one in watched.machines]
    there = {HERE, *(one.name for one in watched.machines)}
    lost = [name for name in setting("machines") if name not in there] if watched.looks else []
    texts += [f"**{literal(name)}**: not there now" for name in lost]
    if not watched.looks:
        texts.append(LOOKING)
    troubles = [one.trouble for one in watched.machines if one.trouble]
    if len(texts) > LISTED:
        free = sum(one.free for one in watched.machines)
        with st.expander(f"{len(watched.machines)} machines and this one, {free} free"):
            st.caption("  \n".join(texts))
    else:
        st.caption("  \n".join(texts))
    for trouble in troubles:
        st.caption(f":material/warning: {literal(capitalized(trouble))}")


def chosen() -> list[str]:
    """What Start measures on: HERE and names, or ANY.

    Raises:
        CaseError: none is chosen.
    """
    if not cluster.named():
        return [HERE]
    if hosted():
        return [ANY]
    if state()["page"] != "timing" or cluster.watched().trouble:
        return [HERE]
    if not (names := setting("machines")):
        raise CaseError("no machine is chosen; choose at least one.")
    return [str(name) for name in names]


def not_asked() -> str:
    """Which chosen machines do not measure, because the cluster cannot be used; else empty."""
    watched = cluster.watched()
    others = [str(name) for name in setting("machines") if name != HERE]
    if hosted() or state()["page"] != "timing" or not (others and watched.trouble):
        return ""
    who, does = ("Machine", "does") if len(others) == 1 else ("Machines", "do")
    why = f"{watched.trouble} {watched.command}".strip()
    return f"{who} {listed(others)} {does} not measure: {why}"


def why_none() -> str:
    """Why no machine of the cluster can be used; empty where one can."""
    watched = cluster.watched()
    if watched.trouble or not watched.looks:
        return watched.trouble or LOOKING
    return "" if len(everyone()) > 1 else "No machine of the cluster can be used now."


def where() -> str:
    """Where a sweep runs that a lab asks for."""
    return "another machine" if hosted() and cluster.named() else "this server"


def everyone() -> list[str]:
    """HERE and all machines of the cluster that can measure."""
    return [HERE, *(one.name for one in cluster.watched().machines if not one.trouble)]


def _here(busy: bool) -> str:
    found = _environment()
    cores = found["physical_cores"] or found["logical_cores"]
    return _described(
        HERE, "busy" if busy else "free", found["cpu"], cores, found["gpus"], found["torch"]
    )


def _line(one: Machine, mine: bool) -> str:
    if one.trouble:
        return f"**{literal(one.name)}**: cannot be used"
    now = "free" if one.free and not mine else "busy"
    return _described(one.name, now, one.cpu, one.cores, one.gpus, one.torch)


def _described(
    name: str, now: str, cpu: str, cores: int, gpus: tuple[str, ...] | list[str], torch: str
) -> str:
    gpu = [short_name(gpus[0]) + (f" and {len(gpus) - 1} more" if gpus[1:] else "")] if gpus else []
    facts = [short_name(cpu), f"{cores} {'core' if cores == 1 else 'cores'}", *gpu]
    text = ", ".join(filter(None, [*facts, f"torch {torch}" if torch else ""]))
    return f"**{literal(name)}**: {now}. {literal(text)}"


def card() -> None:
    """The facts of this machine, if it is the one that measures."""
    if hosted() and cluster.named():
        st.markdown(
            "Other machines measure. The file of your run has the facts of the one that did."
        )
        return
    found = _environment()
    memory = (
        "" if found["memory_bytes"] is None else f", {format_bytes(found['memory_bytes'])} memory"
    )
    cores = found["physical_cores"] or found["logical_cores"]
    gpu = "GPU: " + ", ".join(found["gpus"]) if found["gpus"] else found["gpu_note"]
    clock = "" if found["mhz"] is None else f", {found['mhz']:,.0f} MHz"
    clock += f" (governor {found['governor']})" if found["governor"] else ""
    text = (
        f"{found['cpu']}, {cores} cores{clock}{memory}; torch {found['torch']}, "
        f"BLAS {found['blas']}, Python {found['python']}, {found['platform']}. {gpu}"
    )
    limits = []
    if found["affinity"] != cores_written(range(found["logical_cores"])):
        limits.append(f"This server may use cores {found['affinity']} (CPU affinity).")
    if found["cgroup_cores"] is not None:
        limits.append(f"Its cgroup allows {found['cgroup_cores']:g} cores.")
    names = {"Host": found["hostname"]}
    named = [f"{what}: {name}." for what, name in names.items() if name]
    st.markdown(literal(" ".join([text, *limits, *named])))


@cache
def _environment() -> dict[str, Any]:
    """The machine's facts, read once: a GPU's need a process."""
    return environment()
