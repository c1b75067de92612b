"""The page "Where it breaks", headless: every case, the search, and what does not hold."""

import re
import time
from concurrent.futures import Future
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.limits import own_process
from embviz.limits.case import LAYERS, PRELUDE, Case
from embviz.limits.cases import CASES, PARTS, case_named
from embviz.limits.elsewhere import ELSEWHERE, Elsewhere
from embviz.limits.page import browse
from embviz.limits.page.story import HEADLINE
from embviz.limits.prove import Outcome, Proof, prove
from embviz.limits.results import recorded
from embviz.limits.search import find
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES
from embviz.settings.tour import TOUR
from embviz.text.markdown import literal
from embviz.ui.state.address import with_ends
from tests.ui.headless import open_page, page_words, unescaped


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


def listed(app: AppTest) -> dict[str, str]:
    """The links to cases: the query of each, without a search, and its label."""
    found = {}
    for one in app.get("page_link"):
        query = dict(parse_qsl(one.proto.query_string))
        if "case" in query:
            found[f"case={query['case']}"] = one.proto.label
    return found


def test_the_list_and_a_refusal_count_the_same_cases() -> None:
    """The fold, its links and the sentence on a wrong link; each link has the line that breaks."""
    app = open_page("limits", case="zzz")
    assert f"is not one of the {len(CASES)} there are" in app.warning[0].value
    fold = f"All {len(CASES)} cases"
    assert fold in [one.label for one in app.expander]
    app.session_state[f"fold {fold}"] = True
    wanted = {
        f"case={case.name}": f"{literal(case.title)}  \n`{case.shown_line}`" for case in CASES
    }
    assert listed(app.run()) == wanted


def test_the_list_begins_with_what_a_learner_meets() -> None:
    """What needs a GPU, several processes, a compiler or a checkpoint has a heading of its own."""
    app = open_page("limits")
    app.session_state[f"fold All {len(CASES)} cases"] = True
    drawn = [one for one in app.run().main if one.type in ("subheader", "markdown")]
    heads = [one.value for one in drawn]
    learner, later = (heads.index(part) for part in PARTS)
    groups = "Ids", "Calls", "Weights", "Training", "Bags"
    assert {f"**{name}**" for name in groups} <= set(heads[learner:later])
    others = "On a GPU", "Compiled code", "Checkpoints and shared weights", "Quantized tables"
    assert {f"**{name}**" for name in others} <= set(heads[later:])


def test_every_case_opens(subtests: pytest.Subtests) -> None:
    """Each shows its claim, reason and fix, both results, and all programs as they ran."""
    app = open_page("limits")
    for case in CASES:
        with subtests.test(case.name):
            app.query_params["case"] = case.name
            app.run()
            assert [failure.value for failure in app.exception] == []
            assert title(case.name) in shown(app)
            programs = [one.value for one in app.code if one.language == "python"]
            texts = [PRELUDE, *case.programs, LAYERS]
            proof = browse.proof_of(case)
            if proof is None or proof.problem is None or proof.fixed is None:
                assert programs[-4:] == [one.strip() for one in texts]
                continue
            assert programs == [one.strip() for one in (case.typed, *texts)]
            verdict, names = proof.problem.verdict, case.fixed_sides or case.sides
            sign = {"same": ":green[=]", "differ": ":orange[≠]", "raises": ":red[!]"}[verdict]
            head = "The fix." if any(case.raises) else "What to do."
            for words in (
                f"**{sign} {literal(proof.told)}**",
                f"{case.claim} {case.why}",
                f"**{head}** {case.fix}",
                literal(proof.fixed.sentence(names)),
                *(f":blue[**{literal(one)}**]" for one in (case.sides[0], names[0])),
                *(f":orange[**{literal(one)}**]" for one in (case.sides[1], names[1])),
            ):
                assert words in shown(app)


def test_values_that_differ_are_marked() -> None:
    """Values are marked on both sides where they differ; an error is its text."""
    app = open_page("limits", case="max-norm")
    before, after, *fixed = (one.value.to_numpy().tolist() for one in app.table)
    rows = [[*"012"], [*"345"], [*"678"], ["9", "10", "11"]]
    assert fixed == [rows, rows]
    assert before.pop(2) == [f":red-background[**≠ {number}**]" for number in "678"]
    assert after.pop(2)[0] == ":red-background[**≠ 0.49154**]"
    assert before == after == [rows[0], rows[1], rows[3]]
    app = open_page("limits", case="out-of-range")
    assert [one.value for one in app.code][:2] == [
        "index out of range in self",
        "Class values must be smaller than num_classes.",
    ]


