"""A real Sentence-BERT on the page: its first layer is an nn.Embedding, its last is contextual.

The page opens with a recorded run. Where the library and its model are, a button loads the model
once for the process, and all sessions share it; so does a link with other sentences. The runs of a
session's sentences stay in that session. Both are drawn alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
import streamlit as st
import torch
from torch.nn import functional as F

from embviz.context.layers_chart import layers_figure
from embviz.context.page.strips.component import draw_strips
from embviz.context.page.strips.drawing import Band, LetterStrips, Strips
from embviz.context.page.strips.text import alike, numbered, same_bits
from embviz.context.pieces import MAX_SENTENCES
from embviz.context.sentence import ModelError, SentenceModel, load, missing, model_name
from embviz.context.shared_word import SharedWord, cosine, recorded, with_senses
from embviz.server.scheduler import time_slice
from embviz.text.markdown import literal
from embviz.text.refused import Refused, refusals_about
from embviz.text.wording import isolate
from embviz.ui.elements.chart import chart
from embviz.ui.elements.theme import chart_colours
from embviz.ui.elements.widgets import PAUSE, fold, text_line, text_lines
from embviz.ui.frame.body import framed
from embviz.ui.state.address import setting, settings, usual
from embviz.ui.state.changes import refuse_long
from embviz.ui.state.session import cached

OWN = "sentences", "word"
TERMS = ("cosine",)  # words that the headline's tooltip explains
SHOWN_DIMS = 24  # numbers of a strip
DRAWN = 3  # Sentences with strips: the first ones.
MAX_WAIT_S = 20.0  # Seconds to wait for a time slice.
POOL = "pool"  # The name of a sentence's vector, where the model does not say how it pools.
POOLED = -1  # In place of the id of a token: the strip of the sentence's own vector.

_loaded: dict[str, SentenceModel] = {}


@st.cache_resource(show_spinner="Loading the model, which takes some seconds")
def _model(name: str) -> SentenceModel:
    _loaded[name] = load(name)
    return _loaded[name]


def claim() -> str:
    """The headline: of the recorded run what it shows, of other sentences what holds for all."""
    if _are_read():
        return "A token has one row; what a Sentence-BERT makes of it depends on the sentence."
    return "One word, one row; a Sentence-BERT on top tells senses apart."


def draw() -> None:
    """A recorded run, or the user's sentences and one word that stands in all of them."""
    if _are_read():
        _load()
    if model_name() in _loaded:
        framed(lambda: _shown(_own_run()), above=_fields)
    else:
        _shown(recorded(), _offer)


def can_read() -> bool:
    """Whether sentences can be read here, now or after the model is loaded."""
    return not missing(model_name())


def _are_read() -> bool:
    """Whether the model is loaded, or is here and a link has other sentences."""
    return model_name() in _loaded or (can_read() and _are_own())


def _are_own() -> bool:
    """Whether the address has other sentences than the recorded ones, or another word."""
    return settings(OWN) != usual(OWN)


def _load() -> None:
    """Load the model; where it is there and broken, say so."""
    try:
        _model(model_name())
    except ModelError as error:
        st.info(f"{literal(str(error))} The recorded run stays.")


def _fields() -> None:
    left, right = st.columns([3, 1], gap="medium")
    with left:
        label = f"Sentences, one a line, up to {MAX_SENTENCES}"
        text_lines(label, "sentences", height=100, help=None)
    with right:
        text_line("A word that all of them have", "word", live=PAUSE, help=None)


def _own_run() -> SharedWord:
    """The model's run of the user's sentences."""
    sentences = [line.strip() for line in setting("sentences").splitlines() if line.strip()]
    word = setting("word")
    with refusals_about("sentences"):
        refuse_long(*OWN)
        made_of = model_name(), *sentences, word
        return cached("sentences", made_of, lambda: with_senses(_live(sentences, word)))


