import math

import pytest
from streamlit.testing.v1 import AppTest

from embviz.core.config import Config
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from embviz.training.model import CharModel
from embviz.training.text import prepare, symbols
from embviz.ui.pages.context.text import Text
from embviz.ui.pages.training import characters, loss
from embviz.ui.pages.training.characters import compare_kinds
from embviz.ui.pages.training.lessons import LESSONS
from tests.ui.headless import open_page, refusals


def opened(**query: str) -> AppTest:
    """The training page at an address."""
    return healthy(open_page("training", **query))


def healthy(app: AppTest) -> AppTest:
    """The page, without an error on it."""
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


@pytest.mark.parametrize("lesson", SETTINGS["lesson"].options())
def test_every_lesson_of_the_address_opens(lesson: str) -> None:
    """Each value of the parameter `lesson` has a record and draws its lesson."""
    assert set(LESSONS) == set(SETTINGS["lesson"].options())
    assert len(opened(lesson=lesson).main.children) > 3


def open_fold(app: AppTest, key: str) -> None:
    """Open an expander, as a press does."""
    app.session_state[key] = True
    healthy(app.run())


def steps_said(app: AppTest, steps: str) -> AppTest:
    """The page, run until a caption says so many steps."""
    for _ in range(300):
        if steps in (said := [one.value for one in app.caption]):
            return app
        healthy(app.run())
    raise AssertionError(said)


def test_lockstep_plays_when_opened_steps_and_starts_over() -> None:
    """It plays 200 steps by itself once; Step takes one more, Reset goes to step 0 and waits."""
    app = steps_said(
        opened(lesson="lockstep", optimizer="adam", text="abcab", dim="4"), "200 steps"
    )
    healthy(app.button(key="train_step").click().run())
    assert "201 steps" in [one.value for one in app.caption]
    assert any("Largest difference of the weights so far" in one.value for one in app.markdown)
    healthy(app.button(key="train_reset").click().run())
    for _ in range(2):  # it does not play a second time by itself
        assert "0 steps" in [one.value for one in healthy(app.run()).caption]
    assert any("the address does not carry what is learnt" in one.value for one in app.markdown)
    assert len(app.get("plotly_chart")) == 2
    healthy(app.button(key="train_play").click().run())
    steps_said(app, "200 steps")


def test_another_lesson_pauses_and_the_way_back_goes_on() -> None:
    """No step is taken while another lesson is shown."""
    app = opened(lesson="lockstep", text="abcab", dim="4")
    (before,) = [one.value for one in app.caption if " of 200" in one.value]
    app.segmented_control(key="lesson").set_value("drift")
    for _ in range(3):
        healthy(app.run())
    app.segmented_control(key="lesson").set_value("lockstep")
    healthy(app.run())
    (after,) = [one.value for one in app.caption if " of 200" in one.value]
    assert int(before.split()[0]) < int(after.split()[0]) <= int(before.split()[0]) + 20
    steps_said(app, "200 steps")


def test_another_text_does_not_discard_what_is_learnt_without_a_question() -> None:
    """The old training stays until *Start over* is pressed; for an optimizer none is asked."""
    app = steps_said(opened(lesson="lockstep", text="abcab", dim="4"), "200 steps")
    for answer in ("", "keep", "start_over"):
        if answer:
            healthy(app.button(key=f"train_{answer}").click().run())
        app.query_params["text"] = "abcabd"
        healthy(app.run())
        asked = any("Keep what is learnt?" in one.value for one in app.markdown)
        assert asked == (answer == "")
        assert ("200 steps" in [one.value for one in app.caption]) == (answer != "start_over")
    steps_said(app, "200 steps")
    app.selectbox(key="optimizer").set_value("adam")
    healthy(app.run())
    assert "200 steps" not in [one.value for one in app.caption]
    assert not any("Keep what is learnt?" in one.value for one in app.markdown)


def test_characters_ask_before_they_start_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another size would need a new model: the old one stays until the user agrees."""
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "10")
    app = opened(lesson="characters", corpus="own", text="abcab", char_dim="2")
    found = "10 steps on 5 characters, the most that one training may take here"
    steps_said(app, found)
    app.number_input(key="char_dim").set_value(3)
    healthy(app.run())
    assert found in [one.value for one in app.caption]
    healthy(app.button(key="learn_start_over").click().run())
    assert not any("Keep what is learnt?" in one.value for one in app.markdown)


def test_the_headline_of_lockstep_follows_the_optimizer() -> None:
    """Where the layers follow two rules, the page does not say that rounding alone parts them."""
    for optimizer, words in (("adam", "can part them"), ("sparse_adam", "follow two rules")):
        app = opened(lesson="lockstep", optimizer=optimizer)
        (said,) = [one.value for one in app.markdown if one.value.startswith("##### ")]
        assert words in said


def test_characters_pause_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pause stops the training, and Learn goes on from there."""
    monkeypatch.setattr(characters, "BUDGET_S", 0.001)  # so that no machine finishes before
    app = opened(lesson="characters", char_dim="2")
    healthy(app.button(key="learn_pause").click().run())
    (steps,) = [one.value for one in app.caption if " steps on 200,000 characters" in one.value]
    assert 0 < int(steps.split()[0].replace(",", "")) < 2_000
    healthy(app.run())
    assert steps in [one.value for one in app.caption]
    assert app.button(key="learn_play").label == "Learn 2,000 steps"


