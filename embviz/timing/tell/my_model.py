"""*My model*: what its one-hot needs, what each route does, and how long that takes.

All but the times follows from the sizes. A time that nobody measured is estimated by the rates of
the recorded run, and is called so. Nothing is measured or allocated here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from embviz.fact.cost import Cost
from embviz.fact.dtypes import DTYPES
from embviz.text.wording import counted, format_bytes
from embviz.timing.measure.ceilings import calibration_of
from embviz.timing.measure.medians import typical_seconds
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import PLACEMENTS, SIZES, CaseError, Timed
from embviz.timing.tell.rows import verdict
from embviz.timing.tell.statistics import judge
from embviz.timing.tell.times import as_sentence, format_time, ratio_shown

MOST_S = 30.0  # Seconds that the matmul of a model may take in a sweep: other visitors wait.
CALLS = PLACEMENTS + 2  # Calls of a slow case in a sweep: one a placement, and two to warm up.
CALL_S = 7e-6  # Seconds that the start of a call takes from Python, about.
FAR = 5.0  # Ratio of two times from which an estimate of one may be told.
MATTERS = 1.5  # Ratio of two times from which a choice matters.
HELD_BYTES = 16 << 30  # Bytes of a one-hot that a usual machine does not hold.
COUNTS = (("trillion", 10**12), ("billion", 10**9), ("million", 10**6))
ABOUT, AT_MOST = "about", "at most"  # The word before an estimate.


@dataclass(frozen=True)
class ModelSizes:
    """The sizes of an embedding in a model, and of one batch."""

    num_embeddings: int
    embedding_dim: int
    batch: int
    length: int
    dtype: str = "float32"

    @property
    def tokens(self) -> int:
        """Ids of one batch."""
        return self.batch * self.length

    @cached_property
    def cost(self) -> Cost:
        """Counts of what both routes read and multiply."""
        itemsize = DTYPES[self.dtype].itemsize
        return Cost(self.tokens, self.num_embeddings, self.embedding_dim, itemsize)

    @property
    def one_hot(self) -> str:
        """The shape and the dtype of the one-hot.

        >>> PRESETS["GPT-2"].one_hot
        '4,096 × 50,257 float32'
        """
        return f"{self.tokens:,} × {self.num_embeddings:,} {self.dtype}"

    @property
    def is_held(self) -> bool:
        """Whether a usual machine holds the one-hot."""
        return self.cost.one_hot_bytes <= HELD_BYTES

    def cases(self, threads: int, device: str = "cpu") -> list[Timed]:
        """A lookup and a matmul.

        Raises:
            CaseError: the batch has too many tokens.
        """
        most = SIZES["tokens"][1]
        if self.tokens > most:
            raise CaseError(
                f"batch {self.batch:,} x length {self.length:,} = {counted(self.tokens, 'token')}; "
                f"at most {most:,} are timed.",
                {"Take a length of 1": {"model_batch": min(self.batch, most), "model_length": 1}},
                "model_length",
            )
        sizes = (self.num_embeddings, self.embedding_dim, self.tokens, self.dtype, device)
        return [Timed(method, *sizes, threads=threads) for method in ("lookup", "matmul")]


PRESETS = {
    "GPT-2": ModelSizes(50_257, 768, 4, 1_024),
    "BERT": ModelSizes(30_522, 768, 8, 512),
    "Llama 3": ModelSizes(128_256, 4_096, 1, 4_096),
    "Recommender": ModelSizes(10_000_000, 64, 4_096, 1),
}


# Weights by which these models multiply each token beside their table: those of all blocks, and
# D · V of the last layer of GPT-2 and Llama 3 (8B).
OTHER_WEIGHTS = {"GPT-2": 124 * 10**6, "BERT": 85 * 10**6, "Llama 3": 7_500 * 10**6}


@dataclass(frozen=True)
class Time:
    """Seconds of one call; the word before an estimate, empty where it was measured."""

    seconds: float
    word: str = ""

    def __str__(self) -> str:
        """The time, as `1.3 ms` or `about 43 s`."""
        return f"{self.word} {format_time(self.seconds)}".lstrip()


class Judged(NamedTuple):
    """A comparison of both routes.

    Attributes:
        told: whether the two are told apart.
        low: the lower end of the ratio's interval.
        high: the upper end.
    """

    told: bool
    low: float
    high: float


@dataclass(frozen=True)
class Times:
    """The time of one call by each route.

    Attributes:
        lookup: None where it is not known.
        matmul: None where it is not known.
        judged: the ratio of the matmul by the lookup and its interval; None where they were not
            compared.
        is_work: whether they are what a GPU works, and not what one waits.
    """

    lookup: Time | None = None
    matmul: Time | None = None
    judged: Judged | None = None
    is_work: bool = False


def times_of(model: ModelSizes, run: Run, recorded: Run) -> Times:
    """The times of a model in a run; what is not there is estimated.

    A matmul that is missing beside a measured lookup is estimated by the matrix product that the
    same run timed; where neither was measured, both are by the rates of the recorded run. A lookup
    that is missing beside a measured matmul stays unknown.

    Args:
        model: its sizes.
        run: measured here, or the recorded one.
        recorded: it has a lookup and a matmul of GPT-2.
    """
    cases = _measured(model, run)
    if not cases:
        guesses = _by_rates(model, recorded)
        return Times(guesses.get("lookup"), guesses.get("matmul"))
    work = run.sample_medians("gpu")
    is_work = all(case in work for case in cases.values())
    samples = work if is_work else run.sample_medians()
    seconds = typical_seconds(samples)
    times = {route: Time(seconds[case]) for route, case in cases.items()}
    judged = None
    if len(times) == len(ROUTES):
        for row in judge(samples, [(cases["matmul"], cases["lookup"])]).itertuples():
            judged = Judged(bool(row.told), row.low, row.high)
    elif "lookup" in times:
        times |= _by_product(model, run, cases["lookup"], times["lookup"].seconds)
    return Times(times.get("lookup"), times.get("matmul"), judged, is_work)


def has_times(model: ModelSizes, run: Run) -> bool:
    """Whether a run has measured a lookup or a matmul of a model."""
    return bool(_measured(model, run))


def _measured(model: ModelSizes, run: Run) -> dict[str, Timed]:
    """The lookup and the matmul that a run has measured with the sizes of a model, by method."""
    wanted = model.num_embeddings, model.embedding_dim, model.tokens, model.dtype, "forward"
    cases = dict[str, Timed]()
    for case in run.measured:
        sizes = case.num_embeddings, case.embedding_dim, case.tokens, case.dtype, case.mode
        if case.method in ROUTES and sizes == wanted:
            cases.setdefault(case.method, case)
    return cases


def _by_product(model: ModelSizes, run: Run, lookup: Timed, lookup_s: float) -> dict[str, Time]:
    """The time of a matmul by the matrix product of the run's machine, where it was timed.

    It is left out where the lookup takes nearly as long: then no rate tells which is quicker.
    """
    calibration = calibration_of(lookup, run.environment.get("calibrations", []))
    if calibration is None:
        return {}
    matmul_s = model.cases(lookup.threads)[1].flops / 1e9 / calibration["gflop_per_s"]
    return {"matmul": _guess(matmul_s)} if matmul_s >= FAR * lookup_s else {}


def _by_rates(model: ModelSizes, recorded: Run) -> dict[str, Time]:
    """Both times by the bytes and the operations in a second of GPT-2 in the recorded run.

    A matmul moves bytes too, at the rate of that lookup: of one token it reads the whole table for
    few operations. The start of a call comes to both: small sizes take hardly more. Times that are
    near are left out: small sizes lie in caches, and no rate tells how quick they are. There a
    lookup is up to ten times as quick, so one of a smaller model takes at most its estimate.
    """
    if model.dtype != "float32" or model.tokens > SIZES["tokens"][1]:
        return {}
    usual = PRESETS["GPT-2"]
    cases = _measured(usual, recorded)
    timed_lookup, timed_matmul = cases["lookup"], cases["matmul"]
    seconds = typical_seconds(recorded.sample_medians())
    byte_s = seconds[timed_lookup] / timed_lookup.bytes
    flop_s = seconds[timed_matmul] / timed_matmul.flops
    lookup, matmul = model.cases(timed_lookup.threads)
    lookup_s = CALL_S + byte_s * lookup.bytes
    matmul_s = CALL_S + flop_s * matmul.flops + byte_s * matmul.bytes
    if matmul_s < FAR * lookup_s:
        return {}
    is_smaller = (
        model.cost.numbers_read < usual.cost.numbers_read
        and model.cost.table_bytes <= usual.cost.table_bytes
    )
    word = AT_MOST if is_smaller else ABOUT
    return {"lookup": _guess(lookup_s, word), "matmul": _guess(matmul_s)}


def left_out(model: ModelSizes, device: str, recorded: Run) -> str:
    """Why a sweep leaves the matmul of a model out, in a sentence; empty where it is timed."""
    # Of another dtype a call takes as long, or longer.
    guess = _by_rates(replace(model, dtype="float32"), recorded).get("matmul")
    if device != "cpu" or guess is None or CALLS * guess.seconds <= MOST_S:
        return ""
    return (
        f"A matmul is not timed here: its {CALLS} calls would take over {MOST_S:g} s, each {guess} "
        "on the machine of the recorded run."
    )


def _guess(seconds: float, word: str = ABOUT) -> Time:
    """An estimate, with two digits."""
    return Time(float(f"{seconds:.2g}"), word)


def estimate(model: ModelSizes, times: Times) -> str:
    """Whether it matters, in one sentence."""
    name, tokens = _name(model), counted(model.tokens, "token")
    name = {"": "these sizes", "Recommender": "a recommender"}.get(name, name)
    lookup, matmul = times.lookup, times.matmul
    if lookup is None:
        read = _size(model.cost.numbers_read * model.cost.itemsize)
        made = _multiplications(model.cost)
        return f"For {tokens} a lookup reads {read}, a matmul makes {made}: not timed."
    takes = "would take" if lookup.word else "takes"
    if times.is_work:
        takes += " the GPU"
    first = f"for {tokens} a lookup {takes} {lookup}"
    if matmul is None:
        return as_sentence(f"{first}; a matmul is not timed")
    if matmul.word and not model.is_held:
        size = _size(model.cost.one_hot_bytes)
        return f"It matters for {name}: {first}; a matmul's one-hot would need {size}."
    ratio = ratio_shown(matmul.seconds, lookup.seconds)
    judged = times.judged or Judged(True, ratio, ratio)
    how = f": {verdict(judged.told, ratio, judged.low, judged.high)}"
    if lookup.word == AT_MOST:
        how = ""  # Of a bound no ratio follows.
    both = f"{first}, a matmul {matmul}{how}"
    if judged.low >= MATTERS or judged.high <= 1 / MATTERS:
        return f"It matters for {name}: {both}."
    if 1 / MATTERS < judged.low <= judged.high < MATTERS:
        return f"It hardly matters for {name}: {both}."
    return as_sentence(both)  # The interval leaves it open.


def shares(model: ModelSizes, times: Times) -> list[tuple[str, str, str]]:
    """A row of the table: what share of a forward pass a lookup is, and a matmul in its place.

    The other layers multiply each token by each of their weights once, as the matmul does by each
    number of the table; they are taken to do so at its rate. Attention's products of tokens with
    tokens are left out. There is no row where a time, or the model, is not known.

    >>> shares(PRESETS["GPT-2"], Times(Time(0.0035), Time(4.9)))
    [('share of a forward pass', 'about 0.022 %', 'about 24 %')]
    """
    weights = OTHER_WEIGHTS.get(_name(model))
    if weights is None or times.lookup is None or times.matmul is None:
        return []
    table = model.num_embeddings * model.embedding_dim
    rest = times.matmul.seconds * weights / table
    lookup, matmul = (
        f"about {float(f'{100 * seconds / (seconds + rest):.2g}'):g} %"
        for seconds in (times.lookup.seconds, times.matmul.seconds)
    )
    return [("share of a forward pass", lookup, matmul)]


def shared_with(model: ModelSizes) -> str:
    """How the time of the other layers of a model in OTHER_WEIGHTS is estimated, in a sentence."""
    name = _name(model)
    return (
        f"The other layers of {name} multiply each token by {_count(OTHER_WEIGHTS[name])} "
        "weights: their time is estimated at the rate of this matmul."
    )


def estimates(model: ModelSizes, times: Times) -> list[tuple[str, str, str]]:
    """Rows of a table: what is told, of the lookup, and of the matmul."""
    cost = model.cost
    read = _size(cost.numbers_read * cost.itemsize)
    others = _count(cost.numbers_read)
    matmul = _one_call(times.matmul, times.is_work)
    if times.matmul and times.matmul.word and not model.is_held:
        matmul = "the one-hot does not fit in memory"
    return [
        (
            "input",
            f"ids, {model.batch:,} × {model.length:,} int64: {_size(cost.ids_bytes)}",
            f"one-hot, {model.one_hot}: {_size(cost.one_hot_bytes)}",
        ),
        (
            "work",
            f"reads {read} of a table of {_size(cost.table_bytes)}",
            f"{_multiplications(cost)}, all but {others} by 0",
        ),
        ("one call", _one_call(times.lookup, times.is_work), matmul),
        *shares(model, times),
    ]


def _one_call(time: Time | None, is_work: bool) -> str:
    """A time in the table."""
    if time is None:
        return "not timed"
    if time.word:
        return f"{time}, estimated"
    return f"{time} of GPU work" if is_work else str(time)


def _name(model: ModelSizes) -> str:
    """The name of the preset with these sizes, or empty."""
    return next((name for name, sizes in PRESETS.items() if sizes == model), "")


def _size(count: int) -> str:
    """Bytes in a unit, with a decimal below ten.

    >>> _size(32 << 10), _size(2_101_346_304), _size(10_240_000_000)
    ('32 KiB', '2.0 GiB', '9.5 GiB')
    """
    fine = format_bytes(count, 1)
    return fine if fine[1] == "." else format_bytes(count, 0)


def _count(count: int) -> str:
    """A count with three digits where it is large.

    >>> _count(25_000), _count(158_094_852_096)
    ('25,000', '158 billion')
    """
    for word, size in COUNTS:
        if count >= size:
            return f"{float(f'{count / size:.3g}'):,.10g} {word}"
    return f"{count:,}"


def _multiplications(cost: Cost) -> str:
    """The multiplications of a matmul: `158 billion multiplications`."""
    if cost.multiplications == 1:
        return counted(1, "multiplication")
    return f"{_count(cost.multiplications)} multiplications"
