"""The page that a lab leads to at its end shows the very numbers of the lab."""

import numpy as np
import pytest

from embviz.bag.matrix import parse_matrix
from embviz.fact.inputs import read_inputs
from embviz.fact.layers import tie
from embviz.fact.weights import LINEAR, Reading, parse_weights
from embviz.labs.catalogue import LABS, questions, try_it
from embviz.labs.question import Question
from embviz.settings.given import defaults, filled, read
from embviz.settings.pages import PAGES, SETTINGS
from embviz.timing.cases import cases_of
from embviz.timing.settings import PAGE as TIMING
from tests.labs.reader import code, labelled, numbers, table
from tests.labs.test_questions import titled
from tests.ui.headless import open_page

SEEDS = range(20)


def asked(lab: str, seed: int, title: str) -> Question:
    """A step of a lab."""
    return titled(questions(lab, seed), title)


@pytest.mark.parametrize("lab", LABS)
def test_the_page_reads_these_settings(lab: str) -> None:
    """An address may have them, and they are read as they are."""
    for seed in SEEDS:
        page, settings = try_it(lab, seed)
        assert {*settings} <= {*PAGES[page].reads}
        written = {name: SETTINGS[name].written(one) for name, one in settings.items()}
        assert read(written) == settings
    app = open_page(page, **written)
    assert [one.value for one in [*app.error, *app.warning]] == []


@pytest.mark.parametrize(
    ("lab", "title", "has_letters"),
    [("row", "Read a row", False), ("learns", "After loss.backward()", True)],
)
def test_the_playground_has_the_table_and_the_text_of_the_lab(
    lab: str, title: str, has_letters: bool
) -> None:
    """Its weight is the table of the prompt, its ids are those of the text."""
    for seed in SEEDS:
        page, settings = try_it(lab, seed)
        assert page == "playground"
        given = read_inputs(filled(settings))
        prompt = asked(lab, seed, title).prompt
        lines = table(prompt)
        shown = labelled(lines)[1] if has_letters else np.array(lines, dtype=float)
        assert tie(given.table).embedding.weight.tolist() == shown.tolist()
        chars, text = code(questions(lab, seed)[0].prompt)[:2]
        assert given.text == text
        assert given.ids.tolist() == [[chars.index(letter) for letter in text]]


def test_the_bag_of_words_has_the_counts_and_the_weight_of_the_lab() -> None:
    """The row of counts is the first answer, the weight that of the prompt."""
    for seed in SEEDS:
        page, settings = try_it("bag", seed)
        assert page == "bag_of_words"
        counts = asked("bag", seed, "A sentence as counts").right
        assert parse_matrix(settings["x"]).csr.toarray().tolist() == [[*counts]]
        lines = table(asked("bag", seed, "The matmul by hand").prompt)[1:]
        weight = [[float(one) for one in line[2:]] for line in lines]
        assert parse_weights(settings["linear"], Reading(kind=LINEAR)).weight.tolist() == weight


def test_the_timing_page_measures_both_sizes_of_the_lab() -> None:
    """A lookup and a matmul, before and after the rows double."""
    for seed in SEEDS:
        page, settings = try_it("cost", seed)
        assert page == "timing"
        cases = cases_of(defaults(one.name for one in TIMING.settings) | settings)
        prompt = asked("cost", seed, "Twice the rows").prompt
        pattern = "N rows and N columns.*rows: N.*look up N"
        before, columns, after, tokens = numbers(pattern, prompt)
        assert {(one.num_embeddings, one.embedding_dim, one.tokens) for one in cases} == {
            (rows, columns, tokens) for rows in (before, after)
        }
        assert {one.method for one in cases} == {"lookup", "matmul"}
