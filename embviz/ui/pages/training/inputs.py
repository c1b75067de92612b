"""The gradient of the input: a soft one-hot row is trained, ids refuse one."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.comparison import Comparison
from embviz.figures.inputs import shares_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.scheduler import run_queue
from embviz.server.tables import layers_of
from embviz.training.inputs import TEMPERATURES, Picked, SoftRow, refusal_of_ids
from embviz.ui.pages.training.loss import own_weights, row_label
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.live_training import LiveTraining, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import cached, forget, setting

REDRAW_S = 0.25
BUDGET_S = 0.06
GOAL = 100  # steps of one press of Play
PACE = 4  # steps between two redraws, so that a reader sees the shares change
SHOWN_ROWS = 100
CSV_ROWS = 100_000  # a million would hold up the server for 3 s
MOST = 0.5  # a row with a larger share is picked
NEAR = 0.01  # of the first loss
COLDEST, HOTTEST = min(TEMPERATURES.values()), max(TEMPERATURES.values())
PAPERS = (
    "[Jang, Gu, Poole 2017](https://arxiv.org/abs/1611.01144)",
    "[Maddison, Mnih, Teh 2017](https://arxiv.org/abs/1611.00712)",
)


def draw(given: Inputs) -> None:
    """The training of a soft one-hot row towards the first token's row, beside the ids."""
    assert given.config is not None
    assert given.ids is not None
    if not given.ids.numel():
        raise ValueError("There is no token: type at least 1; the first one's row is the target.")
    token = int(given.ids.flatten()[0])
    segments(
        "Temperature",
        "temperature",
        help="The input is `softmax(logits / temperature)`, and the table is frozen. The lower the "
        "temperature, the nearer the same logits are to a one-hot row.",
    )
    temperature = TEMPERATURES[setting("temperature")]
    model = cached(
        "soft_row",
        (given.config, token, temperature, own_weights(given)),
        lambda: SoftRow(layers_of(given), token, temperature),
    )
    live = live_training("soft", model, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S, pace=PACE)
    live.show(partial(_draw_live, live, given))


def _draw_live(live: LiveTraining[SoftRow], given: Inputs, row: DeltaGenerator) -> None:
    model = live.model
    with run_queue.released():  # a million rows take 0.2 s
        now, picked, gradient = model.loss(), model.picked(), model.input_gradient()
    with row:
        live.step_button()
        live.play_button(f"Play {GOAL} steps")
        live.reset_button("Reset", partial(forget, "soft_row"))
        st.caption(progress(model, now))
    if model.failed:
        refuse(model.failed)
        return
    _shares(live, picked, given)
    verdict, details = _verdict(model, picked, given, now <= NEAR * _first_loss(model, now))
    st.markdown(f"**{verdict}**")
    if details:
        with st.expander("How near is it to a one-hot row?"):
            st.markdown(details)
    with st.expander("Why have ids no gradient?"):
        _gradients(gradient, given)
    if not live.is_running:
        _download(model)


def progress(model: SoftRow, now: float) -> str:
    """Steps so far and the losses; `now` is the loss of the next step."""
    is_longest = model.finished and not model.failed
    most = ", the most that one training may take here" if is_longest else ""
    falls = f"{_first_loss(model, now):.3g} → " if model.steps else ""
    return f"{model.steps:,} steps{most}, loss {falls}{now:.3g}"


def _first_loss(model: SoftRow, now: float) -> float:
    return model.history[0] if model.history else now


