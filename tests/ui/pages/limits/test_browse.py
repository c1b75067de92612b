"""The page "Where it breaks", headless: links with mistakes, every case, the search."""

import re
import time
from concurrent.futures import Future
from html import unescape

import pytest
import torch
from streamlit.testing.v1 import AppTest

from embviz.limits import alone
from embviz.limits.cases import CASES, case_named
from embviz.limits.prove import Outcome, Proof
from embviz.limits.search import find
from embviz.ui.pages.limits import browse
from embviz.ui.pages.limits.values import sentence_case, side
from tests.ui.headless import open_page, page_words, press


def unescaped(text: str) -> str:
    """Markdown as a reader sees it."""
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text)


def shown(app: AppTest) -> str:
    """All Markdown of the page, as a reader sees it."""
    return "\n".join(unescaped(part.value) for part in app.markdown)


def five(app: AppTest) -> list[str]:
    """What each card says below its title."""
    assert len([one for one in app.button if str(one.key).startswith("open_")]) == 5
    return [line for line in shown(app).splitlines() if re.match(r":[a-z]+\[", line)]


def drawn(app: AppTest) -> list[tuple[str, str, list[tuple[bool, float]]]]:
    """The name of each side of a case, its error, and its numbers with their marks."""
    sides = []
    for part in app.get("html"):
        if name := re.search(r'class="who">(.*?)<', html := part.proto.body):
            error = re.search(r'class="error">(.*?)</pre>', html, re.DOTALL)
            cells = re.findall(r"<td( class=off)?>(?:<span.*?</span>)?([^<]+)<", html)
            numbers = [(bool(mark), float(words)) for mark, words in cells]
            sides.append((unescape(name[1]), unescape(error[1]) if error else "", numbers))
    return sides


def check_sides(found: list[tuple[str, str, list[tuple[bool, float]]]], outcome: Outcome) -> None:
    """The error or the numbers of each side, marked where they differ from the other side's."""
    for (_, error, numbers), value in zip(found, (outcome.left, outcome.right), strict=True):
        assert error == (str(value) if isinstance(value, Exception) else "")
        if isinstance(value, torch.Tensor):
            close = torch.tensor([number for _, number in numbers]).double()
            torch.testing.assert_close(
                close, value.flatten().double(), rtol=1e-4, atol=0, equal_nan=True
            )
            marks = [] if outcome.differs is None else outcome.differs.flatten().tolist()
            assert [mark for mark, _ in numbers] == (marks or [False] * len(numbers))


def title(name: str) -> str:
    """The heading of an opened case."""
    return f"#### {sentence_case(case_named(name).title)}"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"case": "no-such-case"}, "case='no-such-case' is not one of"),
        ({"find": "zebra"}, "No case is about this"),
    ],
    ids=str,
)
def test_a_wrong_link_to_a_case_is_refused(query: dict[str, str], words: str) -> None:
    """A link with a mistake shows a sentence about it, not a traceback."""
    assert words in page_words("limits", **query)


def test_every_case_opens_from_the_list(subtests: pytest.Subtests) -> None:
    """Each case shows its claim, its reason, its fix, its result and both programs as they ran."""
    app = open_page("limits")
    app.session_state["all_cases"] = True
    app.run()
    for case in CASES:
        with subtests.test(case.name):
            app.button(key=f"list_{case.name}").click().run()
            assert [failure.value for failure in app.exception] == []
            assert app.query_params == {"case": case.name}
            programs = [code.value for code in app.code]
            assert [
                text.endswith(f"\n\n\n{end.strip()}")
                for text, end in zip(programs, (case.breaks, case.mends), strict=True)
            ] == [True, True]
            words = shown(app)
            assert title(case.name) in words
            proof = browse.proof_of(case)
            if proof is not None and proof.problem is not None and proof.fixed is not None:
                assert unescaped(f"{case.claim} {case.why}") in words
                verdict = proof.problem.verdict
                sign = {"same": ":green[=]", "differ": ":orange[≠]", "raises": ":red[!]"}[verdict]
                assert f"{sign} **{proof.told}**" in words
                sides = drawn(app)
                assert [one[0] for one in sides] == [*case.sides, *(case.fixed_sides or case.sides)]
                check_sides(sides[:2], proof.problem)
                check_sides(sides[2:], proof.fixed)
                assert proof.fixed.told(case.fixed_sides or case.sides) in words
                head = "In code." if verdict == "same" else "The fix."
                assert f"**{head}** {unescaped(case.fix)}" in words


