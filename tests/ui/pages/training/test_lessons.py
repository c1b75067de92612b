"""The training page without a browser: what it sends, says, refuses and keeps."""

import json
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from embviz.request.training import side_by_side
from embviz.training.losses import Mse
from embviz.training.text import constitution, symbols
from embviz.training.training import Training
from embviz.training.writing import Writing
from embviz.ui.pages.context.text import Text
from embviz.ui.pages.training import many, one_step, unseen, write
from embviz.ui.pages.training.lessons import LESSONS
from tests.ui.headless import open_page, refusals, sent, unescaped

WEIGHT = tie(Config("", 100, 10)).embedding.weight.detach()
W = 58  # the id of W, the first letter of the example


def opened(**query: str) -> AppTest:
    """The training page at an address."""
    return healthy(open_page("training", **query))


def healthy(app: AppTest) -> AppTest:
    """The page, without an error on it."""
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


def walk_of(**own: str) -> Any:
    """What *One step* sends."""
    values = defaults(SETTINGS) | own
    packed = one_step._LETTER.packed(read_inputs(values), values.__getitem__)
    return json.loads(packed)


def strip(panel: Any, row: int, columns: int = 10) -> np.ndarray:
    """The numbers of a strip in each state."""
    return np.frombuffer(b64decode(panel[2][row]["values"]), "<f4").reshape(-1, columns)


def said(app: AppTest) -> str:
    """Markdown and captions of a page."""
    return "\n".join(unescaped(one.value) for one in [*app.markdown, *app.caption])


@pytest.mark.parametrize("lesson", SETTINGS["lesson"].options())
def test_every_lesson_of_the_address_opens(lesson: str) -> None:
    """Each value of the parameter `lesson` has a record and draws its lesson."""
    assert set(LESSONS) == set(SETTINGS["lesson"].options())
    assert len(opened(lesson=lesson).main.children) > 3


def test_one_step_opens_before_the_first_step() -> None:
    """State 0 has row, target and gradient, and no new row; state k shows the k-th step."""
    shown = walk_of(target="0.25")
    by_hand, rows = [WEIGHT[W].numpy()], []
    for _ in range(10):
        rows.append(2 * (by_hand[-1] - 0.25) / 10)
        by_hand.append(by_hand[-1] - 0.5 * rows[-1])
    for panel in shown["panels"]:
        target, row, gradient, new = (strip(panel, k) for k in range(4))
        assert len(row) == len(shown["said"]) == 11
        assert (target == 0.25).all()
        assert np.isnan(new[0]).all()
        for k in range(1, 11):
            np.testing.assert_allclose(row[k], by_hand[k - 1], atol=1e-6)
            np.testing.assert_allclose(gradient[k], rows[k - 1], atol=1e-6)
            np.testing.assert_array_equal(new[k], row[k] - np.float32(0.5) * gradient[k])
        np.testing.assert_array_equal(row[0], row[1])
        np.testing.assert_array_equal(gradient[0], gradient[1])
        np.testing.assert_array_equal(strip(panel, 7), np.vstack([row[:1], new[1:]]))
    lookup, matmul = shown["panels"]
    assert [one[:2] for one in (lookup, matmul)] == [
        ["Lookup: nn.Embedding", "blue"],
        ["Matmul: one-hot × nn.Linear", "orange"],
    ]
    assert [one["label"] for one in lookup[2]][:5] == [
        "target",
        "row 'W' 58",
        "gradient",
        "new row",
        "'T' 55",
    ]
    assert matmul[2][1]["label"] == "column 'W' 58"
    assert [one["group"] for one in lookup[2]] == [58] * 4 + [*range(55, 62)]
    assert lookup[2][3]["said"] == "weight[58, {c}]: {1} − 0.5 × {2} = {3}"
    assert matmul[2][4]["said"] == "weight[{c}, 55]: {4}"
    assert lookup[2][4]["notes"] == ["gradient 0"] * 11
    assert [one["kind"] for one in lookup[2]][3:] == ["", *["small"] * 3, "looked", *["small"] * 3]
    loss = float((WEIGHT[W] - 0.25).square().mean())
    assert shown["said"][0] == f"Loss {loss:.4g}: numbers off their target have a gradient."
    after = float(np.square(by_hand[3] - 0.25).mean())
    assert shown["said"][3] == (
        f"Loss {loss:.4g} → {after:.4g}. All 10 new numbers are the same in both, bit for bit. "
        "99 of 99 other rows stand still: gradient exactly 0."
    )


