"""The training page without a browser: what it sends and says is true, and what it refuses."""

import json
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from embviz.fact.characters import PRINTABLE
from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs, read_inputs
from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.picture.part import part_json
from embviz.settings.given import defaults
from embviz.settings.pages import SETTINGS
from embviz.training.inputs import side_by_side
from embviz.training.page import many, parts, write
from embviz.training.page import sizes as sizes_page
from embviz.training.sizes import EVERY, Sizes
from embviz.training.writing import Writing
from tests.ui.headless import open_page, refused, sent, take_fix, unescaped, value


def given(**own: Any) -> tuple[Inputs, Any]:
    """Inputs and a reader of settings."""
    values = defaults(SETTINGS) | {"text": "WTF does nn.Embedding do?"} | own
    return read_inputs(values), values.__getitem__


def opened(**query: str) -> AppTest:
    """The training page at an address."""
    return healthy(open_page("training", **query))


def healthy(app: AppTest) -> AppTest:
    """The page, without an error on it."""
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


def film_of(**own: Any) -> Any:
    """What *One step* sends."""
    return json.loads(part_json(parts.ONE_STEP, *given(**own)))


def strip(panel: Any, row: int, columns: int = 10) -> np.ndarray:
    """The numbers of a strip in each state."""
    return np.frombuffer(b64decode(panel[2][row]["values"]), "<f4").reshape(-1, columns)


def said(app: AppTest) -> str:
    """Markdown and captions of a page."""
    return "\n".join(unescaped(one.value) for one in [*app.markdown, *app.caption])


def until(app: AppTest, words: str) -> AppTest:
    """The page, run until it says these words."""
    for _ in range(300):
        if words in said(app):
            return app
        healthy(app.run())
    raise AssertionError(said(app))


def test_one_step_opens_before_the_first_step() -> None:
    """State 0 has row, target and gradient, and no new row; state k shows the k-th step."""
    shown = film_of(target="0.25")
    by_hand = [tie(Table(100, 10)).embedding.weight[58].detach().numpy()]
    for _ in range(20):
        by_hand.append(by_hand[-1] - 0.5 * 2 * (by_hand[-1] - 0.25) / 10)
    lookup, matmul = shown["panels"]
    target, row, gradient, new = (strip(lookup, k) for k in range(4))
    assert (target == 0.25).all()
    assert np.isnan(new[0]).all()
    np.testing.assert_allclose(row, [by_hand[0], *by_hand[:-1]], atol=1e-6)
    np.testing.assert_allclose(gradient, 0.2 * (row - 0.25), atol=1e-6)
    np.testing.assert_array_equal(new[1:], (row - np.float32(0.5) * gradient)[1:])
    np.testing.assert_array_equal(strip(lookup, 7), np.vstack([row[:1], new[1:]]))
    titles = [panel[:2] + panel[3:] for panel in (lookup, matmul)]  # D x V is drawn as columns
    assert titles == [
        ["nn.Embedding (lookup): weight, row 58", "blue", False],
        ["nn.Linear (matmul): weight, column 58", "orange", True],
    ]
    labels = [one["label"] for one in lookup[2]]
    assert labels[:5] == ["target", "row", "gradient", "new row", "'T' 55"]
    assert matmul[2][1]["label"] == "column"
    groups = [(one["group"], one["kind"]) for one in lookup[2]][3:8]
    around = [(55, "small"), (56, "small"), (57, "small"), (58, "looked")]
    assert groups == [(58, ""), *around]
    assert lookup[2][3]["said"] == "weight[58, {c}]: {1} − 0.5 × {2} = {3}"
    assert matmul[2][4]["said"] == "weight[{c}, 55]: {4}"
    assert lookup[2][7]["notes"][0] == f"{np.abs(gradient[0]).max():.2f}"
    assert shown["target"] == ["0.25"] * 10
    first, after = (float(np.square(by_hand[k] - 0.25).mean()) for k in (0, 3))
    assert shown["said"][0].endswith(f"is {first:.4g}: the mean squared distance to the target.")
    assert shown["said"][3] == (
        f"The loss goes from {first:.4g} to {after:.4g}. "
        "All 10 new numbers are the same in both, bit for bit. "
        "99 of 99 other rows stand still: their gradient is exactly 0."
    )


