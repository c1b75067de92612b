"""The search: errors of this PyTorch, of other machines and versions, words, and hostile texts.

`texts.json` has texts with what must be found: the case that opens, the cases that list it, the
records that are among the five nearest, or the one that stands first there. A text that no case
lists gets the five nearest, never an opened case.
"""

import json
import time
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from embviz.limits import nearest
from embviz.limits.case import Case, end_of
from embviz.limits.cases import CASES
from embviz.limits.elsewhere import ELSEWHERE, Elsewhere
from embviz.limits.messages import cases_by_message, messages, plain
from embviz.limits.search import NO_CASE, NOT_SURE, OFFERED, Found, find
from embviz.limits.settings import MAX_CHARACTERS

FRAME = """Traceback (most recent call last):
  File "/srv/project/train.py", line 12, in <module>
    output = model(ids.to(device), mask)
  File "/usr/lib/python3/site-packages/torch/nn/functional.py", line 2567, in forward
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
"""
SEVERAL_CAUSES = "This text has several causes. Cases that list it:"
NEAREST = "The nearest in words:"
LAYERS = {"What an embedding is, number by number", "When to use which layer", "always-faster"}
# Pairs of signs that people, word processors, web pages and logs write for a quote.
QUOTES = (
    *("''", "‘’", "‚‘", "’’", "‹›", "›‹", "′′", "‵′", "``", "`'", "´´", "＇＇", "‛’"),
    *('""', "“”", "„“", "””", "””", "«»", "»«", "″″", "‶″", "＂＂", "‟”"),
    *(("&#x27;", "&#39;"), ("&apos;", "&apos;"), ("&lsquo;", "&rsquo;"), ("&quot;", "&quot;")),
    *(("&amp;#39;", "&amp;quot;"), ("&amp;amp;#x27;", "&amp;#x27;"), (r"\'", r"\""), (r"\\'", "'")),
    *(("&sbquo;", "&lsquo;"), ("&bdquo;", "&ldquo;"), ("&laquo;", "&raquo;")),
)


def read(name: str) -> Any:
    """A file of texts beside this one."""
    return json.loads(Path(__file__).with_name(name).read_text("utf-8"))


def names(found: Found) -> list[str]:
    """The cases that are offered; of another page its title."""
    return [one.name if isinstance(one, Case) else one.title for one in found.offered]


@pytest.mark.parametrize("record", read("texts.json"), ids=lambda record: record["text"][:50])
def test_a_text_finds_what_is_meant(record: dict[str, Any]) -> None:
    """An error also with its traceback, broken into lines, or in capitals; words however typed.

    What programs without these layers raise as often opens nothing: the cases that list it stand
    below a headline that says so.
    """
    text, opens, listed = record["text"], record.get("opens"), record.get("listed", [])
    spelled = [text]
    if opens or listed:
        spelled += [f" {FRAME}{text}\n\n", text.replace(" ", "\n"), text.upper()]
    elif "opens" not in record:
        spelled += [text.upper(), f" {text} "]
    for typed in spelled:
        found = find(typed)
        assert (found.opened and found.opened.name) == opens, typed
        assert {*listed} <= {*names(found)[: len(found.listed)]}, typed
        assert {*record.get("offered", [])} <= {*names(found)}, typed
        assert record.get("first") in (None, names(found)[0]), typed
        assert len(found.offered) <= OFFERED
        if listed:
            assert found.parts()[0][0] == SEVERAL_CAUSES


@pytest.mark.parametrize(("wordings", "first"), [("built", 117), ("unseen", 108)])
def test_what_newcomers_ask_in_many_wordings(wordings: str, first: int) -> None:
    """130 wordings of 13 questions. The right record stands first for most of them.

    Of the wordings *unseen* none was looked at while the records were written: 112 of 130 were
    right at the first count, 125 among the five nearest. They are no text to learn from: so a
    failure prints which of *built* no longer stand first, and of *unseen* their count alone.

    A new record may take a place from another one: a few fewer are no failure.
    """
    questions = read("newcomer.json")
    found = [
        (text, names(find(text)), {*question["right"]})
        for question in questions
        for text in question[wordings]
    ]
    assert len(found) == 130
    missed = {text: offered[0] for text, offered, right in found if offered[0] not in right}
    among_five = sum(bool(right & {*offered}) for _, offered, right in found)
    # Plain comparisons of numbers, so that pytest prints no wording of its own accord.
    standing, shown = len(found) - len(missed), missed if wordings == "built" else ""
    if standing < first:
        pytest.fail(f"{standing} of 130 stand first, {first} should. {shown}", pytrace=False)
    if among_five < 122:
        pytest.fail(f"{among_five} of 130 are among the five nearest, 122 should.", pytrace=False)
    for question in questions:
        assert names(find(question["question"]))[0] in question["right"], question["question"]


@pytest.mark.parametrize(
    ("asked", "messages"), [("asked", (72, 17)), ("kept_apart", (59, 1))], ids=str
)
def test_what_people_asked(asked: str, messages: tuple[int, int]) -> None:
    """Each message that no other program raises opens its case; each of the others is listed by it.

    Each question but a few has its case among the five nearest.

    The texts were gathered from public issues and forums, and put in other words. The cases have
    learnt from them since: these numbers hold what was reached, and tell nothing of other texts.
    """
    counts: dict[str, Counter[str]] = {"messages": Counter(), "questions": Counter()}
    texts = read(f"{asked}.json")
    for kind, count in counts.items():
        for one in texts[kind]:
            found, right = find(one["text"]), {one["case"], *one.get("also", [])}
            outcome = "offered" if right & {*names(found)} else "nothing"
            if found.opened:
                outcome = "right" if found.opened.name in right else "wrong"
            count[outcome] += 1
    opened, offered = messages
    assert counts["messages"] == {"right": opened, "offered": offered}
    questions = counts["questions"]
    assert questions["wrong"] == 0
    assert questions["right"] + questions["offered"] >= 0.97 * questions.total(), questions
    assert [one["text"] for one in texts["nothing"] if find(one["text"]).opened] == []


