"""The sentences of a run: both times, and their ratio where they are told apart.

A time has one set of digits everywhere, and a ratio is that of the two times shown: a reader
divides. Direction, ratio and times all come from `medians.sample_medians`, as the verdict does.
Text is plain and may quote a stranger's file: escape it before it is shown as markdown or HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES, CACHES, MODES
from embviz.timing.measure.medians import sample_name, typical_seconds
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import FEWEST, KINDS, MOST_PROCESSES, PLACEMENTS, Timed
from embviz.timing.tell.questions import ONE_HOT, question_named
from embviz.timing.tell.statistics import LEVEL, MARGIN, clock_of, noise, pairs, verdicts

MOST = 4  # Comparisons in an answer, at most.
DIGITS = 3  # Significant digits of a time.
UNSURE = "not told apart"
UNJUDGED = "not judged"
UNITS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))
# Bytes in the caches, and operations in 32 bits, that every processor does in a second: what takes
# four times as long as they say is mostly the cost of a call.
RATE = 1e10
CALL_S = 2e-5  # Seconds that a call without work takes, at most.
TAKES = {"wait": "takes", "gpu": "takes the GPU"}


def format_time(seconds: float) -> str:
    """Seconds with DIGITS significant digits.

    >>> [format_time(s) for s in (1.934e-6, 12.34e-6, 1.3e-3, 0.9996, 3e-10, 4000)]
    ['1.93 µs', '12.3 µs', '1.3 ms', '1 s', '0.3 ns', '4,000 s']
    """
    unit, size = next((one for one in UNITS if seconds < 999.5 * one[1]), UNITS[-1])
    return f"{_rounded(seconds / size, DIGITS):,.10g} {unit}"


def format_ratio(ratio: float) -> str:
    """A ratio with two significant digits, and near 1 with two decimals.

    >>> [format_ratio(r) for r in (684.2, 9.96, 1.037, 0.74, 12345, 0.0123)]
    ['680', '10', '1.04', '0.74', '12,000', '0.012']
    """
    return f"{ratio:.2f}" if 0.995 <= ratio < 1.995 else f"{_rounded(ratio, 2):,.10g}"


def longer(ratio: float) -> str:
    """How long something takes, by the time of something else.

    >>> longer(3400), longer(1 / 280)
    ('3,400 times as long', '280 times as fast')
    """
    if ratio >= 1:
        return f"{format_ratio(ratio)} times as long"
    return f"{format_ratio(1 / ratio)} times as fast"


def ratio_shown(first: float, second: float) -> float:
    """The ratio of two times as they are shown: a reader divides."""
    return _rounded(first, DIGITS) / _rounded(second, DIGITS)


def joined(words: Sequence[str]) -> str:
    """Words in a row, with commas and a last `and`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop; an identifier at its start keeps its case.

    >>> as_sentence("two times"), as_sentence("nn.Embedding is fast")
    ('Two times.', 'nn.Embedding is fast.')
    """
    identifier = any(mark in text.split(" ", 1)[0] for mark in "_.[")
    return f"{text if identifier else text[0].upper() + text[1:]}."


def at(field: str, *values: Any) -> str:
    """A place on an axis, a device, a cache or a mode.

    >>> at("num_embeddings", 64, 65536), at("tokens", 1), at("ids", "zipf", "equal")
    ('at 64 and 65,536 rows', 'at 1 token', 'with zipf and equal ids')
    >>> at("dtype", "float16"), at("device", "cuda"), at("cache", "new"), at("precision", "high")
    ('in float16', 'on the GPU', 'with new ids in each call', 'with TF32')
    """
    words = {name: one.label for name, one in MODES.items()}
    words |= {name: one.words for name, one in CACHES.items()}
    words |= {"highest": "full precision", "high": "TF32", "cpu": "the CPU", "cuda": "the GPU"}
    given = [f"{one:,}" if isinstance(one, int) else words.get(one, one) for one in values]
    if field in AXES:
        axis = AXES[field]
        return f"{axis.before} {axis.singular if values == (1,) else axis.plural}".format(
            joined(given)
        )
    return f"{'on' if field == 'device' else 'with'} {joined(given)}"


def case_words(case: Timed, axis: str) -> str:
    """A case by its method, its place on the axis, and what is unusual.

    >>> case_words(Timed("lookup", 64, 8, 4, device="cuda", cache="new"), "num_embeddings")
    'lookup at 64 rows on the GPU with new ids in each call'
    """
    usual = {name: next(iter(KINDS[name])) for name in ("device", "cache", "mode", "precision")}
    fields = [axis, *(one for one, value in usual.items() if getattr(case, one) != value)]
    return " ".join([case.record.label, *(at(one, getattr(case, one)) for one in fields)])


def sizes(cases: Sequence[Timed], axis: str) -> str:
    """All that the times of these cases depend on and that they share, in one sentence.

    >>> sizes([Timed("lookup", 64, 8, 1, threads=2), Timed("lookup", 128, 8, 1, threads=2)],
    ...       "num_embeddings")
    '1 token, 8 numbers each, 2 threads.'
    >>> sizes([Timed("matmul", 64, 8, 4, mode="sgd"), Timed("lookup", 64, 8, 4, mode="sgd")],
    ...       "dtype")
    '64 rows of 8 numbers, 4 tokens, training step (SGD).'
    """
    first = cases[0]
    shared = {
        name: getattr(first, name)
        for name in Timed.__dataclass_fields__
        if name not in ("method", axis) and len({getattr(case, name) for case in cases}) == 1
    }
    rows, dim, tokens = (shared.get(name) for name in ("num_embeddings", "embedding_dim", "tokens"))
    said = list[str]()
    if rows:
        said.append(counted(rows, "row") + (f" of {counted(dim, 'number')}" if dim else ""))
    if tokens:
        said.append(counted(tokens, "token"))
    if dim and not rows:
        said.append(f"{counted(dim, 'number')} each")
    on_cpu = any(case.device == "cpu" for case in cases)
    if on_cpu and shared.get("threads", 1) != 1:
        said.append(counted(shared["threads"], "thread"))
    for name in ("dtype", "precision", "ids", "mode", "cache", "device"):
        usual = "float32" if name == "dtype" else next(iter(KINDS[name]))
        if shared.get(name, usual) != usual:
            said.append(at(name, shared[name]).removeprefix("with ").removeprefix("in "))
    return f"{', '.join(said)}."


def answer(run: Run) -> list[str]:
    """The answer to the run's question, the main sentence first; empty if nothing was measured."""
    if not run.measured:
        return []
    found = _Answer(run)
    is_yes_or_no = question_named(run.question).is_yes_or_no
    said = found.can_win() if is_yes_or_no else found.usual()
    if not said:
        return []
    if found.has_devices:  # which of both is quicker depends on the method
        said[:2] = [" ".join(said[:2])]
    return [f"{sizes(run.measured, run.axis)} {said[0]}", *said[1:], *found.unsure()]


