"""A guide with answers: what a question has is told once, in the table of its answers."""

import pytest

from embviz.labs.catalogue import LABS, beside, questions
from embviz.teach.page import guide
from tests.labs.page.visitor import Visitor


def test_choices_are_listed_where_no_answers_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """With answers each choice has a line of the table, and no list repeats them."""
    asked = [one for one in (*questions("learns", 5), *beside("learns", 5)) if one.choices]
    lists = {"\n".join(f"- {choice}" for choice in one.choices) for one in asked}
    assert len(asked) > 2
    told = Visitor(teach="learns", numbers="5").words
    assert [one for one in lists if one in told] == []
    for one in asked:
        for answer in (one.right, *one.mistakes):
            assert f"{guide.shown(answer)} |" in told or f"**{guide.shown(answer)}** |" in told
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")  # nobody sees answers
    hidden = Visitor(teach="learns", numbers="5").words
    assert [one for one in lists if one not in hidden] == []


def test_a_title_names_the_sheet_that_is_shown() -> None:
    """The guide, which is no sheet, has the title of its lab alone."""
    titles = {
        sheet: Visitor(teach="learns", sheet=sheet, numbers="5").words.split("\n")[0]
        for sheet in ("none", "handout", "ticket")
    }
    title = f"# {LABS['learns'].title}"
    assert titles == {
        "none": title,
        "handout": f"{title} · handout",
        "ticket": f"{title} · exit ticket",
    }