def test_any_choice_of_two_layers_finds_what_compares_them() -> None:
    """In both orders, however they are joined."""
    first = "embedding", "nn.Embedding", "Embedding layer", "lookup"
    second = "linear", "nn.Linear", "dense", "Dense layer", "matmul"
    for one, joined, other in product(first, ("or", "vs", "versus"), second):
        for text in f"{one} {joined} {other}", f"{other} {joined} {one}":
            assert LAYERS & {*names(find(text))}, text


@pytest.mark.parametrize("one", [*CASES, *ELSEWHERE], ids=lambda one: one.title)
def test_a_title_or_a_question_finds_its_own(one: Case | Elsewhere) -> None:
    """Typed as it stands or in capitals, with or without its question mark.

    It stands first, but for cases that list a message which the question quotes.
    """
    for text in one.title, *one.questions:
        for typed in text, text.upper(), text.strip("?"):
            found = find(typed)
            assert one in (found.opened, *found.listed, *found.near[:1]), typed


@pytest.mark.parametrize("quotes", QUOTES)
def test_a_quote_is_a_quote(quotes: tuple[str, str]) -> None:
    """Single or double, as PyTorch has it there, and however it is written."""
    left, right = quotes
    single = f"embedding(): argument {left}indices{right} (position 2) must be Tensor, not list"
    double = f"{left}addmm_impl_cpu_{right} not implemented for 'Long'"
    opened = [found.name for text in (single, double) if (found := find(text).opened)]
    assert opened in (["float-ids"], ["one-hot-is-int64"])


def test_what_no_case_lists_gets_the_five_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing opens. Of an error the headline says why; without letters nothing is found at all.

    Before something is asked nothing is searched: the library takes a second to import.
    """
    texts = {
        "zebra": NOT_SURE,
        "how large is D": NEAREST,
        "IndexError: pop from empty list": NO_CASE,
    }
    for text, headline in texts.items():
        found = find(text)
        assert (found.opened, found.listed) == (None, ())
        assert len(found.offered) == OFFERED
        assert [said for said, _ in found.parts()] == [headline]
    assert find("?!") == Found()
    monkeypatch.setattr(nearest, "_index", pytest.fail)
    assert find("  \n\t") == find("") == Found()


def test_the_last_error_of_a_traceback_counts() -> None:
    """Python tells first the error that was being handled; only the end of a long text is read."""
    first, last = "IndexError: index out of range in self", "'weight' must be 2-D"
    both = "During handling of the above exception, another exception occurred:"
    for lines, name in (
        ([first, both, FRAME, last], "swapped-arguments"),
        ([last, both, FRAME, first], "out-of-range"),
    ):
        opened = find("\n".join(lines)).opened
        assert opened is not None
        assert opened.name == name
    assert find("xyzzy " * 4000 + first).opened is not None
    assert find(first + " xyzzy" * 4000).opened is None


@pytest.mark.parametrize("case", [case for case in CASES if case.general], ids=lambda one: one.name)
def test_a_general_message_below_an_opening_one_opens_the_case(case: Case) -> None:
    """A checkpoint names each layer that does not fit, a GPU fails again in later calls.

    No pair is a message of another case, which has a line end at that place.
    """
    opening = [text for text in case.messages if cases_by_message(plain(text))[0] is case]
    others = [one.parts for one in messages() if one.case is not case and one.opens]
    for above, below in product(opening, case.general):
        text = plain(f"{above}\n{FRAME}{below}".replace("…", " x "))
        alone = [plain(part.replace("…", " x ")) for part in (above, below)]
        spans = [parts for parts in others if end_of(parts, text)]
        if all(any(end_of(parts, part) for part in alone) for parts in spans):
            assert cases_by_message(text)[0] is case, text


def hostile_texts() -> dict[str, str]:
    """Texts that make a careless search slow."""
    found = {
        "dots": "a.b" * 6600 + "error: ",
        "errors": "error: " * 3000,
        "letters": "a" * 10**6,
        "types": "type object '" * 10**4,
        "controls": "\0\ud800(((((" * 10**4,
        "words": " ".join(f"word{number}" for number in range(4000)),
        "shapes": "(2x3 and 4x4" * 2000,
        "digits": "x" + "1" * MAX_CHARACTERS,
        "ampersands": "&a" * 10**4,
        "entities": "&#x27;" * 4000,
        "entities of entities": "&" + "amp;" * 5000,
        "backslashes": "\\" * MAX_CHARACTERS,
        "ligatures": "ﬃ" * MAX_CHARACTERS,
        "every part": " ".join(part for one in messages() for part in one.parts),
    }
    for first, *others in {one.parts for one in messages() if len(one.parts) > 2}:
        found[f"again {first}"] = f"{first} " * MAX_CHARACTERS
        found[f"nearly {others[-1]}"] = f"{first} " + f"{others[-1][:-1]}~" * 2000
        found[f"before one_hot( {others}"] = " ".join(others) + " one_hot(" * 2400
    return found


def test_no_text_makes_the_search_slow() -> None:
    """20,000 characters cost at most 0.1 s of processor time, whatever they are."""
    find("the first search reads all cases")
    for name, text in hostile_texts().items():
        text = text[:MAX_CHARACTERS]
        costs = []
        for _ in range(3):
            started = time.thread_time()
            find(text)
            costs.append(time.thread_time() - started)
            if costs[-1] < 0.1:
                break
        assert min(costs) < 0.1, name[:80]
