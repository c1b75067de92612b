"""The page "Where it breaks", headless: it draws what the room finds and proves."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.limits import own_process
from embviz.limits.case import LAYERS, PRELUDE, Case
from embviz.limits.cases import CASES, PARTS, case_named
from embviz.limits.elsewhere import ELSEWHERE
from embviz.limits.meanings import meaning
from embviz.limits.page import browse
from embviz.limits.page.story import HEADLINE
from embviz.limits.prove import Outcome, Proof, prove
from embviz.limits.results import recorded
from embviz.limits.search import find
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.tour import TOUR
from embviz.text.glossary import TERMS
from embviz.text.markdown import literal
from embviz.ui.state.changes import go
from tests.ui.headless import open_page, page_words, unescaped

ERROR = "IndexError: index out of range in self"
FOLD = f"All {len(CASES)} cases"


def shown(app: AppTest) -> str:
    """All Markdown of the page."""
    return "\n".join(part.value for part in app.markdown)


def title(name: str) -> str:
    """The heading of an opened case."""
    return f"## {literal(case_named(name).title)}\n"


def keys(app: AppTest, place: str) -> list[str]:
    """The cases that buttons of this place open."""
    found = [str(one.key) for one in app.button]
    return [key.removeprefix(place) for key in found if key.startswith(place)]


def queries(app: AppTest) -> list[dict[str, str]]:
    """The queries of the links to cases."""
    found = [dict(parse_qsl(one.proto.query_string)) for one in app.get("page_link")]
    return [query for query in found if "case" in query]


def test_the_list_has_every_case_below_its_part() -> None:
    """Each link has the line that breaks; what a learner meets comes first."""
    app = open_page("limits", case="zzz")
    assert f"is not one of the {len(CASES)} there are" in app.warning[0].value
    app.session_state[f"fold {FOLD}"] = True
    app.run()
    links = [one.proto for one in app.get("page_link") if "case=" in one.proto.query_string]
    wanted = [f"{literal(case.title)}  \n`{case.line}`" for case in CASES]
    assert [one.label for one in links] == wanted
    assert queries(app) == [{"case": case.name} for case in CASES]
    heads = [one.value for one in app.main if one.type in ("subheader", "markdown")]
    named = [[part, *map("**{}**".format, groups)] for part, groups in PARTS.items()]
    names = [name for part in named for name in part]
    assert [head for head in heads if head in names] == names


def test_every_case_opens(subtests: pytest.Subtests) -> None:
    """Each shows its claim, reason and fix, its result, and all lines as they ran."""
    app = open_page("limits")
    for case in CASES:
        with subtests.test(case.name):
            app.query_params["case"] = case.name
            app.run()
            assert [failure.value for failure in app.exception] == []
            assert title(case.name) in shown(app)
            programs = [one.value for one in app.code if one.language == "python"]
            texts = [one.strip() for one in (PRELUDE, case.program, LAYERS)]
            proof = browse.proof_of(case)
            if proof is None or proof.problem is None:
                assert programs[-3:] == texts
                continue
            assert programs == [case.typed.strip(), *texts]
            signs = {"same": ":green[=]", "differ": ":orange[≠]", "raises": ":red[!]"}
            sign = signs[proof.problem.verdict]
            head = "The fix." if any(case.raises) else "What to do."
            for words in (
                f"**{sign} {literal(proof.told)}**",
                f"{case.claim} {case.why}",
                f"**{head}** {case.fix}",
                f":blue[**{literal(case.sides[0])}**]",
                f":orange[**{literal(case.sides[1])}**]",
            ):
                assert words in shown(app)


def test_values_that_differ_are_marked() -> None:
    """Values are marked on both sides where they differ; an error is its text."""
    app = open_page("limits", case="max-norm")
    before, after = (one.value.to_numpy().tolist() for one in app.table)
    rows = [[*"012"], [*"345"], [*"678"], ["9", "10", "11"]]
    assert before.pop(2) == [f":red-background[**≠ {number}**]" for number in "678"]
    assert after.pop(2)[0] == ":red-background[**≠ 0.49154**]"
    assert before == after == [rows[0], rows[1], rows[3]]
    app = open_page("limits", case="out-of-range")
    assert [one.value for one in app.code][:2] == [
        "index out of range in self",
        "Class values must be smaller than num_classes.",
    ]


def test_an_error_opens_its_case_and_a_press_leads_back_to_the_cards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others that list it are buttons that keep it; a case of the list ends the question.

    A press draws the whole page only where it ends a question: the body alone is half the messages.
    """
    wholes = list[bool]()

    def noted(changes: Mapping[str, Any], redraw_all: bool = False) -> None:
        wholes.append(redraw_all)
        go(changes, redraw_all)

    monkeypatch.setattr(browse, "go", noted)
    app, found = open_page("limits", find=ERROR), find(ERROR)
    assert found.opened is not None
    assert title(found.opened.name) in shown(app)
    others = [one for one in found.listed if isinstance(one, Case)]
    assert keys(app, "more_") == [one.name for one in others[: browse.MORE]]
    app.button(key=f"more_{others[0].name}").click().run()
    assert title(others[0].name) in shown(app)
    assert keys(app, "more_")[0] == found.opened.name
    assert app.query_params == {"find": ERROR, "case": others[0].name}
    app.session_state[f"fold {FOLD}"] = True
    assert {"case": "bias"} in queries(app.run())
    app.button(key="back_to_cards").click().run()
    assert app.query_params == {}
    assert app.main.markdown[0].value == f"# {HEADLINE}"
    assert keys(app, "open_") == [case.name for case in CASES if case.card]
    line = "row = F.embedding(torch.tensor([2]), weight, max_norm=1.0)"
    end = f"**  \n`{line}`  \n:orange[≠] 3 of 12 values differ"
    assert app.button(key="open_max-norm").label.endswith(end)
    assert app.button(key="open_float-ids").label.endswith("raises RuntimeError")
    app.button(key="open_max-norm").click().run()
    assert title("max-norm") in shown(app)
    assert keys(app, "open_") == []
    app.button(key="back_to_cards").click().run()
    open_page("limits", find="?!").button(key="open_max-norm").click().run()
    assert wholes == [False, True, False, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "IndexError: pop from empty list",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x3 and 6x3)",
    ],
)
def test_what_may_be_meant_by_an_error_is_offered(text: str) -> None:
    """Below a headline that says why, and no case opened as if it were it."""
    app, found = open_page("limits", find=text), find(text)
    for headline, _ in found.parts():
        assert f"**{headline}**" in shown(app)
    offered = [one.name for one in found.offered if isinstance(one, Case)]
    assert [query["case"] for query in queries(app)] == offered
    assert len(offered) > 1
    assert keys(app, "open_") == []
    assert "## " not in shown(app)


