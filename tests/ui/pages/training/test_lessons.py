import math
from itertools import combinations
from statistics import mean

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.request.inputs import read_inputs
from embviz.request.parameters import DEFAULTS, PARAMETERS
from embviz.training.inputs import SoftRow
from embviz.training.lockstep import Lockstep
from embviz.training.losses import mse
from embviz.training.model import CharModel
from embviz.training.space import cluster_quality, groups
from embviz.training.text import prepare, symbols
from embviz.ui.pages.training import characters
from embviz.ui.pages.training.characters import compare_kinds
from embviz.ui.pages.training.inputs import progress, shares_csv
from embviz.ui.pages.training.lessons import LESSONS
from embviz.ui.parts.corpus import PRINTABLE
from tests.ui.headless import open_page, page_words, refusals, unescaped


def opened(**query: str) -> AppTest:
    """The training page at an address."""
    return healthy(open_page("training", **query))


def healthy(app: AppTest) -> AppTest:
    """The page, without an error on it."""
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


@pytest.mark.parametrize("lesson", PARAMETERS["lesson"].options())
def test_every_lesson_of_the_address_opens(lesson: str) -> None:
    """Each value of the parameter `lesson` has a record and draws its lesson."""
    assert set(LESSONS) == set(PARAMETERS["lesson"].options())
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
    app.segmented_control(key="lesson_title").set_value("tying")
    for _ in range(3):
        healthy(app.run())
    app.segmented_control(key="lesson_title").set_value("lockstep")
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
        app.session_state["text"] = "abcabd"  # a run of the body alone leaves AppTest no field
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
    for optimizer, words in (("adam", "alone parts them"), ("sparse_adam", "follow two rules")):
        app = opened(lesson="lockstep", optimizer=optimizer)
        (said,) = [one.value for one in app.markdown if one.value.startswith("##### ")]
        assert words in said


def test_a_soft_row_learns_to_pick_and_ids_refuse() -> None:
    """Play goes on in small parts until the target is picked; PyTorch's refusal of ids is shown."""
    app = opened(lesson="inputs")
    said = [unescaped(one.value) for one in app.markdown]
    with pytest.raises(RuntimeError) as raised:
        torch.tensor([1]).requires_grad_()
    assert f"RuntimeError: {raised.value}" in said
    assert "**No row is picked yet. The target is the first token's, 'W' (id 58).**" in said
    healthy(app.button(key="soft_step").click().run())
    said = [unescaped(one.value) for one in app.markdown]
    assert any(one.startswith("**No row is picked yet: the largest share is 1.3%") for one in said)
    healthy(app.button(key="soft_reset").click().run())
    steps = []
    healthy(app.button(key="soft_play").click().run())
    for _ in range(300):  # a slow machine takes one step a time
        (counted,) = [one.value for one in app.caption if " steps, loss " in one.value]
        steps.append(int(counted.split()[0]))
        if steps[-1] == 100:
            break
        healthy(app.run())
    assert len(set(steps)) >= 20  # a reader sees the shares change
    (verdict,) = [unescaped(one.value) for one in app.markdown if "It picks" in one.value]
    assert verdict.startswith("**It picks 'W' (id 58), the target: share 0.99")
    assert any("With a true one-hot row: bitwise equal." in one.value for one in app.markdown)
    healthy(app.button(key="soft_reset").click().run())
    assert "0 steps, loss 7.67" in [one.value for one in app.caption]


@pytest.mark.parametrize(
    "query",
    [
        {"input": "ids", "ids": "[[3, 1], [0, 1]]", "dtype": "float16"},
        {"input": "ids", "rows": "1000000", "dim": "2"},
        {"input": "ids", "init": "own", "ids": "2 0"},
        {"vocab": "bytes", "rows": "256", "text": "é", "dtype": "bfloat16"},
        {"rows": "1", "dim": "1", "vocab": "custom", "chars": "a", "text": "a"},
    ],
    ids=str,
)
def test_a_soft_row_is_trained_for_any_input(query: dict[str, str]) -> None:
    """One step works with ids, own weights, every dtype and a million rows."""
    app = opened(lesson="inputs", temperature="0.1", **query)
    healthy(app.button(key="soft_step").click().run())
    assert any(one.value.startswith("1 steps, loss ") for one in app.caption)