def test_a_search_opens_what_is_clearly_meant_and_an_empty_one_the_cards() -> None:
    """What else may be meant is a press away; emptied, the cards are back."""
    assert title("minus-zero") in shown(open_page("limits", case="minus-zero"))
    error = "IndexError: index out of range in self"
    app = open_page("limits", find=error)
    first, offered, count, *_ = find(error)
    assert first is not None
    others = offered[: min(count, browse.MORE)]
    assert title(first.name) in shown(app)
    assert list(app.info) == []
    assert keys(app, "more_") == [one.name for one in others if isinstance(one, Case)]
    app.button(key=f"more_{keys(app, 'more_')[0]}").click().run()
    assert title("rows-from-max") in shown(app)
    assert keys(app, "more_")[0] == first.name
    assert app.query_params == {"find": error, "case": "rows-from-max"}
    app.button(key="back_to_cards").click().run()
    assert app.query_params == {}
    assert keys(app, "open_") == [case.name for case in CASES if case.card]
    line = "row = F.embedding(torch.tensor([2]), weight, max_norm=1.0)"
    end = f"**  \n`{line}`  \n:orange[≠] 3 of 12 values differ"
    assert app.button(key="open_max-norm").label.endswith(end)
    assert app.button(key="open_float-ids").label.endswith("raises RuntimeError")
    app.button(key="open_max-norm").click().run()
    assert title("max-norm") in shown(app)
    assert keys(app, "open_") == []


def test_a_question_ends_with_a_case_that_its_answer_does_not_offer() -> None:
    """Else *Or:* beside that case would offer what fits another one; pages lead to cases too."""
    app = open_page("limits", find="IndexError: index out of range in self")
    app.session_state[f"fold All {len(CASES)} cases"] = True
    queries = [parse_qsl(one.proto.query_string) for one in app.run().get("page_link")]
    (query,) = (query for query in queries if ("case", "bias") in query)
    assert query == [("case", "bias")]
    app = open_page("limits", find="linear with a bias")
    queries = [parse_qsl(one.proto.query_string) for one in app.get("page_link")]
    assert [("find", "linear with a bias"), ("case", "bias")] in queries
    assert with_ends({"case": "bias"}) == {"case": "bias", "find": ""}


@pytest.mark.parametrize(
    "text",
    [
        "IndexError: pop from empty list",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x3 and 6x3)",
    ],
)
def test_what_may_be_meant_by_an_error_is_offered(text: str) -> None:
    """Up to five links below a headline that says why, and no case opened as if it were it."""
    app, found = open_page("limits", find=text), find(text)
    assert found.parts()
    for headline, _ in found.parts():
        assert f"**{headline}**" in shown(app)
    offered = [one.name for one in found.offered if isinstance(one, Case)]
    assert len(offered) > 1
    assert list(listed(app)) == [f"case={name}" for name in offered]
    assert keys(app, "open_") == []
    assert "## " not in shown(app)


def test_a_question_about_something_else_has_no_sure_answer() -> None:
    """The page says so, and shows the nearest all the same."""
    starts = {"how do I cook rice": "No sure answer. The nearest: ", "gpt2": "Nearest answer: "}
    for text, start in starts.items():
        headline = open_page("limits", find=text).main.markdown[0].value
        assert headline.startswith(f"# {start}")


def test_a_question_has_its_answer_as_the_headline_says() -> None:
    """Its sentence stands below, then the link to where it is seen, and four more records."""
    app = open_page("limits", find="how large should embedding_dim be")
    headline, sentence, *_ = (one.value for one in app.main.markdown)
    record = next(record for record in ELSEWHERE if record.title == "How large is D?")
    assert (headline, sentence) == (f"# Nearest answer: {literal(record.title)}", record.answer)
    links = [unescaped(one.proto.label) for one in app.get("page_link")]
    assert links[len(PAGES)] == "See it: Training"
    others = [record.title for record in find("how large should embedding_dim be").offered[1:]]
    shown_below = [re.split(r" \(|  \n", one)[0] for one in links[len(PAGES) + 1 :]]
    assert shown_below[:4] == others
    app.button(key="back_to_cards").click().run()
    assert app.query_params == {}
    assert app.main.markdown[0].value == f"# {HEADLINE}"