STARTS = {
    "learnt": "Learnt rows at first",
    **dict.fromkeys(("own", "vectors"), "Your own numbers at first"),
}
STATES: list[dict[str, Any]] = [
    *({"init": name} for name in INITS if name not in (*STARTS, "trained")),
    {"rate": "100x", "loss": "next", "dtype": "float64", "dim": 20},
    {"init": "own", "weights": "1 2\n3 4\n0 0", "input": "ids", "ids": "2 1", "target": "-1.5"},
    {"init": "vectors", "weights": "cat 1 2\ndog 3 4", "text": "dog cat", "target": "ramp"},
    {"init": "learnt", "vocab": "custom", "chars": "abcdef", "text": "cab", "rows": 6, "dim": 3},
    {"text": "aé", "dim": 1, "token": 9, "rows": 101, "target": "stripes"},
]


@pytest.mark.parametrize("own", STATES, ids=str)
def test_both_layers_learn_the_same_numbers_and_only_in_the_row_looked_up(own: Any) -> None:
    """The headline, what the start is called, and which numbers of a target can be pressed."""
    inputs, of = given(**own)
    film = json.loads(part_json(parts.ONE_STEP, inputs, of))
    columns, others = film["columns"], f"{inputs.table.num_embeddings - 1:,}"
    for k, row in enumerate(film["panels"][0][2]):
        lookup, matmul = (strip(panel, k, columns) for panel in film["panels"])
        np.testing.assert_array_equal(lookup, matmul)
        if row["kind"] == "small":
            assert (lookup == lookup[0]).all()
            assert {*row["notes"]} == {"0"}
    start = STARTS.get(inputs.table.init, "Random at first")
    assert film["said"][0].startswith(f"{start}. The loss is ")
    still = f" {others} of {others} other rows stand still: their gradient is exactly 0."
    assert all(still in said for said in film["said"][1:])
    is_pressed = of("loss") == "mse" and inputs.table.embedding_dim <= 16
    assert ("Press a number" in film["task"]) == is_pressed
    assert len(film["target"]) == (inputs.table.embedding_dim if is_pressed else 0)


def test_one_step_follows_the_letter_the_rate_and_the_loss() -> None:
    """A token beyond the text is its last; the loss of the next token has no target."""
    shown = film_of(token=99, rate="10x")
    assert (shown["selected"], shown["tokens"][24:]) == (24, ["?"])
    assert shown["panels"][0][2][3]["said"].endswith("{1} − 5 × {2} = {3}")
    following = film_of(loss="next")
    assert following["panels"][0][2][0]["label"] == "row"
    assert following["task"] == "Task: of all tokens, score 'T' highest after 'W'."
    assert following["said"][0].endswith(": how unlikely 'T' is after 'W'.")
    wide = film_of(dim=20)
    assert (wide["columns"], wide["cut"]) == (16, "; 16 of 20 drawn")
    assert len(strip(wide["panels"][0], 1, 16)) == 21
    one_row = film_of(input="ids", ids="0 0", rows=1)
    assert one_row["tokens"] == ["0", "0"]
    assert "other rows" not in one_row["said"][1]


def test_wide_rows_offer_a_rate_that_shows() -> None:
    """A mean over many numbers has small gradients; the press takes a hundred times the rate."""
    press = "100 times the rate"
    app = open_page("training", text="ab", dim="100")
    next(one for one in app.button if one.label == press).click().run()
    assert value(app, "rate") == "100x"
    for again in (app, open_page("training", text="ab")):
        assert press not in [one.label for one in again.button]