def test_a_search_opens_its_best_case_and_an_empty_one_the_cards() -> None:
    """The others are a press away, and their number is said; emptied, five cards are back."""
    app = open_page("limits", case="minus-zero")
    assert title("minus-zero") in shown(app)
    for text in ("memory", "nan"):
        app.text_input(key="find").set_value(text).run()
        found = find(text)
        assert title(found[0].name) in shown(app)
        assert app.query_params == {"find": text}
        assert f"{len(found) - 1} more:" in shown(app)
        more = [str(one.key) for one in app.button if str(one.key).startswith("more_")]
        assert more == [f"more_{one.name}" for one in found[1:4]]
    app.button(key=f"more_{found[1].name}").click().run()
    assert title(found[1].name) in shown(app)
    assert app.query_params == {"find": "nan", "case": found[1].name}
    app.text_input(key="find").set_value("?!").run()
    assert "No case is about this" in app.info[0].value
    assert five(app)[0] == ":red[!] IndexError and RuntimeError"
    app.text_input(key="find").set_value("").run()
    assert [one.value for one in app.info] == []
    assert five(app)[1:4] == [":red[!] RuntimeError"] * 2 + [":orange[≠] 2 of 3 values differ"]
    assert app.query_params == {}
    app.text_input(key="find").set_value("nan").run()
    press(app, "Back to the first five")
    assert app.query_params == {}
    assert len(five(app)) == 5
    app.button(key="open_max-norm").click().run()
    assert title("max-norm") in shown(app)


def test_a_claim_that_does_not_hold_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the cards by its title, and in the case itself; what cannot run is told there alone."""
    proofs = {**browse.proofs_of_list(), "bias": Proof(case_named("bias"), lacks="no GPU")}
    wrong = proofs["minus-zero"]
    proofs["minus-zero"] = Proof(wrong.case, wrong.fixed, wrong.fixed)
    monkeypatch.setattr(browse, "proofs_of_list", lambda: proofs)
    app = open_page("limits", case="minus-zero")
    said = [unescaped(one.value) for one in app.warning]
    assert re.match(r"Not so with PyTorch .*: -0\.0 in the weight\.", said[0])
    assert said[1] == "The claim below does not hold on the PyTorch installed here."
    app = open_page("limits", case="bias")
    assert [unescaped(one.value) for one in app.info] == ["Cannot run here: no GPU."]
    assert len(app.warning) == 1


def test_a_case_of_its_own_process_is_told_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then the page says why it waits; a failure is told in the case and above the cards."""
    case = next(case for case in CASES if case.alone)
    waiting: Future[Proof] = Future()
    monkeypatch.setattr(alone, "_started", {case.name: (time.monotonic(), waiting)})
    app = open_page("limits", case=case.name)
    assert "in a process of its own" in app.info[0].value
    assert app.warning == []
    waiting.set_result(Proof(case, failed="it was killed"))
    app.run()
    assert [unescaped(one.value) for one in app.info] == ["Failed: it was killed."]
    assert sentence_case(case.title) in unescaped(app.warning[0].value)


def test_an_error_is_shown_as_text() -> None:
    """Markup in a name or a message is no markup of the page."""
    html = side("<i>", ValueError("<b>"), None, "red") + side("", "<u>", None, "red")
    assert not re.search("<[biu]>", html)


@pytest.mark.parametrize(("name", "first"), [("minus-zero", "none"), ("bias", "15")])
def test_the_lines_that_differ_are_those_that_differ(name: str, first: str) -> None:
    """Named for both programs, counted as the numbers beside the code."""
    app = open_page("limits", case=name)
    one, other = (code.value.splitlines() for code in app.code)
    second = [n for n, line in enumerate(other, 1) if line not in one]
    captions = [one.value for one in app.caption if one.value.startswith("Lines")]
    assert captions == [f"Lines that differ: {first}.", f"Lines that differ: {second[0]}."]
