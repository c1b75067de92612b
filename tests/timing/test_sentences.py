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


def divided(text: str) -> tuple[float, float]:
    """The ratio of the two times in a sentence, and the one that it states."""
    one, other = (float(n.replace(",", "")) * NUMBER[u] for n, u in re.findall(TIME, text)[:2])
    stated = re.search(r"([\d.,]+) times as long", text)
    assert stated, text
    return other / one, float(stated[1].replace(",", ""))


@pytest.mark.parametrize("seed", range(8))
def test_a_reader_divides_the_two_times(seed: int) -> None:
    """The stated ratio is that of the two times shown, to its own two digits."""
    run = made_run(vocab(), lambda case: grows(case) * (1 + seed / 7), seed)
    said = answer(run)
    assert said.startswith("At 16,384 rows a lookup takes ")
    found, stated = divided(said)
    assert stated == pytest.approx(found, rel=0.051 if stated < 2 else 0.05)
    assert f"{stated:.2g}" == f"{found:.2g}"


def test_what_is_not_told_apart_has_no_ratio() -> None:
    """Equal times are both shown, and no ratio; too few rounds say so."""
    said = answer(made_run(vocab(), lambda _: 1e-5))
    assert re.fullmatch(
        rf"At 16,384 rows a lookup takes {TIME}, a matmul {TIME}: not told apart\.", said
    )
    kinds = [replace(CASE, ids=ids) for ids in ("uniform", "zipf")]
    for cases, end in ((vocab(rows=[64]), "too few rounds to compare."), (kinds, "with zipf ids.")):
        run = Run("short")
        for case in cases:
            run.add({"type": "times", "case": asdict(case), "process": 0, "round": 0,
                     "again": False, "seconds": [1e-6]})  # fmt: skip
        assert answer(run).endswith(end)
    assert "not told apart" in answer(run)


def test_every_further_method_is_compared() -> None:
    """A one-hot built inside the clock is compared with a ready one, others with the lookup."""
    said = answer(made_run(vocab("lookup", "index_select", "matmul", "onehot_matmul")))
    assert "index_select takes" in said
    assert "not told apart from lookup" in said
    assert re.search(r"One-hot built \+ matmul takes [\d.]+ ms, (1\.9\d|2\.\d) times as long as "
                     r"matmul\.", said)  # fmt: skip


def test_a_mode_is_named() -> None:
    """A run with gradients says so."""
    assert "forward + backward" in answer(made_run(vocab(mode="backward")))


def test_kinds_have_a_sentence_for_each_method() -> None:
    """Each kind has its time, and those like the first are named."""
    cases = plan("dtype", ["float32", "bfloat16", "float16"], ["lookup", "matmul"], ["cpu"],
                 num_embeddings=64, embedding_dim=8, tokens=4)[0]  # fmt: skip
    slow = Case("matmul", 64, 8, 4, dtype="float16")
    said = answer(made_run(cases, lambda case: 1e-3 if case == slow else 1e-5))
    lookup, matmul, rest = said.split(". ") if said.count(". ") == 2 else (*said.split(". "), "")
    assert not rest
    assert lookup.startswith("A lookup takes ")
    assert lookup.endswith("not told apart in bfloat16 and in float16")
    assert "ms in float16" in matmul
    assert matmul.endswith("not told apart in bfloat16.")


def test_the_same_case_on_another_device_stands_beside() -> None:
    """A second device has a sentence for each of the two routes, at the last size."""
    cases = plan("vocab", [64, 1024], ["lookup", "matmul"], ["cpu", "cuda"],
                 embedding_dim=64, tokens=256)[0]  # fmt: skip
    said = answer(made_run(cases, lambda c: grows(c) * (0.2 if c.device == "cuda" else 1)))
    for name in ("a lookup", "a matmul"):
        (one,) = re.findall(rf"On cpu {name} takes [^:]+: 0\.\d+ times as long\.", said)
        assert divided(one)[1] == pytest.approx(0.2, rel=0.2)


def test_growth_crossings_failures_and_noise_are_said() -> None:
    """All that a run says, with the reason of a failure and the promise of the verdicts."""
    run = made_run(vocab())
    failed = replace(CASE, method="matmul", num_embeddings=2**20, embedding_dim=64, tokens=256)
    run.add({"type": "failure", "case": asdict(failed), "reason": "needs 9 GiB"})
    said = sentences(run)
    assert said[0] == answer(run)
    text = "\n".join(said[1:])
    assert "Matmul is faster than lookup at 4 and 64 rows." in text
    assert re.search(r"Matmul at 4 rows takes .* at 16,384 rows .* times as long\.", text)
    assert re.search(r"Lookup at 4 rows takes .* at 16,384 rows .* not told apart\.", text)
    assert "Matmul at 1,048,576 rows: needs 9 GiB." in said
    assert re.search(r"measured twice differs by up to [\d.]+ %\.", text)
    assert "at most 1 %" in text


def test_nothing_measured_says_so() -> None:
    """A run without times has no answer, and says why."""
    run = Run("r")
    assert answer(run) == ""
    assert sentences(run) == ["Nothing has been measured yet."]
    run.add({"type": "failure", "case": asdict(CASE), "reason": "gone"})
    assert sentences(run) == ["Lookup at 64 rows: gone."]


def test_words_of_a_case_and_of_a_time() -> None:
    """A case is named by what is unusual; times keep their digits over all units."""
    odd = replace(CASE, device="cuda", cache="new")
    assert case_words(odd, "num_embeddings") == (
        "lookup on cuda with new ids in each call at 64 rows"
    )
    assert as_sentence("nn.Embedding is fast") == "nn.Embedding is fast."
    for seconds in (9.94e-10, 9.96e-7, 1e-6, 0.0099999, 99.4, 12345.0):
        number, unit = re.fullmatch(TIME, format_time(seconds)).groups()  # type: ignore[union-attr]
        assert float(number.replace(",", "")) * NUMBER[unit] == pytest.approx(seconds, rel=0.051)