def test_rows_nobody_looks_up_move_where_the_strips_say_so() -> None:
    """Under Adam a row moves on after its last lookup; SGD and SparseAdam leave it."""
    shown = json.loads(part_json(parts.UNSEEN, *given(text="abcab", dim=4)))
    assert [one[0] for one in shown["panels"]] == ["SGD", "Adam", "SparseAdam"]
    begun = "Random at first. The first of these rows is never looked up. Press Play."
    never = "The row that is never looked up stays where it is, under all three."
    later = "After its last lookup a row moves on under Adam: it remembers former gradients."
    assert [shown["said"][k] for k in (0, 10, 11)] == [begun, never, f"{never} {later}"]
    for panel, moving in zip(shown["panels"], ((0, 0, 1), (0, 1, 1), (0, 0, 1)), strict=True):
        assert [one["label"] for one in panel[2]] == [
            "'0' 0, never looked up",
            "'a' 10, looked up in the first 10",
            "'b' 11, looked up in every step",
        ]
        for row in range(3):
            changed = (np.diff(strip(panel, row, 4), axis=0) != 0).any(axis=1)
            assert panel[2][row]["notes"] == ["", *("moves" if one else "still" for one in changed)]
            assert changed[11:].any() == moving[row]
    every = json.loads(part_json(parts.UNSEEN, *given(input="ids", ids="0 1", rows=2)))
    labels = [one["label"] for one in every["panels"][0][2]]
    assert labels == ["0, looked up in the first 10", "1, looked up in every step"]
    assert [every["said"][k] for k in (10, 40)] == ["", later]


def test_learnt_rows_are_too_many_where_hosted_and_a_press_trains_random_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their sizes cannot be chosen, so the refusal asks for no other ones."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page("training", lesson="step", loss="next", world="words")
    app.session_state["fold And after 100 steps?"] = True
    (said,) = {*refused(app.run())}
    assert "2,801 × 384 has 1,075,584 numbers" in said
    assert "takes up to 500,000. The sizes of learnt rows are fixed" in said
    take_fix(app, "Use random weights")
    assert refused(healthy(app)) == []
    assert app.selectbox(key="vocab").value == "words"
    assert app.number_input(key="dim").value == 10


def test_many_steps_play_when_unfolded_and_for_another_setting() -> None:
    """They play once; Reset waits at step 0; another optimizer or text trains as many steps."""
    app = opened(text="abcab", dim="4")
    assert not app.get("plotly_chart")
    app.session_state["fold And after 100 steps?"] = True
    until(healthy(app.run()), "100 steps. 97 rows never looked up: no number moved.")
    healthy(app.button(key="steps_undo").click().run())
    assert "Both layers start from the same bits." in said(app)
    app.button(key="steps_play").click()
    until(healthy(app.run()), "100 steps")
    app.selectbox(key="optimizer").set_value("adamw")
    until(healthy(app.run()), "97 rows never looked up: a number moved by up to 0.")
    assert any(one.proto.label == "Rows nobody looks up" for one in app.get("page_link"))
    changes = {"text": "abcabd", "batches": "minibatch", "rate": "10x", "target": "1", "dim": "5"}
    for name, typed in changes.items():
        before = app.session_state["_embviz"].cached["training"][1]
        app.query_params[name] = typed
        assert healthy(app.run()).session_state["_embviz"].cached["training"][1] is not before


def test_the_verdict_says_what_parts_the_weights() -> None:
    """Rounding is named where it has parted them; another rule is named a rule."""
    for optimizer, what in (("sparse_adam", "Two rules move"), ("sgd_sparse", "Rounding moves")):
        training = side_by_side(*given(text="abcab" * 20, batches="minibatch", optimizer=optimizer))
        training.advance(200)
        found = training.furthest
        most = f"{found.max_abs_weight_difference:.3g}, at step {found.step} of 200"
        words = f"{what} the two weights apart, by at most {most}"
        assert many.verdict(training).startswith(words)


def test_what_it_writes_stands_beside_the_map_from_the_first_step_to_the_last() -> None:
    """Both are of the last frame; the temperature counts. The fold has the loss of a character."""
    text = "the cat sat on the mat"
    app = until(opened(lesson="write", corpus="own", text=text, char_dim="4"), "300 steps")
    model = Writing(text, PRINTABLE, 4, 123)
    model.advance(300)
    for temperature in ("0.5", "1"):
        app.segmented_control(key="temperature").set_value(temperature)
        healthy(app.run())
        (shown,) = [one.value for one in app.markdown if one.value.startswith("What it writes:")]
        *parts, last = shown.split("\n\n**")
        written = model.vocabulary.decode(model.frames[-1].written[temperature])
        assert last == f"step 300**  \n{write.as_code(written)}"
    begins = [one.split("**")[0] for one in parts[1:]]
    assert begins == ["step 0, random at first", "step 10", "step 100"]
    app.session_state["fold How low can the loss be?"] = True
    loss = f"{model.points[-1].loss_embedding:.3f} nats a character; it starts near ln(100) = 4.61,"
    assert loss in said(app.run())
    _, below = (one.proto.spec for one in app.get("plotly_chart"))
    assert f"limit {model.limit:.3f}" in below