def test_one_step_follows_the_letter_the_rate_and_the_loss() -> None:
    """A token beyond the text is its last; the loss of the next token has no target."""
    shown = walk_of(token=99, rate="10x")
    assert (shown["selected"], len(shown["chips"]), shown["chips"][-1]) == (24, 25, "?")
    assert shown["panels"][0][2][3]["said"].endswith("{1} − 5 × {2} = {3}")
    assert shown["panels"][0][2][1]["label"] == "row '?' 82"
    labels = [one["label"] for one in walk_of(loss="next")["panels"][0][2]]
    assert labels[:2] == ["row 'W' 58", "gradient"]
    wide = walk_of(dim=20)
    assert (wide["columns"], wide["cut"]) == (16, "; 16 of 20 drawn")
    assert strip(wide["panels"][0], 1, 16).shape == (11, 16)
    one_row = walk_of(input="ids", ids="0 0", rows=1)
    assert one_row["chips"] == ["0", "0"]
    assert "other rows" not in one_row["said"][1]


def test_unequal_rows_and_moved_rows_are_told() -> None:
    """The sentence counts equal numbers and rows that stand still on the tensors."""
    training = Training(WEIGHT, torch.tensor([3]), Mse(), lr=0.5)
    walk = one_step.Walk(training, torch.arange(2, 5))
    walk.take(2)
    walk.tables[2][0, 1, :3] += 1
    walk.still[2], walk.largest[2] = 97, 0.125
    assert "7 of 10 new numbers are the same in both" in one_step._said(walk, 1, 2)
    assert "97 of 99 other rows stand still: gradient up to 0.125." in one_step._said(walk, 1, 2)


def test_the_whole_text_shows_how_repeats_add_up() -> None:
    """Both routes and the sum by hand are compared; the places of a repeated token are drawn."""

    def shown(text: str) -> Any:
        values = defaults(SETTINGS) | {"text": text, "dim": 4}
        return json.loads(one_step._WHOLE.packed(read_inputs(values), values.__getitem__))

    found = shown("abca")
    (words,) = found["said"]
    assert words.startswith(
        "3 of 100 rows are looked up; the largest |gradient| of all others is 0."
    )
    assert words.count("400 of 400 values have the same bits") == 2
    weight = tie(Config("", 100, 4)).embedding.weight.detach()
    place = (2 * weight[[10, 11, 12]] / 16).numpy()
    for panel in found["panels"]:
        labels = ["'a' 10", "at place 0", "at place 3", "'b' 11", "'c' 12"]
        assert [one["label"] for one in panel[2]] == labels
        drawn = np.vstack([strip(panel, row, 4) for row in range(5)])
        expected = [2 * place[0], place[0], place[0], place[1], place[2]]
        np.testing.assert_allclose(drawn, expected, atol=1e-6)
        assert panel[2][2]["said"] == "gradient, {c}: {1} + {2} = {0}"
        assert panel[2][4]["said"] == "gradient, {c}: {4}"
    assert "{1} + {2} + {3} + {4} + … = {0}" in shown("aaaaa")["panels"][0][2][0]["said"]
    assert "10 more rows are not drawn" in shown("".join(map(chr, range(40, 70))))["said"][0]