def test_the_largest_difference_is_the_one_of_the_run_beside_float64s() -> None:
    """The page promises no bound: it states the largest difference, its step, and float64's."""
    query = {"optimizer": "momentum", "rate": "10x", "text": "ab" * 400 + "b", "dim": "10"}
    app = opened(lesson="lockstep", **query)
    healthy(app.button(key="train_pause").click().run())
    healthy(app.button(key="train_reset").click().run())
    for _ in range(6):
        healthy(app.button(key="train_step").click().run())
    healthy(app.button(key="train_float64").click().run())
    for _ in range(100):
        (said,) = (one.value for one in app.markdown if "Largest difference" in one.value)
        if "6 steps" in [one.value for one in app.caption] and said.count(" of 6") == 2:
            break
        healthy(app.run())
    given = read_inputs(DEFAULTS | query | {"dim": 10})
    single = Lockstep(given.config, given.ids, optimizer="momentum", loss=mse(), lr=5.0)
    double = single.in_float64()
    for lock in (single, double):
        lock.advance(6)
    one, two = single.furthest, double.furthest
    assert unescaped(said) == (
        "**Largest difference of the weights so far: "
        f"{one.max_abs_weight_difference:.3g} at step {one.step} of 6; in float64: "
        f"{two.max_abs_weight_difference:.3g} at step {two.step} of 6.**"
    )
    assert "1e-05" not in page_words("training", lesson="lockstep")
    healthy(app.button(key="train_reset").click().run())
    assert app.button(key="train_float64").label == "Add float64"


def test_float64_is_not_offered_beside_itself() -> None:
    """A training in float64 has no twin."""
    keys = [one.key for one in opened(lesson="lockstep", dtype="float64").button]
    assert "train_step" in keys
    assert "train_float64" not in keys


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
        ({"text": "héllo"}, "is not among the 100 characters"),
        ({"lesson": "inputs", "rows": "1000000"}, "through up to 2,000,000"),
        ({"lesson": "inputs", "text": ""}, "type at least 1"),
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


def test_a_training_that_failed_is_not_called_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the step limit of the server is named as one; a failed training stopped before it."""
    longest = "the most that one training may take here"
    table = torch.tensor([[3e38, 0.0], [0.0, 1.0], [-3e38, 1.0]])
    failed = SoftRow(tie(Config("", 3, 2, init="own"), table), 0, 1.0)
    assert failed.advance(5) == 0
    assert failed.finished
    assert longest not in progress(failed, failed.loss())
    soft = SoftRow(tie(Config("", 50, 10)), 7, 1.0)
    soft.advance(1)
    assert progress(soft, 0.5) == f"1 steps, loss {soft.history[0]:.3g} → 0.5"
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "1")
    assert progress(soft, 0.5).startswith(f"1 steps, {longest}, loss ")


def test_the_download_has_the_largest_shares() -> None:
    """The CSV has one line for each id, or for those with the largest shares."""
    soft = SoftRow(tie(Config("", 50, 10)), 7, 1.0)
    soft.advance(30)
    lines = shares_csv(soft, 100).splitlines()
    assert lines[0] == "id,logit,share"
    assert [int(line.split(",")[0]) for line in lines[1:]] == list(range(50))
    assert sum(float(line.split(",")[2]) for line in lines[1:]) == pytest.approx(1)
    kept = [int(line.split(",")[0]) for line in shares_csv(soft, 3).splitlines()[1:]]
    assert kept == sorted(soft.shares().topk(3).indices.tolist())


@pytest.mark.parametrize("seed", range(6))
def test_the_sentence_about_kinds_says_which_are_more_alike(seed: int) -> None:
    """Rows of one kind are called more alike than others where they are, and less where not."""
    ids = prepare("WTF does nn.Embedding do?", PRINTABLE)
    config = Config(PRINTABLE.characters, len(PRINTABLE), 10, seed)
    model = CharModel(config, ids)
    assert torch.equal(model.weight, tie(config).embedding.weight)
    model.advance(1)
    members = groups(PRINTABLE, model.occurring)
    kind = {token: name for name, tokens in members.items() for token in tokens}
    rows = model.weight[list(kind)].double()
    rows = dict(zip(kind, rows - rows.mean(dim=0), strict=True))
    pairs: dict[bool, list[float]] = {True: [], False: []}
    for a, b in combinations(kind, 2):
        cosine = F.cosine_similarity(rows[a], rows[b], dim=0)
        pairs[kind[a] == kind[b]].append(float(cosine))
    difference = mean(pairs[True]) - mean(pairs[False])
    words = compare_kinds(cluster_quality(model.weight, members), 0.0)
    assert ("more" if difference > 0 else "less") + " alike than" in words
    assert f"{difference:+.3f}" in words


def test_the_sentence_about_kinds_near_zero_and_without_kinds() -> None:
    """No difference is called none, and too few characters cannot be compared."""
    for tiny in (0.0, -0.0, 0.0004, -0.0004):
        assert "as alike as rows of different kinds" in compare_kinds(tiny, tiny)
        assert "-0.000" not in compare_kinds(tiny, tiny)
    assert "takes two kinds" in compare_kinds(math.nan, math.nan)