def _live(sentences: list[str], word: str) -> SharedWord:
    # An object of its own: two sessions may use the model at once.
    with time_slice(object(), wait_s=MAX_WAIT_S) as is_left:
        if not is_left():
            raise Refused("Too many sessions are computing at once. Wait a little and press a key.")
        return _loaded[model_name()].run(sentences, word)


def _shown(run: SharedWord, below: Callable[[SharedWord], None] | None = None) -> None:
    colours = chart_colours()
    with st.container(key="sentence_verdict"):
        st.markdown(verdict(run))
        if below is not None and _are_own() and not can_read():
            st.caption("These are recorded sentences: those of this link are not read here.")
    left, right = st.columns([1, 1.7], gap="small")
    with left:
        if run.pairs:
            made_of = run, (*colours,)
            figure = cached("sentence_chart", made_of, lambda: layers_figure(run, colours))
            chart(figure, "sentence_layers")
        st.markdown(on_top(run))
    with right:
        draw_strips(cached("sentence_strips", run, lambda: strips_of(run)), "sentence_strips")
    if below is not None:
        below(run)
    fold("What does each layer add?", _by_layer, run)


def _offer(run: SharedWord) -> None:
    """How to have one's own sentences read: a press, or folded, what that needs."""
    if not can_read():
        fold("Your own sentences", _needs, run, of=OWN)
    elif st.button("Your own sentences", icon=":material/edit:"):
        _load()
        if model_name() in _loaded:
            st.rerun()


def _needs(run: SharedWord) -> None:
    st.markdown(
        f"What you see was recorded with `{run.model.rpartition('/')[2]}` on {run.date}.  \n"
        f"To read others, the computer that runs embviz needs {missing(model_name())}."
    )


def on_top(run: SharedWord) -> str:
    """How a sentence's vector differs from a row."""
    return (
        "A sentence's vector, or an API's, is no row: here the "
        f"**{run.pooling or POOL}** of the outputs."
    )


def verdict(run: SharedWord) -> str:
    """The result of the rows and of the last layer, in one sentence of Markdown."""
    word, count = f"**{literal(isolate(run.word))}**", len(run.sentences)
    if count < 2:
        return f"{word} in one sentence: write another sentence with it, and compare."
    same = same_bits(torch.stack([sentence.static for sentence in run.sentences]))
    tokens = max(len(sentence.word) for sentence in run.sentences)
    rows = "one row" if tokens == 1 else f"the mean of the same {tokens} rows"
    beginning = f"{word}: {rows if same else 'different rows'}. "
    beginning += f"After {run.depth} layers: "
    last = {pair: run.cosines(pair)[-1] for pair in run.pairs}
    same_sense = [value for pair, value in last.items() if run.same_sense(pair)]
    others = [value for pair, value in last.items() if run.same_sense(pair) is False]
    if not (same_sense and others):
        said = f"{beginning}cosine **{_ends(last.values())}**."
        return (
            f"{said} Add one with the word in the same sense: a yardstick." if count < 3 else said
        )
    less = ": less alike" if max(others) < min(same_sense) else ""
    said = f"{beginning}same sense **{_ends(same_sense)}**, other sense **{_ends(others)}**{less}."
    if run.unrelated:
        low, high = (f"{end:.2f}".replace("-", "−") for end in run.unrelated[-1])
        said += f" Unrelated words: {low} to {high}."
    return said


def _ends(values: Iterable[float]) -> str:
    """The smallest and the largest, or one of them if they look equal."""
    low, *_, high = sorted(values) * 2
    return " to ".join(dict.fromkeys(f"{value:.3f}" for value in (low, high)))