def details(run: Run) -> list[str]:
    """The sentences beside a run's answer: failures, and the noise."""
    noisy = _noise(run) if run.measured else ()
    return [*failures(run), *noisy] or ["Nothing has been measured yet."]


def failures(run: Run) -> Iterator[str]:
    """A sentence for each case that gave no more times, and why."""
    for case, reason in sorted(run.failures.items()):
        yield as_sentence(f"{case_words(case, run.axis)}: {reason.rstrip('. ')}")


def caveat(run: Run) -> str:
    """A sentence on whatever may have moved the times of a run; empty where nothing is known.

    >>> run = Run("r")
    >>> run.environment = {"governor": "powersave", "load_1min": 3.0, "logical_cores": 2}
    >>> caveat(run)
    'These times may be off: the governor is powersave, and the load was 3 on 2 cores.'
    """
    facts, said = run.environment, list[str]()
    load, cores = _fact(facts, "load_1min"), _fact(facts, "logical_cores")
    limit = _fact(facts, "cgroup_cores")
    if facts.get("governor") == "powersave":
        said.append("the governor is powersave")
    if load >= cores > 0:
        said.append(f"the load was {load:g} on {cores:g} cores")
    if 0 < limit < cores:
        said.append(f"a CPU limit allowed {limit:g} of {cores:g} cores")
    if run.measured and (missing := _missing(run)):
        said.append(missing)
    return f"These times may be off: {', and '.join(said)}." if said else ""


def _fact(facts: Mapping[str, Any], name: str) -> float:
    """A number of the environment; 0 where it is none, as in a stranger's file."""
    value = facts.get(name)
    return value if isinstance(value, int | float) else 0