def test_a_question_may_be_answered_by_a_case() -> None:
    """Its claim, its reason and its fix are the answer; the link opens it."""
    app, case = open_page("limits", find="linear with a bias"), case_named("bias")
    assert f"# Nearest answer: {literal(case.title)}" in shown(app)
    assert f"{case.claim} {case.why} {case.fix}" in shown(app)
    assert next(iter(listed(app))) == "case=bias"


@pytest.mark.parametrize("other", ELSEWHERE, ids=lambda other: other.title)
def test_the_answer_of_another_page_is_there(other: Elsewhere) -> None:
    """The settings of its link are those of that page, and nothing of them is refused."""
    page = PAGES[other.page]
    names = {one.name for one in page.settings} | {*MODEL, TOUR.name}
    assert set(other.settings) <= names
    app = open_page(other.page, **other.settings)
    assert [one.value for one in (*app.warning, *app.error, *app.exception)] == []


def test_what_is_not_there_is_said() -> None:
    """A text without letters shows those that most meet; a link to no case says so."""
    app = open_page("limits", find="?!")
    assert "No case has words like these" in app.info[0].value
    opened = {one.key for one in app.button if str(one.key).startswith("open_")}
    assert opened == {f"open_{case.name}" for case in CASES if case.card}
    assert f"All {len(CASES)} cases" in [one.label for one in app.expander]
    assert open_page("limits", find=" ").info == []
    app = open_page("limits", find="zebra")
    assert "**Not what you asked? Also near in words:**" in shown(app)
    assert "case='no-such-case' is not one of" in page_words("limits", case="no-such-case")


def test_a_claim_that_does_not_hold_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot run is told too."""
    proofs = {**browse.proofs_of_list(), "bias": Proof(case_named("bias"), lacks="no GPU")}
    wrong = proofs["minus-zero"]
    proofs["minus-zero"] = Proof(wrong.case, wrong.fixed, Outcome("<b>", 1))
    monkeypatch.setattr(browse, "proofs_of_list", lambda: proofs)
    app = open_page("limits", case="minus-zero")
    (claim,) = (one.value for one in app.warning)
    assert claim == f"The claim below does not hold with PyTorch {torch.__version__}."
    assert "<b>" in [one.value for one in app.code]
    app = open_page("limits", case="bias")
    assert ":gray[·] Cannot run here" in shown(app)
    assert not app.warning


def test_a_fix_that_raises_on_a_layer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is shown; the claim still holds. Lines that were not run here say that."""
    proofs = {**browse.proofs_of_list()}
    wrong = replace(case_named("bias"), typed="embedding.weight = linear.weight.T")
    proofs["bias"] = prove(wrong)
    monkeypatch.setattr(browse, "proofs_of_list", lambda: proofs)
    app = open_page("limits", case="bias")
    (said,) = (unescaped(one.value) for one in app.warning)
    assert said.startswith(f"With PyTorch {torch.__version__} these lines raise TypeError: cannot")
    assert not any("not run here" in one.value for one in app.caption)
    proofs["bias"] = recorded(case_named("tf32"), "no GPU")
    app = open_page("limits", case="bias")
    assert any("not run here" in one.value for one in app.caption)
    assert not app.warning


def test_a_case_of_its_own_process_is_told_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says why it waits until the case ends; a failure is told."""
    case = next(case for case in CASES if case.own_process)
    waiting: Future[Proof] = Future()
    monkeypatch.setattr(own_process, "started", {case.name: (time.monotonic(), waiting)})
    app = open_page("limits", case=case.name)
    assert "in a process of its own" in app.info[0].value
    assert app.warning == []
    waiting.set_result(Proof(case, failed="it was killed"))
    app.run()
    assert "it was killed" in shown(app)


def test_a_card_may_have_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The card says that the process runs until it ends."""
    case = next(case for case in CASES if case.own_process)
    waiting: Future[Proof] = Future()
    monkeypatch.setattr(own_process, "started", {case.name: (time.monotonic(), waiting)})
    assert browse.brief(case) == ":gray[·] being proved"
    waiting.set_result(Proof(case, failed="it was killed"))
    assert browse.brief(case) == r":gray[·] Failed\: it was killed"
    assert browse.brief(case_named("max-norm")) == ":orange[≠] 3 of 12 values differ"