def test_pieces_learn_and_their_loss_per_character_stands_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Characters and pieces of one text are both kept; their losses per character are compared."""
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "10")
    words = "the cat sat on the mat, the rat sat"
    query = {"lesson": "characters", "corpus": "own", "text": words, "char_dim": "2"}
    app = opened(**query)
    expected = []
    for learn_on, counted in (("characters", 35), ("pieces", 16)):
        app.segmented_control(key="learn_on").set_value(learn_on)
        healthy(app.run())
        if learn_on == "pieces":  # the first training plays by itself
            healthy(app.button(key="learn_play").click().run())
        for _ in range(20):
            if any(f"10 steps on {counted} {learn_on}" in one.value for one in app.caption):
                break
            healthy(app.run())
        known = symbols(learn_on)
        model = CharModel(Config(known.characters, len(known), 2), prepare(words, known))
        model.advance(10)
        loss, limit = model.loss()[0], model.bigram_limit
        of_one = [f"{one:.3f}" for one in (loss, loss * counted / 35, limit * counted / 35)]
        expected.append([learn_on, "10", *of_one])
    open_fold(app, "learn_low")
    assert app.table[0].value.to_numpy().tolist() == expected
    assert expected[0][2] == expected[0][3]
    assert any("A piece holds 2.19 characters" in one.value for one in app.caption)
    open_fold(app, characters.NEAR)
    assert app.text_input(key="letter").label == "Piece"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"target": "one"}, "The target 'one' is not one or more finite numbers"),
        ({"target": "1 2 3"}, "A target of 3 numbers does not fit rows of 10"),
        ({"text": "a", "loss": "next"}, "at least 2 in a line"),
        (
            {"lesson": "lockstep", "rows": "1000000", "dim": "64"},
            "training side by side takes up to 2,000,000",
        ),
        ({"text": "héllo", "unknown": "error"}, "is not among the 100 characters"),
        ({"lesson": "drift", "rows": "100000"}, "more than the 100,000 that every claim"),
        ({"lesson": "drift", "dtype": "bfloat16"}, "float32 or float64"),
        ({"lesson": "drift", "text": "aaa"}, "at least 2 different ones"),
        ({"lesson": "lockstep", "dtype": "float16"}, "float32 or float64"),
        ({"lesson": "characters", "corpus": "own", "text": "aaa"}, "there is nothing to learn"),
        ({"lesson": "characters", "corpus": "own", "text": " "}, "one"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason."""
    (said,) = refusals("training", **query)
    assert words in said


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (0.1, "more alike than rows of different kinds: the difference of their mean cosines is +"),
        (-0.1, "less alike than"),
        (-0.0004, "as alike as rows of different kinds: the difference of their mean cosines is +"),
        (math.nan, "takes two kinds"),
    ],
)
def test_the_sentence_about_kinds_says_which_are_more_alike(now: float, words: str) -> None:
    """Rows of one kind are called more alike than others where they are, and less where not."""
    assert words in compare_kinds(now, 0.0)


def test_an_unknown_character_is_named_so_everywhere() -> None:
    """In all labels of Training and Context; a row without a symbol has its id alone."""
    given = read_inputs({**defaults(), "text": "Zoë", "rows": 200})
    unk = given.config.unk_id
    assert unk == 200
    assert loss.row_label(given, unk) == "'<unk>' (id 200)"
    assert (loss.short_label(given, unk), loss.short_label(given, 150)) == ("'<unk>' 200", "150")
    assert Text(given).labels(given.ids.flatten()) == ["Z", "o", "<unk>"]


@pytest.mark.parametrize("seed", range(4))
def test_the_map_depends_on_the_steps_alone(seed: int) -> None:
    """However often it was drawn on the way, one link and one step count give one map."""
    known = symbols("characters")
    ids = prepare("the cat sat on the mat, the rat sat", known)
    maps = []
    for drawn_at in (range(0, 60, 7), (59,)):
        model = CharModel(Config(known.characters, len(known), 4, seed=seed), ids)
        learner = characters.Learner(model, known, len(ids), 1.0)
        for step in drawn_at:
            model.advance(step - model.steps)
            characters._space_chart(learner)
        model.advance(60 - model.steps)
        maps.append(characters._space_chart(learner).to_json())
    assert maps[0] == maps[1]