def strips_of(run: SharedWord) -> Strips:
    """The first sentences: of each piece its row, and its vector above all layers.

    At the end of each stands the vector of the whole sentence, which has no row.
    """
    sentences, pooling = run.sentences[:DRAWN], run.pooling or POOL
    lines = [len(sentence.ids) + 1 for sentence in sentences]
    ids = [token for sentence in sentences for token in (*sentence.ids, POOLED)]
    labels = [piece for sentence in sentences for piece in (*sentence.pieces, f"= {pooling}")]
    of = [number for number, many in enumerate(lines, start=1) for _ in range(many)]
    rows = torch.cat([_with(sentence.rows, torch.nan) for sentence in sentences])
    vectors = torch.cat([_with(sentence.vectors, sentence.whole) for sentence in sentences])
    low, high = (F.normalize(values.double(), dim=1)[:, :SHOWN_DIMS] for values in (rows, vectors))
    last = f"layer {run.depth}"
    bands = [Band("row", low), Band("layers", high - low, shown=False), Band(last, high)]
    told = alike(
        ids, labels, rows, lambda at: f"in {numbered('sentence', sorted({of[k] for k in at}))}"
    )
    for token in told:
        places = [k for k, other in enumerate(ids) if other == token]
        if (many := len(places)) > 1:
            between = cosine(vectors[places])[*torch.triu_indices(many, many, 1)]
            told[token][-1] += f" Cosine on top: {_ends(between.tolist())}."
    told[POOLED] = ["", pooling, f": the sentence's vector, made of those after {last}. No row."]
    drawn = LetterStrips(labels, ids, bands, [], told, lines=lines)
    return Strips(drawn, lit=sentences[0].word[0])


def _with(vectors: torch.Tensor, more: torch.Tensor | float) -> torch.Tensor:
    """These vectors and one more."""
    return torch.cat([vectors, torch.zeros_like(vectors[:1]) + more])


def _by_layer(run: SharedWord) -> None:
    same = "the same bits" if run.equal == run.values else "not all the same bits"
    st.markdown(
        f"**The first layer is `{run.first_layer}`.** For these tokens, each id once, a matmul "
        f"gives {same} as its lookup: {run.equal:,} of {run.values:,} values."
    )
    if len(run.sentences) > 1:
        names = [f"sentences {a + 1} and {b + 1}" for a, b in run.pairs]
        layers = ["row", "+ place", *(f"layer {k}" for k in range(1, run.depth + 1))]
        cosines = pd.DataFrame(map(run.cosines, run.pairs), names, layers)
        digits = st.column_config.NumberColumn(format="%.3f")
        st.dataframe(cosines, column_config=dict.fromkeys(cosines.columns, digits))
        st.caption(
            "Compare pairs within a column: each layer has a scale of its own. *+ place*: the row "
            "and that of its place, scaled by LayerNorm."
        )
        if run.unrelated:
            st.caption(
                f"The grey band: 90 % of {run.unrelated_pairs} pairs of words that have nothing to "
                "do with each other, each in a sentence of its own."
            )
        st.caption(
            f"Sentences 1 and 2 as a whole: cosine {float(run.bag_cosines[0, 1]):.3f} by the mean "
            f"of their rows, {float(run.sentence_cosines[0, 1]):.3f} by the model "
            f"({run.pooling or 'pooled'})."
        )
    for number, sentence in enumerate(run.sentences, start=1):
        pieces = literal(" ".join(isolate(sentence.pieces[k]) for k in sentence.word))
        said = {
            f"the word has the mean of the tokens {pieces}": len(sentence.word) > 1,
            f"the first of {sentence.occurrences} counts": sentence.occurrences > 1,
            f"the last {sentence.cut} tokens are not read": sentence.cut,
        }
        if any(said.values()):
            st.caption(f"Sentence {number}: {', '.join(filter(said.get, said))}.")
    made = f"Recorded in float16 on {run.date}; {run.made}. " if run.date else ""
    st.caption(
        f"{made}The model is `{run.model}`. A strip: the first {SHOWN_DIMS} of "
        f"{run.sentences[0].rows.shape[1]} numbers, of the vector at length 1."
    )
