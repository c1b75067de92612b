"""The panel *in a model*: a whole small model for what is typed, with its numbers and shapes.

For six letters and for characters the model is there, before and after it has learnt what comes
next. For other tables the picture has the shapes alone.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from embviz.fact import letters
from embviz.fact.inputs import Inputs
from embviz.fact.routes import BothRoutes
from embviz.playground.small_models import END, START, SmallModel, small_model
from embviz.text.markdown import literal
from embviz.text.wording import counted, isolate, quote
from embviz.ui.elements.links import link
from embviz.ui.elements.theme import style_sheet
from embviz.ui.elements.widgets import fold
from embviz.ui.state.address import setting

_STYLE = """
.in-a-model { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 4px; }
.in-a-model > * { display: flex; flex-direction: column; gap: 2px; text-align: center; }
.in-a-model .layer { border: 2px solid BORDER; border-radius: 6px; padding: 6px; }
.in-a-model .embedding { border-color: LOOKUP; }
.in-a-model .linear { border-color: MATMUL; }
.in-a-model .between { border-style: dashed; }
.in-a-model .layer b { font-weight: 600; }
.in-a-model .layer small { font-size: 12px; }
.in-a-model .shape { font: 12px "Source Code Pro", monospace; white-space: nowrap; }
.in-a-model .shape > span { display: block; unicode-bidi: plaintext; }
.in-a-model .arrow { font-size: 20px; line-height: 1; }
.next-token { display: grid; gap: 8px 12px; margin-top: 12px; align-items: end; }
.next-token { grid-template-columns: repeat(2, max-content) repeat(6, minmax(0, 6.5rem)); }
.next-token h4 { padding: 0; margin: 0; font-size: 14px; font-weight: 600; align-self: start; }
.next-token .row { font: 12px "Source Code Pro", monospace; white-space: pre; align-self: start; }
.next-token .guess { font-size: 13px; white-space: nowrap; }
.next-token .guess b { unicode-bidi: isolate; font-family: "Source Code Pro", monospace; }
.next-token :is(.bar, .bar > *) { display: block; height: 6px; }
.next-token .bar { background: BORDER; }
.next-token .bar > * { background: TEXT; }
@media (max-width: 640px) {
  .next-token { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .next-token :is(h4, .row) { grid-column: 1 / -1; }
}
"""
COLOURS = {
    "LOOKUP": "blueColor",
    "MATMUL": "orangeColor",
    "BORDER": "borderColor",
    "TEXT": "textColor",
}
ARROW = '<span class="arrow" aria-hidden="true">→</span>'
NUMBERS = 5  # Numbers in a line of a row.
WRITTEN = 12  # Characters of a text that is drawn.
# When to use which.
LINES = (
    "**Ids** (a word, a user, a product): `nn.Embedding`. It reads one row for each id; "
    "a one-hot through `nn.Linear` multiplies them all.",
    "**Numbers that were measured** (a temperature, pixels): `nn.Linear`. Each counts by its size.",
    "**Several ids at once, or how often each occurs**: `nn.EmbeddingBag`, or counts through "
    "`nn.Linear`. Both add up rows.",
    "**With a bias**, an `nn.Linear` in place of `nn.Embedding` gives the row plus the bias.",
)


def draw(both: BothRoutes, given: Inputs) -> None:
    """The picture, the numbers of the selected token, when to use which, and the code."""
    model = small_model(given)
    rows, dim = model.size if model else (both.table.num_embeddings, both.table.embedding_dim)
    drawn = picture(given, rows, dim)
    st.html(style_sheet(_STYLE, **COLOURS) + drawn)
    st.caption(
        f"The nn.Linear of the picture above, nn.Linear({both.table.num_embeddings:,}, "
        f"{both.table.embedding_dim:,}), could stand in place of nn.Embedding. This "
        f"nn.Linear({dim:,}, {rows:,}) is another one."
    )
    st.markdown("\n".join(f"- {line}" for line in LINES))
    if model:
        _numbers(model, both, given)
    else:
        st.markdown("With *six letters* or *characters* this model has numbers, and learns.")
    with st.container(horizontal=True, gap="medium"):
        link("context", {"chapter": "contextual"}, label="What stands between them: attention")
        link("bag_of_words", label="Counts: see both give the same")
    st.code(f"{letters.IMPORTS}\n\n{letters.model_class(rows, dim)}", language="python")
    if model and model.has_program:
        fold("The words, and the training that prints these numbers", _program, both, given)
    fold("Tied: can nn.Linear use the same table?", _tied, rows, dim)


def _numbers(model: SmallModel, both: BothRoutes, given: Inputs) -> None:
    """The row of the selected token and the likeliest next ones, before and after training."""
    ids = both.ids.flatten().tolist()
    if not ids:
        return
    token = ids[min(int(setting("token")), len(ids) - 1)]
    if token >= model.size[0]:
        st.markdown("The selected token is `<unk>`: this model has no row for it.")
        return
    st.html(guesses(model, given, token))
    st.markdown(f"{sentence(model, given, token)} {_start(model, both)}")


def sentence(model: SmallModel, given: Inputs, token: int) -> str:
    """The likeliest token after this one, before and after training, and the text's own."""
    before, after = model.likeliest(token, START)[0], model.likeliest(token, END)[0]
    most, count = model.most_often(token)
    total = int(model.counts[token].sum())
    name, first, now, then = (
        literal(isolate(given.label(one))) for one in (token, before.token, after.token, most)
    )
    said = (
        f"After *{name}* the model expects *{first}* first "
        f"({before.share:.0%}), by chance. After {model.steps} steps it expects "
        f"*{now}* ({after.share:.0%})"
    )
    if not count:
        return f"{said}, though *{name}* is not in its text."
    return (
        f"{said}. In its text, {model.text}, *{then}* follows "
        f"{count:,} of {total:,} times ({count / total:.0%})."
    )


def _start(model: SmallModel, both: BothRoutes) -> str:
    """Whose rows the model begins with."""
    weight, rows = both.layers.embedding.weight.detach(), model.learnt.rows
    if weight.shape == rows[START].shape:
        if weight.equal(rows[START]):
            return "Its rows before training are those of the picture above."
        if weight.equal(rows[END]):
            return "Its rows after training are those of the picture above."
    return f"It has rows of its own, drawn with seed {both.table.seed}."


def guesses(model: SmallModel, given: Inputs, token: int) -> str:
    """HTML: the row of a token and the likeliest next tokens, before and after training."""
    parts = list[str]()
    for title, state in (("before training", START), (f"after {model.steps} steps", END)):
        numbers = [f"{number:6.2f}" for number in model.row(token, state)]
        lines = [numbers[place : place + NUMBERS] for place in range(0, len(numbers), NUMBERS)]
        row = escape("\n".join("".join(line) for line in lines))
        parts.append(f"<h4>{title}</h4><span class=row>row {token}:\n{row}</span>")
        for guess in model.likeliest(token, state):
            parts.append(
                f'<span class="guess" title="score {guess.score:.2f}"><b translate="no">'
                f"{escape(given.label(guess.token))}</b> {guess.share:.0%}"
                f"<br>score {guess.score:.2f}"
                f'<span class="bar"><span style="width: {guess.share:.1%}"></span></span></span>'
            )
    label = escape(f"After {given.label(token)}: the likeliest next tokens", quote=True)
    return f'<div class="next-token" role="group" aria-label="{label}">{"".join(parts)}</div>'


def picture(given: Inputs, rows: int, dim: int) -> str:
    """HTML: text -> ids -> nn.Embedding -> layers -> nn.Linear -> scores."""
    layers = [
        _layer("embedding", f"nn.Embedding({rows:,}, {dim:,})", "reads a row for each id"),
        _layer("between", "layers", "none here; in GPT-2 12 blocks with attention"),
        _layer("linear", f"nn.Linear({dim:,}, {rows:,})", "scores each next token"),
    ]
    shape = tuple(given.ids.shape)
    flows = {"ids": shape, "rows": (*shape, dim), "vectors": (*shape, dim)}
    parts = list[str]()
    if given.text is not None:
        parts.append(_flow("text", quote(given.text, WRITTEN)))
    for flow, layer in zip(flows.items(), layers, strict=True):
        parts += [_flow(*flow), layer]
    parts.append(_flow("scores", (*shape, rows), arrow=""))
    return f'<div class="in-a-model" role="group" aria-label="A model">{"".join(parts)}</div>'


def _layer(kind: str, name: str, does: str) -> str:
    return f'<div class="layer {kind}"><b>{escape(name)}</b><small>{escape(does)}</small></div>'


def _flow(name: str, shape: object, arrow: str = ARROW) -> str:
    said = f'<span class="shape">{name} <span>{escape(str(shape))}</span></span>'
    return f'<div class="flow">{said}{arrow}</div>'


def _program(both: BothRoutes, given: Inputs) -> None:
    """The script that trains the model of the six letters, and prints what is shown above."""
    ids = both.ids.tolist()
    printed = (
        f"model.embedding(torch.tensor({ids}))",
        f"model(torch.tensor({ids})).softmax(-1)",
    )
    st.code(letters.program(given.table.seed, *printed), language="python")


def _tied(rows: int, dim: int) -> None:
    """The meaning of tied weights."""
    st.markdown(
        f"This `nn.Linear` is another one than in the picture above: it comes last, and gives "
        f"scores. Its weight has the shape of the table, {rows:,} × {dim:,}. So `linear.weight = "
        f"embedding.weight` lets both layers share one weight: the score of an id is then its row "
        f"times the vector that comes in. Here they have two: {counted(2 * rows * dim, 'number')}."
    )