def test_rows_nobody_looks_up_move_where_the_strips_say_so() -> None:
    """Under decay the row never looked up moves, under momentum that of before; SGD leaves both."""
    given = read_inputs(defaults() | {"text": "abcab", "dim": 4})
    shown = json.loads(unseen.shown(given, unseen.FIRST).packed("x"))
    assert [one[0] for one in shown["panels"]] == [
        "SGD",
        "SGD, momentum 0.9",
        "SGD, weight decay 0.01",
    ]
    assert len(shown["said"]) == 41
    assert shown["said"][10] == "Never looked up, and moved: SGD, weight decay 0.01."
    assert shown["said"][40].endswith(
        "Moved after its last lookup: SGD, momentum 0.9; SGD, weight decay 0.01."
    )
    for panel, moving in zip(shown["panels"], ((0, 0), (1, 0), (1, 1)), strict=True):
        assert [one["label"] for one in panel[2]] == [
            "'b' 11, looked up in every step",
            "'a' 10, looked up in the first 10",
            "'0' 0, never looked up",
        ]
        for row in range(3):
            numbers, notes = strip(panel, row, 4), panel[2][row]["notes"]
            changed = (numbers[1:] != numbers[:-1]).any(axis=1)
            assert notes == ["", *("moves" if one else "still" for one in changed)]
        assert (strip(panel, 1, 4)[12:] != strip(panel, 1, 4)[11]).any() == bool(moving[0])
        assert (strip(panel, 2, 4) != strip(panel, 2, 4)[0]).any() == bool(moving[1])
    every = json.loads(
        unseen.shown(
            read_inputs(defaults() | {"input": "ids", "ids": "0 1", "rows": 2}), ("adam",)
        ).packed("x")
    )
    assert len(every["panels"][0][2]) == 2
    assert every["said"][1] == ""
    assert every["said"][40].strip() == "Moved after its last lookup: Adam."


def test_the_other_optimizers_are_one_press_away() -> None:
    """They are trained when the fold is opened."""
    app = opened(lesson="unseen", text="abcab", dim="4")
    assert len(sent(app, "embviz_walk")) == 1
    app.session_state["more_rules"] = True
    healthy(app.run())
    more = json.loads(sent(app, "embviz_walk")[1]["answer"])
    assert [one[0] for one in more["panels"]][:3] == ["Adam", "AdamW, weight decay 0.01", "Adagrad"]
    assert len(more["panels"]) == 5


def steps_said(app: AppTest, steps: str) -> AppTest:
    """The page, run until a caption says so many steps."""
    for _ in range(300):
        if any(steps in one.value for one in app.caption):
            return app
        healthy(app.run())
    raise AssertionError(said(app))


def test_many_steps_play_when_unfolded_and_start_over() -> None:
    """A link with an optimizer unfolds them; they play once; Reset waits at step 0."""
    app = opened(text="abcab", dim="4")
    assert not app.get("plotly_chart")
    app.session_state["many"] = True
    steps_said(healthy(app.run()), "100 steps")
    assert "the two weights in 100 steps. 97 rows were never looked up: they stand still." in said(
        app
    )
    healthy(app.button(key="train_reset").click().run())
    for _ in range(2):  # it does not play a second time by itself
        assert any(one.value.startswith("0 steps. A reload") for one in healthy(app.run()).caption)
    assert "Both layers start from the same bits." in said(app)
    healthy(app.button(key="train_play").click().run())
    steps_said(app, "100 steps")
    app.selectbox(key="optimizer").set_value("adamw")
    steps_said(healthy(app.run()), "100 steps")
    assert "97 rows were never looked up: they moved, by up to 0." in said(app)
    assert any(one.proto.label == "Rows nobody looks up" for one in app.get("page_link"))