def test_a_question_has_its_answer_as_the_headline_says() -> None:
    """Its sentence, the link to where it is seen, and four more; a case is an answer too."""
    text = "how large should embedding_dim be"
    app = open_page("limits", find=text)
    headline, sentence, *_ = (one.value for one in app.main.markdown)
    record, *others = find(text).offered
    assert headline == f"# Nearest answer: {literal(record.title)}"
    assert sentence == next(one.answer for one in ELSEWHERE if one == record)
    links = [unescaped(one.proto.label) for one in app.get("page_link")][len(PAGES) :]
    assert links[0] == "See it: Training"
    for label, other in zip(links[1:], others, strict=False):
        assert label.startswith(other.title)
    case = case_named("bias")
    app = open_page("limits", find="linear with a bias")
    assert f"# Nearest answer: {literal(case.title)}" in shown(app)
    assert f"{case.claim} {case.why} {case.fix}" in shown(app)
    assert queries(app)[0] == {"find": "linear with a bias", "case": "bias"}
    headline = open_page("limits", find="how do I cook rice").main.markdown[0].value
    assert headline.startswith("# No sure answer. The nearest: ")


@pytest.mark.parametrize("question", ["where do I begin?", "What is a token?"])
def test_an_answer_without_settings_leads_to_a_world(question: str) -> None:
    """It is not another table that has the same letters."""
    links = [one.proto for one in open_page("limits", find=question).get("page_link")]
    query = next(link.query_string for link in links if link.label.startswith("See it"))
    settings = dict(parse_qsl(query))
    assert not {"vocab", "chars"} & {*settings}
    shown = open_page(**settings)
    assert shown.session_state["world"] == "letters"


def test_the_links_of_all_answers_have_settings_of_their_page() -> None:
    """Nothing of them is refused."""
    asked = (meaning(f"What is {name}?") for name in TERMS)
    for other in [*ELSEWHERE, *filter(None, asked)]:
        page = PAGES[other.page]
        names = {one.name for one in page.settings} | {*MODEL, TOUR.name}
        assert set(other.settings) <= names
        for name, value in other.settings.items():
            SETTINGS[name].read(value)


def test_what_is_not_there_is_said() -> None:
    """A text without letters shows those that most meet; a link to no case says so."""
    app = open_page("limits", find="?!")
    assert "No case has words like these" in app.info[0].value
    assert keys(app, "open_") == [case.name for case in CASES if case.card]
    assert FOLD in [one.label for one in app.expander]
    assert open_page("limits", find=" ").info == []
    assert "case='no-such-case' is not one of" in page_words("limits", case="no-such-case")


def test_what_does_not_hold_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that is no longer so, a fix that raises, and what cannot run here."""
    proofs = {**browse.proofs_of_list()}
    wrong = proofs["minus-zero"]
    proofs["minus-zero"] = Proof(wrong.case, Outcome("<b>", "<b>"))
    proofs["bias"] = prove(replace(case_named("bias"), typed="embedding.weight = linear.weight.T"))
    proofs["max-norm"] = Proof(case_named("max-norm"), lacks="no GPU")
    proofs["times-sqrt-d"] = recorded(replace(case_named("tf32"), differ=99), "no GPU")
    monkeypatch.setattr(browse, "proofs_of_list", lambda: proofs)
    app = open_page("limits", case="minus-zero")
    version = f"PyTorch {torch.__version__}"
    assert [one.value for one in app.warning] == [f"The claim below does not hold with {version}."]
    assert "<b>" in [one.value for one in app.code]
    app = open_page("limits", case="bias")
    (said,) = (unescaped(one.value) for one in app.warning)
    assert said.startswith(f"With {version} these lines raise TypeError: cannot")
    assert not any("not run here" in one.value for one in app.caption)
    app = open_page("limits", case="max-norm")
    assert ":gray[·] Cannot run here" in shown(app)
    assert not app.warning
    app = open_page("limits", case="times-sqrt-d")
    assert any("not run here" in one.value for one in app.caption)
    assert not app.warning


def test_a_case_of_its_own_process_is_told_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page and a card say why they wait until the case ends; a failure is told."""
    case = next(case for case in CASES if case.own_process)
    waiting: Future[Proof] = Future()
    monkeypatch.setattr(own_process, "started", {case.name: (time.monotonic(), waiting)})
    app = open_page("limits", case=case.name)
    assert "in a process of its own" in app.info[0].value
    assert app.warning == []
    assert browse.brief(case) == ":gray[·] being proved"
    waiting.set_result(Proof(case, failed="it was killed"))
    assert "it was killed" in shown(app.run())
    assert browse.brief(case) == r":gray[·] Failed\: it was killed"
