"""How large should D be? The loss of models that differ in D alone, as they train."""

from __future__ import annotations

import weakref

import pandas as pd
import streamlit as st

from embviz.fact.characters import PRINTABLE
from embviz.system.shared_cache import digest, shared_cache
from embviz.text.markdown import literal
from embviz.text.refused import refusals_about
from embviz.training.charts import sizes_figure
from embviz.training.page import learnt_text
from embviz.training.page.page_training import page_training
from embviz.training.sizes import DIMS, EVERY, HARDLY, Sizes
from embviz.ui.elements.chart import chart
from embviz.ui.elements.download import download
from embviz.ui.elements.links import link
from embviz.ui.elements.theme import chart_colours
from embviz.ui.elements.widgets import fold
from embviz.ui.frame.body import framed
from embviz.ui.state.address import setting
from embviz.ui.state.session import cached

GOAL = 700  # steps of one press
POINTS = 4  # measured steps from one chart to the next while it trains
MOST_BYTES = 1_300_000  # bytes of a training of 100,000 characters after all its steps
KEPT_BYTES = 4 << 20  # bytes of the trainings that all sessions share


def draw() -> None:
    """The training, its chart and its verdict."""
    framed(_train, below=lambda: learnt_text.choose("The text"))


def _train() -> None:
    made_of = learnt_text.words(), setting("seed")
    with refusals_about("text"):
        page_training("size_steps", made_of, lambda: _sizes(*made_of), GOAL, _draw)


@shared_cache(KEPT_BYTES, lambda _: MOST_BYTES, digest)
def _sizes(words: str, seed: int) -> Sizes:
    """One for all sessions that ask for the same."""
    return Sizes(words, PRINTABLE, seed)


def _draw(shared: Sizes, runs: bool) -> None:
    sizes = shared.at(setting("size_steps"))
    st.caption(task(sizes))
    moment = chart_with(len(sizes.points)) if runs else sizes.steps
    shown = weakref.ref(shared), runs, moment, chart_colours()
    figure, said = cached(
        "sizes", shown, lambda: (sizes_figure(sizes, chart_colours()), verdict(sizes))
    )
    with st.container(key="sizes_answer", gap="xsmall"):
        chart(figure, key="sizes")
        st.markdown(f"**{literal(said)}**")
    fold("And for my model?", _yours, sizes)


def chart_with(points: int) -> int:
    """The number of the chart that is drawn with so many points while it trains, from 0.

    The second point is drawn at once: till then the chart shows what was before all steps.
    """
    return points // POINTS + (points > 1)


def task(sizes: Sizes) -> str:
    """The comparison, in one line of Markdown."""
    embedding, linear = f"nn.Embedding({sizes.rows}, D)", f"nn.Linear(D, {sizes.rows})"
    return (
        f"{len(DIMS)} models, each `{embedding}`, then `{linear}`: they read one character and "
        f"score the next. {learnt_text.source(sizes.count, sizes.left_out)}"
    )


def verdict(sizes: Sizes) -> str:
    """The D from which on a doubling hardly lowers the loss at the last measured step."""
    last = sizes.points[-1]
    if not last.step:
        low, high = min(last.losses), max(last.losses)
        return f"Random at first: with every D the loss is {low:.2f} to {high:.2f}."
    if last.enough is not None:
        said = f"From D = {last.enough} on, twice as many numbers lower the loss by less than"
        return f"{said} {HARDLY:g} on the text that is learnt from."
    before, after = DIMS[-2:]
    return (
        f"Doubling D from {before} to {after} still lowers the loss, by {last.falls[-1]:.2f}; "
        "it doubles the table."
    )


def _yours(sizes: Sizes) -> None:
    st.markdown(
        "Repeat this with your model: double D, train as long, compare the loss, and stop where it "
        "hardly falls. More tokens, and a model that reads more than one of them, need more "
        "numbers in a row. Compare on a text that was kept apart: on the text that is learnt from, "
        "as here, too large a D does not show."
    )
    link("timing", {"my_model": True}, label="What a larger D costs: *My model* on Timing")
    lines = [(point.step, *point.losses) for point in sizes.points]
    table = pd.DataFrame(lines, columns=["step", *(f"D = {dim}" for dim in DIMS)])
    download(
        f"Every {EVERY} steps (.csv)", table.to_csv(index=False), "embviz_sizes.csv", "text/csv"
    )