def test_another_lesson_pauses_and_the_way_back_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step is taken while another lesson is shown, and none is lost."""
    monkeypatch.setattr(many, "STEPS", 2_000)
    app = opened(optimizer="adam", text="abcab", dim="4")
    before = app.session_state["_embviz"]["cached"]["train"][1]
    taken = before.steps
    assert 0 < taken < 2_000
    app.segmented_control(key="lesson").set_value("unseen")
    for _ in range(3):
        healthy(app.run())
    assert before.steps == taken
    app.segmented_control(key="lesson").set_value("step")
    healthy(app.run())
    assert before.steps > taken


def test_another_text_does_not_discard_what_is_learnt_without_a_question() -> None:
    """The old training stays until *Start over* is pressed; for an optimizer none is asked."""
    app = steps_said(opened(optimizer="momentum", text="abcab", dim="4"), "100 steps")
    for answer in ("", "keep", "start_over"):
        if answer:
            healthy(app.button(key=f"train_{answer}").click().run())
        app.query_params["text"] = "abcabd"
        healthy(app.run())
        asked = any("Keep what is learnt?" in one.value for one in app.markdown)
        assert asked == (answer == "")
        rows = "97" if answer != "start_over" else "96"
        steps_said(app, "100 steps")
        assert f"{rows} rows were never looked up" in said(app)


def test_the_verdict_says_what_parts_the_weights() -> None:
    """Rounding is named where it has parted them; another rule is named a rule."""
    values = defaults(SETTINGS) | {"text": "abcab" * 20, "batches": "minibatch"}
    for optimizer, words in (
        ("sparse_adam", "Two rules part the two weights by at most 0."),
        ("sgd_sparse", "Rounding parts the two weights by at most "),
    ):
        of = values | {"optimizer": optimizer}
        training = side_by_side(read_inputs(of), of.__getitem__)
        training.advance(200)
        found = training.furthest
        assert many.verdict(training).startswith(words)
        assert f"{found.max_abs_weight_difference:.3g}, at step {found.step} of 200" in (
            many.verdict(training)
        )


def test_writing_pauses_where_it_is_and_asks_before_it_starts_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It plays when opened. Another size would need a new model: the old one stays until asked."""
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "10")
    app = opened(lesson="write", corpus="own", text="abcab", char_dim="2")
    found = "10 steps on 5 characters, the most that one training may take here"
    steps_said(app, found)
    app.number_input(key="char_dim").set_value(3)
    healthy(app.run())
    assert found in [one.value for one in app.caption]
    healthy(app.button(key="learn_start_over").click().run())
    assert not any("Keep what is learnt?" in one.value for one in app.markdown)
    monkeypatch.undo()
    monkeypatch.setattr(write, "AUTOPLAY", 10_000)
    app = opened(lesson="write", char_dim="2", seed="9")
    healthy(app.button(key="learn_pause").click().run())
    (steps,) = [one.value for one in app.caption if " steps on 53,114 characters" in one.value]
    assert 0 < int(steps.split()[0].replace(",", "")) < 5_000
    healthy(app.run())
    assert steps in [one.value for one in app.caption]
    assert app.button(key="learn_play").label == "Learn 2,000 steps"


def test_what_it_writes_stands_beside_the_map_from_the_first_step_to_the_last() -> None:
    """Both are of the last frame; the temperature counts."""
    app = steps_said(opened(lesson="write", char_dim="4"), "300 steps on 53,114 characters")
    model = Writing(constitution(), symbols("characters"), 4, 123)
    model.training.advance(300)

    def written(temperature: float) -> str:
        frames = [one for one in model.frames if one.step in (0, 10, 30, 300)]
        start = int(model.ids[0])
        lines = []
        for one in frames:
            text = model.symbols.decode(one.write(44, start, temperature, 123))
            text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.replace("\n", " "))
            lines.append(f"step {one.step}\n{text}")
        return "\n\n".join(lines)

    (code,) = app.get("code")
    assert [line for line in code.value.split("\n") if line.startswith("step")] == [
        "step 0",
        "step 10",
        "step 100",
        "step 300",
    ]
    first = written(1.0).split("\n\n")
    assert code.value.startswith(first[0])
    assert code.value.endswith(first[-1])
    loss = model.training.points[-1].loss_embedding
    assert f"Loss {loss:.3f}; a model of one character cannot get below 2.298." in (said(app))
    app.segmented_control(key="temperature").set_value("0.5")
    healthy(app.run())
    assert app.get("code")[0].value.endswith(written(0.5).split("\n\n")[-1])


