"""What a run says: true of its numbers, and in words that a reader checks by dividing."""

import re
from dataclasses import asdict, replace

import pytest

from embviz.timing.case import Case, plan
from embviz.timing.run import Run
from embviz.timing.sentences import answer, as_sentence, case_words, format_time, sentences
from tests.timing.made import CASE, grows, made_run, vocab

NUMBER = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = r"([\d.,]+) (ns|µs|ms|s)\b"


def seconds(text: str) -> list[float]:
    """The times in a text."""
    return [float(n.replace(",", "")) * NUMBER[unit] for n, unit in re.findall(TIME, text)]


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_divides_the_two_times(seed: int) -> None:
    """The stated ratio is that of the two times shown, to its own two digits."""
    run = made_run(vocab(), lambda case: grows(case) * (1 + seed / 7), seed)
    said = answer(run)
    found = re.fullmatch(
        rf"At 16,384 rows a lookup takes {TIME}, a matmul {TIME}: ([\d.,]+) times as long\.", said
    )
    assert found, said
    one, other = seconds(said)
    assert float(found[5].replace(",", "")) == float(f"{other / one:.2g}")


def test_what_is_not_told_apart_has_no_ratio() -> None:
    """Equal times are both shown, and no ratio; too few rounds say so."""
    said = answer(made_run(vocab(), lambda _: 1e-5))
    assert re.fullmatch(rf"At .* a lookup takes {TIME}, a matmul {TIME}: not told apart\.", said)
    kinds = [replace(CASE, ids=ids) for ids in ("uniform", "zipf")]
    for cases, end in (
        (vocab(rows=[64]), ": too few rounds to compare."),
        (kinds, ", not told apart with zipf ids."),
        ([CASE], "At 64 rows a lookup takes 1 µs."),
    ):
        run = Run("short")
        for case in cases:
            run.add({"type": "times", "case": asdict(case), "process": 0, "round": 0,
                     "again": False, "seconds": [1e-6]})  # fmt: skip
        assert answer(run).endswith(end)


def test_every_further_method_is_compared() -> None:
    """The other route comes first; a built one-hot is compared with a ready one too."""
    said = answer(made_run(vocab("lookup", "index_select", "matmul", "onehot_matmul")))
    number = r"[\d.,]+ times as long\."
    first = rf"At 16,384 rows a lookup takes {TIME}, a matmul {TIME}: {number}"
    beside = rf"One-hot built \+ matmul takes {TIME}: {number} index_select takes {TIME}: not .*\."
    ready = rf"At 16,384 rows a matmul takes {TIME}, one-hot built \+ matmul {TIME}: {number}"
    found = re.fullmatch(f"{first} {beside} {ready}", said)
    assert found, said
    assert seconds(found[0])[-1] / seconds(found[0])[-2] == pytest.approx(2, rel=0.1)


def test_kinds_have_a_sentence_for_each_method() -> None:
    """Each kind has its time, and those like the first are named."""
    cases = plan("dtype", ["float32", "bfloat16", "float16"], ["lookup", "matmul"], ["cpu"],
                 num_embeddings=64, embedding_dim=8, tokens=4)[0]  # fmt: skip
    slow = Case("matmul", 64, 8, 4, dtype="float16")
    lookup, matmul = answer(
        made_run(cases, lambda case: 1e-3 if case == slow else 1e-5)
    ).split(". ")  # fmt: skip
    assert lookup.startswith("A lookup takes ")
    assert lookup.endswith("not told apart in bfloat16 and float16")
    assert "ms in float16" in matmul
    assert matmul.endswith("not told apart in bfloat16.")


def test_the_same_case_on_another_device_stands_beside() -> None:
    """A second device has a sentence for each of the two routes, at the last size."""
    cases = plan("vocab", [64, 1024], ["lookup", "matmul"], ["cpu", "cuda"], mode="backward",
                 embedding_dim=64, tokens=256)[0]  # fmt: skip
    said = answer(made_run(cases, lambda c: grows(c) * (0.2 if c.device == "cuda" else 1)))
    for name in ("lookup", "matmul"):
        found = re.search(
            rf"At 1,024 rows with forward \+ backward a {name} takes {TIME} on cpu, {TIME} on cuda"
            r": ([\d.]+) times as fast\.",
            said,
        )
        assert found, said
        one, other = seconds(found[0])
        assert float(found[5]) == float(f"{one / other:.2g}") == pytest.approx(5, rel=0.2)
    assert "At 1,024 rows on cuda with forward + backward a lookup takes" in said


def test_growth_crossings_failures_and_noise_are_said() -> None:
    """All that a run says, with the reason of a failure and the promise of the verdicts."""
    run = made_run(vocab())
    run.environment["remade"] = True
    failed = replace(CASE, method="matmul", num_embeddings=2**20, embedding_dim=64, tokens=256)
    run.add({"type": "failure", "case": asdict(failed), "reason": "needs 9 GiB"})
    said = sentences(run)
    assert said[0] == answer(run)
    text = "\n".join(said[1:])
    for part in (
        r"Matmul is faster than lookup at 4 and 64 rows\.",
        r"A matmul takes .* at 4 rows, .* at 16,384 rows: .* times as long\.",
        r"A lookup takes .* at 4 rows, .* at 16,384 rows: not told apart\.",
        r"Matmul at 1,048,576 rows: needs 9 GiB\.",
        r"measured twice differs by up to [\d.]+ %\.",
        "at most 1 %",
        "rounds are fewer",
    ):
        assert re.search(part, text), part
    run = Run("r")
    control = {"type": "times", "process": 0, "round": 0, "again": True, "seconds": [1e-6]}
    run.add({**control, "case": asdict(CASE)})
    assert (answer(run), sentences(run)) == ("", ["Nothing has been measured yet."])
    run.add({"type": "failure", "case": asdict(CASE), "reason": "gone"})
    assert sentences(run) == ["Lookup at 64 rows: gone."]


def test_words_of_a_case_and_of_a_time() -> None:
    """A case is named by what is unusual; times keep their digits over all units."""
    odd = replace(CASE, device="cuda", cache="new")
    words = "lookup at 64 rows on cuda with new ids in each call"
    assert case_words(odd, "num_embeddings") == words
    assert as_sentence("nn.Embedding is fast") == "nn.Embedding is fast."
    for one in (9.94e-10, 9.96e-7, 1e-6, 0.0099999, 99.4, 12345.0):
        assert seconds(format_time(one)) == [pytest.approx(one, rel=0.051)]