def _missing(run: Run) -> str:
    """How many of the planned placements or processes a run has; empty if it has all."""
    count, several = len(run.sample_medians()), sample_name(run.times) == "process"
    if several and count < FEWEST:
        return f"only {count} of at least {FEWEST} processes were measured"
    if not several and count < PLACEMENTS:
        return f"only {count} of {PLACEMENTS} placements were measured"
    return ""


class _Answer:
    """The times of a run by the clock of its answer, and the verdicts on them."""

    def __init__(self, run: Run) -> None:
        self.axis, self.clock = run.axis, clock_of(run.times, run.question)
        self.sample = sample_name(run.times)
        self.calibrations = run.environment.get("calibrations", [])
        self.samples = run.sample_medians(self.clock)
        self.seconds: dict[Timed, float] = typical_seconds(self.samples).dropna().to_dict()
        self.pairs = [*pairs(self.seconds, run.question)]
        frame = verdicts(run.times, self.clock, run.question, self.samples)
        self.verdicts: dict[Any, Any] = {(row.a, row.b): row for row in frame.itertuples()}
        self.varies = [
            name
            for name in dict.fromkeys([self.axis, *AXES, "device", "cache", "mode"])
            if name == self.axis or len({getattr(case, name) for case in self.seconds}) > 1
        ]
        self.has_devices = any(field == "device" for field, _, _ in self.pairs)
        self._unsure = list[tuple[Timed, Timed]]()  # Pairs that were said to be not told apart.
        self._said = set[str]()  # Reasons that were said.

    def usual(self) -> list[str]:
        """The comparisons of kinds, or those at the largest size; then where a matmul wins."""
        kinds = [(b, a) for field, a, b in self.pairs if field in (self.axis, "precision")]
        if kinds and AXES[self.axis].compared:
            return self._kinds(kinds)
        said = self._last()
        if won := self._won():
            said.append(as_sentence("; ".join(won)))
        return said

    def can_win(self) -> list[str]:
        """Yes or no, where; then the largest win, and the largest size."""
        wins, said = self._wins(), self._won()
        open_pairs = [
            (a, b) for _, a, b in self.pairs if not self._told(a, b) and self._may_win(a, b)
        ]
        if open_pairs:
            self._unsure += open_pairs
            unsure: dict[str, list[Any]] = {}
            for a, _ in sorted(open_pairs):
                unsure.setdefault(_a(a), []).append(getattr(a, self.axis))
            (name, places), *more = unsure.items()
            where = [f"{name} and the lookup are {UNSURE} {self._at(places)}"]
            where += [f"{name} and the lookup {self._at(places)}" for name, places in more]
            said.append(", ".join(where))
        if not said:
            return ["No, not at these sizes.", *self._last()]
        if not wins:
            return [f"Not certain: {said[0]}.", *self._last()]
        a, b = min(wins, key=lambda pair: self._ratio(*pair))
        return [f"Yes: {'; '.join(said)}.", *self._compared("method", b, a), *self._last()]

    def _last(self) -> list[str]:
        """The comparisons at the largest size, matmuls first; one time where there is none."""
        last = max(getattr(case, self.axis) for case in self.seconds)
        those = [one for one in self.pairs if getattr(one[2], self.axis) == last]
        those.sort(key=lambda one: one[1].record.route == one[2].record.route)
        said = list[str]()
        for (field, b), same in groupby(those[:MOST], itemgetter(0, 2)):
            said += self._compared(field, b, *(one[1] for one in same))
        return said or self._compared("method", max(self.seconds))

    def _kinds(self, kinds: Sequence[tuple[Timed, Timed]]) -> list[str]:
        """A sentence for each method, the one with the largest difference first."""
        grouped: dict[Timed, list[Timed]] = {}
        for b, a in kinds:
            grouped.setdefault(b, []).append(a)

        def difference(b: Timed) -> tuple[bool, float]:
            return max((self._told(a, b), abs(math.log(self._ratio(a, b)))) for a in grouped[b])

        order = sorted(grouped, key=difference, reverse=True)
        return [one for b in order for one in self._compared(self.axis, b, *grouped[b][:MOST])]

    def _wins(self) -> list[tuple[Timed, Timed]]:
        """The pairs in which a matmul is told to be faster than the lookup."""
        return [
            (a, b)
            for field, a, b in self.pairs
            if field == "method" and a.record.route != b.record.route
            if self._told(a, b) and self._ratio(a, b) < 1
        ]

    def _won(self) -> list[str]:
        """Where each method is told to be faster than the lookup."""
        won: dict[str, list[Any]] = {}
        for a, _ in self._wins():
            won.setdefault(_a(a), []).append(getattr(a, self.axis))
        return [f"{name} is faster {self._at(places)}" for name, places in won.items()]

    def _at(self, places: Sequence[Any]) -> str:
        """The places on the axis; three or more without a gap by the first and the last."""
        measured = sorted({getattr(case, self.axis) for case in self.seconds})
        start = measured.index(places[0])
        in_a_row = list(places) == measured[start : start + len(places)]
        if in_a_row and len(places) > 2 and AXES[self.axis].size:
            return "from " + AXES[self.axis].plural.format(f"{places[0]:,} to {places[-1]:,}")
        return at(self.axis, *places)

    def _told(self, a: Timed, b: Timed) -> bool:
        return (a, b) in self.verdicts and bool(self.verdicts[a, b].told)

    def _is_same(self, a: Timed, b: Timed) -> bool:
        """Whether the interval of their ratio lies within 2 % of 1."""
        if (a, b) not in self.verdicts:
            return False
        row = self.verdicts[a, b]
        return bool(-MARGIN < math.log(row.low) <= math.log(row.high) < MARGIN)

    def _may_win(self, a: Timed, b: Timed) -> bool:
        """Whether a may be faster than b: no interval excludes it."""
        return (a, b) not in self.verdicts or bool(self.verdicts[a, b].low < 1)

    def _ratio(self, a: Timed, b: Timed) -> float:
        """The time of a by that of b."""
        return self.seconds[a] / self.seconds[b]

    def _compared(self, field: str, b: Timed, *others: Timed) -> list[str]:
        """At 64 rows a lookup takes 10.1 µs, a matmul 34.2 ms: 3,400 times as long.

        Further methods and kinds have a sentence each: the first one is a headline.
        """
        is_kind = field not in ("method", ONE_HOT)
        said = [f"{self._where(b, field)} {_a(b)} {TAKES[self.clock]} {self._time(b)}".strip()]
        if is_kind:
            said[0] += f" {_kind(field, b)}"
        for number, a in enumerate(others):
            found = self._found(a, b, named=number > 0 and not is_kind)
            if is_kind and number:
                said.append(f"{_kind(field, a)} it {TAKES[self.clock]} {self._time(a)}: {found}")
            elif is_kind:
                said[0] += f", {self._time(a)} {_kind(field, a)}: {found}"
            elif number:
                said.append(f"{_a(a)} {TAKES[self.clock]} {self._time(a)}: {found}")
            else:
                said[0] += f", {_a(a)} {self._time(a)}: {found}"
        return [*map(as_sentence, said)]

    def _found(self, a: Timed, b: Timed, named: bool) -> str:
        """The ratio of two times as they are shown, and why; or that they are not told apart."""
        if (a, b) not in self.verdicts:
            self._unsure.append((a, b))
            return UNJUDGED
        if not self._told(a, b):
            if self._is_same(a, b):
                return "the same within 2 %"
            self._unsure.append((a, b))
            return UNSURE
        ratio = ratio_shown(self.seconds[a], self.seconds[b])
        as_what = f" as the {b.record.label}" if named else ""
        return f"{longer(ratio)}{as_what}{self._why(a, b)}"

    def _why(self, a: Timed, b: Timed) -> str:
        """A clause that says why two times differ, once in an answer; empty if it is not known."""
        reason = self._reason(a, b)
        if not reason or reason in self._said:
            return ""
        self._said.add(reason)
        return f" ({reason})"

    def _reason(self, a: Timed, b: Timed) -> str:
        slower = self._ratio(a, b) >= 1
        if self.clock == "wait" and self._is_call(a) and self._is_call(b):
            return "the start of the call takes most of both"
        if slower and a.record.builds and not b.record.builds and b.record.dense:
            return f"it first writes a one-hot of {a.tokens:,} x {a.num_embeddings:,}"
        if slower and a.record.dense and not b.record.dense:
            return "a matmul multiplies every row"
        is_short = a.record.sparse_gradient and a.tokens < a.num_embeddings
        if not slower and is_short and not b.record.sparse_gradient:
            return f"its gradient has {a.tokens:,} rows, not {a.num_embeddings:,}"
        if slower and a.record.dense and a.itemsize < b.itemsize and self._product(a, b) < 1:
            return f"PyTorch has no fast {a.dtype} product on the processor that was timed"
        return ""

    def _product(self, a: Timed, b: Timed) -> float:
        """The rate of the run's own matrix product as of a, by that as of b; NaN if unknown.

        A slow dtype is no reason by itself: one processor computes in it, and the next converts.
        """
        known = {(one["device"], one["dtype"], one["threads"]): one for one in self.calibrations}
        both = [known.get((one.device, one.dtype, one.threads)) for one in (a, b)]
        first, second = (one["gflop_per_s"] if one else math.nan for one in both)
        return float(first / second)

    def _is_call(self, case: Timed) -> bool:
        """Whether the work of a short call takes far less than its time.

        Not said where RATE may be too much: of rows that are not in the caches, and of 16 bits.
        """
        seconds, is_usual = self.seconds[case], case.cache == "same" and case.itemsize > 2
        return is_usual and 4 * (case.bytes + case.flops) / RATE < seconds < CALL_S

    def _time(self, case: Timed) -> str:
        return format_time(self.seconds[case])

    def _where(self, case: Timed, without: str) -> str:
        """The place on the axis, and all else that varies but the method."""
        fields = [name for name in self.varies if name != without]
        if case.precision != "highest":
            fields.append("precision")
        return " ".join(at(name, getattr(case, name)) for name in fields)

    def unsure(self) -> list[str]:
        """Why some were not told apart, and how many processes would tell them."""
        judged = [self.verdicts[pair] for pair in self._unsure if pair in self.verdicts]
        said = [self._few(*pair) for pair in self._unsure if pair not in self.verdicts][:1]
        if not judged:
            return said
        chance = sum(row.low <= 1 <= row.high for row in judged)
        if len(judged) == 1:
            low, high = format_ratio(judged[0].low), format_ratio(judged[0].high)
            why = "may be chance" if chance else "is not certainly over 2 %"
            reason = f"it is {low} to {high} times as long, which {why}"
        else:
            reason = "no difference is certainly over 2 %"
            if chance == len(judged):
                reason = "the differences may be chance"
            elif chance:
                reason += ", and some may be chance"
        said.append(as_sentence(f"{UNSURE}: {reason}"))
        needed = [row.processes for row in judged if row.processes > 0]
        if needed:
            which = "it" if len(judged) == 1 else "those beyond 2 %"
            count = f"{max(needed):.0f}"
            said.append(
                f"Measuring in about {count} processes would decide {which} (--repeat {count})."
            )
        elif any(abs(math.log(row.ratio)) > MARGIN for row in judged):
            said.append(f"More than {MOST_PROCESSES} processes would be needed.")
        return said

    def _few(self, a: Timed, b: Timed) -> str:
        """Why two cases were not judged."""
        both = int(self.samples[[a, b]].notna().all(axis=1).sum())
        if both >= FEWEST:
            return as_sentence(f"{UNJUDGED}: they were not measured in the same placements")
        verb = "is" if both == 1 else "are"
        count = counted(both, self.sample)
        return as_sentence(f"{UNJUDGED}: {count} {verb} too few, {FEWEST} are needed")


def _noise(run: Run) -> Iterator[str]:
    samples = "processes" if sample_name(run.times) == "process" else "placements"
    if run.environment.get("remade"):
        yield "Memory did not hold all tensors: each point has one round in a placement."
    if (ratio := noise(run.times)) >= 1:
        yield f"The same method measured twice differs by up to {100 * (ratio - 1):.1f} %."
    yield (
        f"Two times are told apart beyond {100 * math.expm1(MARGIN):.0f} % alone. The chance that "
        f"any comparison of this run is false is at most {100 * LEVEL:g} %, if {samples} are "
        "independent."
    )


def _kind(field: str, case: Timed) -> str:
    """The place of a case among kinds: a dtype with its precision, where that is not the usual."""
    tf32 = field != "precision" and case.precision != "highest"
    return at(field, getattr(case, field)) + (f" {at('precision', case.precision)}" if tf32 else "")


def _a(case: Timed) -> str:
    name = case.record.label
    return f"a {name}" if name in ROUTES else name


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