TEXTS = "the cat sat on the mat", "Zoë 12, 34; \t\n", "bcbcbc"


@pytest.mark.parametrize(
    ("text", "dim", "steps", "when"),
    [
        (TEXTS[0], 2, 100, ""),
        (TEXTS[1], 16, 100, ""),
        (TEXTS[2], 3, 100, ""),
        (TEXTS[1], 3, 20, "At step 10, "),
        (TEXTS[1], 3, 0, ""),
    ],
)
def test_learn_to_write_says_what_its_model_does(
    text: str, dim: int, steps: int, when: str
) -> None:
    """Loss, limit, kinds, and what the map shows; all of one step, or the other step is told."""
    model = Writing(text, PRINTABLE, dim, 3)
    model.advance(steps)
    begun, loss = (model.points[k].loss_embedding for k in (0, -1))
    assert loss >= model.limit - 1e-6
    first, last = (model.beside_own_kind(model.frames[k]) for k in (0, -1))
    wanted = f"Loss {loss:.3f}: {begun:.3f} at first, {model.limit:.3f} at best."
    if len({*model.shown.values()}) > 1:
        wanted += f" {when}{last} of the text's {len(model.shown)} rows are nearest to a row"
        wanted += f" of their kind: {first} at first."
    assert write.verdict(model) == wanted
    spread = f"{model.frames[-1].spread:.0%} of the spread of {dim} numbers."
    assert write.distance(model).endswith(spread if dim > 2 else "both numbers of each row.")


@pytest.mark.parametrize("text", TEXTS)
def test_the_sentence_on_d_is_that_of_the_losses(text: str) -> None:
    """Where it says that no doubling lowers the loss by much, none does; else the last one does."""
    model = Sizes(text, PRINTABLE, 3)
    losses = model.points[0].losses
    assert sizes_page.verdict(model) == (
        f"Random at first: with every D the loss is {min(losses):.2f} to {max(losses):.2f}."
    )
    for _ in range(2):
        model.advance(EVERY)
        point = model.points[-1]
        expected = f"Doubling D from 16 to 32 still lowers the loss, by {point.falls[-1]:.2f}; it"
        if point.enough:
            expected = f"From D = {point.enough} on, twice as many numbers lower the loss by less"
        assert sizes_page.verdict(model).startswith(expected)


def test_it_says_which_text_and_which_model() -> None:
    """The country's law by its name, or the user's text, also what of it has no ids."""
    own = {"corpus": "own", "text": "Zoë *sat"}
    yours = "yours, 7 characters. 1 of 8 characters has none of the 100 ids here and is left out"
    for lesson, query, words in (
        ("write", {}, "US Declaration of Independence and Constitution, 53,114 characters."),
        ("size", own, f"Text: {yours}: 'ë'."),
        ("write", own, f"Text: {yours}: 'ë'."),
    ):
        app = open_page("training", lesson=lesson, learn_steps="0", size_steps="0", **query)
        (said,) = [one.value for one in app.caption if "score the next" in one.value]
        assert unescaped(said).endswith(words)
        assert "`nn.Embedding(100, " in said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"text": "a", "loss": "next"}, "at least 2 in a line"),
        (
            {"lesson": "step", "rows": "1000000", "dim": "64", "loss": "next"},
            "takes up to 2,000,000",
        ),
        ({"lesson": "unseen", "dtype": "bfloat16"}, "float32 or float64"),
        ({"lesson": "unseen", "text": "aaa"}, "at least 2 different ones"),
        ({"lesson": "write", "corpus": "own", "input": "ids"}, "There is no text above"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason."""
    app = open_page("training", **query)
    found = refused(app) + [one["answer"] for one in sent(app, "embviz_film")]
    assert any(words in one for one in found)


def test_the_chart_of_sizes_follows_its_steps() -> None:
    """At the second point it no longer shows what was before all steps; then it is drawn seldom."""
    drawn = [sizes_page.chart_with(points) for points in range(1, 13)]
    assert drawn[0] < drawn[1]
    assert len({*drawn}) <= 5