def _shares(live: LiveTraining[SoftRow], picked: Picked, given: Inputs) -> None:
    model, shares = live.model, live.model.shares()
    largest = shares.topk(min(SHOWN_ROWS, len(shares))).indices.tolist()
    rows = sorted({*largest, model.token})
    names = [row_label(given, one) for one in rows]
    known = given.vocabulary
    labels = [(known.label(one) if known else "") or str(one) for one in rows]
    title = f"The largest of {len(shares):,} shares is {_percent(picked.share)}"
    if not model.steps:
        title = f"At the start every share is 1 / {len(shares):,}"
    if len(rows) < len(shares):
        title += f"; {len(rows)} rows are drawn"
    chart(
        shares_figure(
            shares[rows].tolist(), labels, names, rows.index(model.token), title, chart_colours()
        ),
        key="soft_shares",
        picks=not live.is_running,
    )


def _percent(share: float) -> str:
    return "over 99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def _verdict(model: SoftRow, picked: Picked, given: Inputs, is_near: bool) -> tuple[str, str]:
    """One sentence about the picked row, and what is behind it."""
    name = literal(row_label(given, picked.token))
    if picked.share <= MOST and is_near:
        lower = " Choose a lower temperature." * (model.temperature > COLDEST)
        mixed = "No row is picked: a mixture of several rows already gives nearly the target."
        return mixed + lower, ""
    if picked.share <= MOST and not model.steps:
        target = literal(row_label(given, model.token))
        return f"No row is picked yet. The target is the first token's, {target}.", ""
    if picked.share <= MOST:
        share = _percent(picked.share)
        return f"No row is picked yet: the largest share is {share}, of {name}.", ""
    low, high = (float(model.shares(one).max()) for one in (COLDEST, HOTTEST))
    hard = "bitwise equal" if picked.hard.bitwise_equal else "not the same bits"
    target = "the target" if picked.token == model.token else "not the target"
    return (
        f"It picks {name}, {target}: share {picked.share:.7g}.",
        f"- All other shares together: {picked.rest:.2g}.\n"
        f"- `soft_row @ weight` and `weight[{picked.token}]` differ by at most "
        f"{picked.soft.max_abs_error:.2g}: {picked.soft.num_equal:,} of "
        f"{picked.soft.num_values:,} values have the same bits. With a true one-hot row: {hard}.\n"
        f"- The same logits give the row the share {low:.4f} at temperature {COLDEST:g}, and "
        f"{high:.4f} at {HOTTEST:g}.",
    )


def _gradients(gradient: Comparison, given: Inputs) -> None:
    assert given.ids is not None
    left, right = st.columns(2, gap="small")
    with left:
        st.markdown("**Ids have no gradient**")
        st.code("ids.requires_grad_()", language="python")
        st.markdown(literal(refusal_of_ids(given.ids)))
    with right:
        st.markdown("**A soft one-hot row has one**")
        st.code("soft_row.requires_grad_()\nloss.backward(); soft_row.grad", language="python")
        st.markdown(
            f"Shape {tuple(gradient.matmul.shape)}, largest |value| "
            f"{float(gradient.matmul.abs().max()):.3g}; "
            f"`G Wᵀ` by hand differs by at most {gradient.max_abs_error:.2g}."
        )
    st.markdown(  # the links of a caption are too faint
        "Gumbel-softmax adds sampling: `F.gumbel_softmax` adds random noise to the logits, so "
        f"each row is drawn at random, and the logits still have a gradient ({', '.join(PAPERS)})."
    )


def shares_csv(model: SoftRow, most: int) -> str:
    """Ids with their logit and share: the `most` largest shares, in the order of the ids."""
    shares = model.shares()
    rows = shares.topk(min(most, len(shares))).indices.sort().values
    columns = {"id": rows, "logit": model.logits.detach()[rows], "share": shares[rows]}
    text: str = pd.DataFrame({name: part.cpu() for name, part in columns.items()}).to_csv(
        index=False
    )
    return text


def _download(model: SoftRow) -> None:
    which = "All" if len(model.logits) <= CSV_ROWS else f"The largest {CSV_ROWS:,}"
    download(
        f"{which} shares (.csv)",
        partial(shares_csv, model, CSV_ROWS),
        "embviz_soft_row.csv",
        "text/csv",
    )