def test_the_verdict_on_kinds_is_that_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds with a silhouette above 0 and the start gather; one kind has no such sentence."""
    model = Writing(constitution()[:5_000], symbols("characters"), 8, 1)
    assert "gather" not in write.verdict(model)
    model.training.advance(300)
    first, last = (model.separation(one) for one in (model.frames[0], model.frames[-1]))
    assert f"kind hardly gather yet: silhouette {first:+.3f} → {last:+.3f}, 0 without" in (
        write.verdict(model)
    )
    with monkeypatch.context() as patched:
        patched.setattr(Writing, "separation", lambda _, frame: 0.1 if frame.step else -0.1)
        assert "of one kind gather: silhouette -0.100 → +0.100" in write.verdict(model)
    model.frames.reverse()
    assert "do not gather" in write.verdict(model)
    flat = Writing("bcbcbd", symbols("characters"), 2, 1)
    flat.training.advance(10)
    assert "silhouette" not in write.verdict(flat)


def test_characters_and_pieces_are_compared_by_the_loss_per_character() -> None:
    """Both models of one text are kept."""
    words = "the cat sat on the mat, the rat sat"
    app = opened(lesson="write", corpus="own", text=words, char_dim="2")
    app.segmented_control(key="learn_on").set_value("pieces")
    app.session_state["learn_low"] = True
    healthy(app.run())
    model = Writing(words, symbols("pieces"), 2, 123)
    loss = model.training.points[0].loss_embedding * 16 / 35
    text = said(app)
    assert f"Pieces: {loss:.3f} nats a character after 0 steps" in text
    assert "Characters: " in text
    assert "Learn on the other kind too" not in text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"target": "one"}, "The target 'one' is not one or more finite numbers"),
        ({"target": "1 2 3"}, "A target of 3 numbers does not fit rows of 10"),
        ({"text": "a", "loss": "next"}, "at least 2 in a line"),
        ({"rows": "1000000", "dim": "64"}, "training side by side takes up to 2,000,000"),
        ({"rows": "1000000", "dim": "64", "loss": "next"}, "takes up to 2,000,000"),
        ({"text": "héllo", "unknown": "error"}, "is not among the 100 characters"),
        ({"lesson": "unseen", "dtype": "bfloat16"}, "float32 or float64"),
        ({"lesson": "unseen", "text": "aaa"}, "at least 2 different ones"),
        ({"lesson": "write", "corpus": "own", "text": "aaa"}, "there is nothing to learn"),
        ({"lesson": "write", "corpus": "own", "text": " "}, "one"),
        ({"lesson": "write", "corpus": "own", "input": "ids"}, "There is no text above"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason."""
    found = refusals("training", **query)
    found += [
        answer["refusal"]
        for one in sent(open_page("training", **query), "embviz_walk")
        if "refusal" in (answer := json.loads(one["answer"]))
    ]
    assert any(words in one for one in found)


def test_an_unknown_character_is_named_so_everywhere() -> None:
    """In all labels of Training and Context; a row without a symbol has its id alone."""
    given = read_inputs({**defaults(), "text": "Zoë", "rows": 200})
    unk = given.config.unk_id
    assert [one_step.short_label(given, one) for one in (unk, 150)] == ["'<unk>' 200", "150"]
    assert Text(given).labels(given.ids.flatten()) == ["Z", "o", "<unk>"]
