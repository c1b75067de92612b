"""*My model*: what its one-hot needs, what each route does, and which times can be measured.

All but the times follows from the sizes. A time that nobody measured is estimated by the rates of
the recorded run, and is called so. Nothing is measured or allocated here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from embviz.fact.cost import Cost
from embviz.fact.dtypes import DTYPES
from embviz.text.wording import counted, format_bytes
from embviz.timing.measure.budget import check_memory, needed
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import PLACEMENTS, SIZES, CaseError, Timed
from embviz.timing.tell.statistics import verdicts
from embviz.timing.tell.times import UNSURE, format_time, longer, ratio_shown

MOST_S = 30.0  # Seconds that measuring one model may take, as predicted.
# Calls of a slow case in a sweep: one in each placement, and two more to warm up.
CALLS = PLACEMENTS + 2
CALL_S = 7e-6  # Seconds that the start of a call takes from Python, about.
DRAW_S = 1e-8  # Seconds to draw one number of a table.
WRITE_S = 5e-10  # Seconds to write one byte of a new one-hot.
GPU_FLOPS = 5e12  # Operations of a matrix product in a second that a CUDA GPU does, at least.
FAR = 5.0  # Ratio of two times from which an estimate of one may be told.
MATTERS = 1.5  # Ratio of two times from which a choice matters.
HELD_BYTES = 16 << 30  # Bytes of a one-hot that a usual machine does not hold.
COUNTS = (("trillion", 10**12), ("billion", 10**9), ("million", 10**6))


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
class Times:
    """Seconds of one call by each route, and where they come from.

    Attributes:
        lookup: of a lookup; None where it is not known.
        matmul: the same of a matmul.
        told: whether the two are told apart; None where they were not compared.
        estimated: the routes whose time is an estimate.
        is_work: whether they are what a GPU works, and not what one waits.
        is_most: whether the lookup takes at most its estimate: smaller tables and batches than
            those of the rates may lie in caches, where it is up to ten times as quick.
    """

    lookup: float | None
    matmul: float | None
    told: bool | None = None
    estimated: frozenset[str] = frozenset()
    is_work: bool = False
    is_most: bool = False

    def words(self, route: str) -> str:
        """The time of a route: `1.3 ms`, `about 43 s, estimated`, or `not timed`."""
        seconds = getattr(self, route)
        if seconds is None:
            return "not timed"
        if route in self.estimated:
            return f"{self.nearly(route)}{rough(seconds)}, estimated"
        return format_time(seconds) + (" of GPU work" if self.is_work else "")

    def nearly(self, route: str) -> str:
        """The words before the time of a route: `about `, `at most `, or none."""
        if route not in self.estimated:
            return ""
        return "at most " if route == "lookup" and self.is_most else "about "


def times_of(model: ModelSizes, run: Run, recorded: Run) -> Times:
    """The times of a model in a run; what is not there is estimated.

    A matmul that is missing beside a measured lookup is estimated by the matrix product that the
    same run timed; where neither was measured, both are by the rates of the recorded run. An
    estimate is left out where the other time is near: small sizes lie in caches, and no rate tells
    how quick they are.

    Args:
        model: its sizes.
        run: measured here, or the recorded one.
        recorded: it has a lookup and a matmul of GPT-2.
    """
    measured = _found(model, run)
    known: dict[str, float | None] = {name: seconds for name, (_, seconds) in measured.items()}
    guesses = dict[str, float]()
    if "lookup" in measured and run is not recorded:
        guesses = _by_product(model, run, measured["lookup"][0])
    elif model.dtype == "float32" and model.tokens <= SIZES["tokens"][1]:
        guesses = _by_rates(model, recorded)
    guesses = _far(guesses, known)
    estimated = frozenset({*guesses} - {*known})
    known |= {route: guesses[route] for route in estimated}
    told, cases = None, [case for case, _ in measured.values()]
    is_work = bool(cases) and {*cases} <= {*run.points.dropna(subset="gpu_seconds")["case"]}
    if {*measured} == {"lookup", "matmul"}:
        pair = (measured["matmul"][0], measured["lookup"][0])
        clock = "gpu" if is_work else "wait"
        judged = verdicts(run.times, clock, samples=run.sample_medians(clock))
        told = judged.set_index(["a", "b"])["told"].to_dict().get(pair)
    is_most = "lookup" in estimated and _is_smaller(model, PRESETS["GPT-2"])
    return Times(known.get("lookup"), known.get("matmul"), told, estimated, is_work, is_most)


def _is_smaller(first: ModelSizes, second: ModelSizes) -> bool:
    """Whether a lookup of the first model reads and writes less, from a smaller table."""
    return (
        first.cost.numbers_read < second.cost.numbers_read
        and first.cost.table_bytes <= second.cost.table_bytes
    )


def has_times(model: ModelSizes, run: Run) -> bool:
    """Whether a run has measured a lookup or a matmul of a model."""
    return bool(_found(model, run))


def _far(guesses: dict[str, float], known: Mapping[str, float | None]) -> dict[str, float]:
    """The estimates, or none where a matmul would take less than FAR times as long as a lookup."""
    both = {**guesses, **known}
    lookup, matmul = both.get("lookup"), both.get("matmul")
    if lookup and matmul and matmul < FAR * lookup:
        return {}
    return guesses


def _found(model: ModelSizes, run: Run) -> dict[str, tuple[Timed, float]]:
    """The case and the seconds of each method that a run has for a model; on a GPU, of its work."""
    table = run.points.set_index("case")
    seconds = table["gpu_seconds"].fillna(table["seconds"]).dropna().to_dict()
    wanted = (model.num_embeddings, model.embedding_dim, model.tokens, model.dtype, "forward")
    found = {}
    for case, taken in seconds.items():
        sizes = (case.num_embeddings, case.embedding_dim, case.tokens, case.dtype)
        if (*sizes, case.mode) == wanted:
            found[case.method] = (case, taken)
    return found


def _by_product(model: ModelSizes, run: Run, lookup: Timed) -> dict[str, float]:
    """Seconds of a matmul by the matrix product of the run's machine, where it was timed."""
    wanted = (lookup.device, lookup.dtype, lookup.threads)
    for calibration in run.environment.get("calibrations", []):
        if (calibration["device"], calibration["dtype"], calibration["threads"]) == wanted:
            matmul = model.cases(lookup.threads)[1]
            return {"matmul": matmul.flops / 1e9 / calibration["gflop_per_s"]}
    return {}


def _by_rates(model: ModelSizes, recorded: Run) -> dict[str, float]:
    """Seconds of both by the bytes and the operations in a second of GPT-2 in the recorded run.

    A matmul moves bytes too, at the rate of that lookup: of one token it reads the whole table for
    few operations. The start of a call comes to both: small sizes take hardly more.
    """
    found = _found(PRESETS["GPT-2"], recorded)
    if {*found} != {*ROUTES}:
        return {}
    (timed_lookup, lookup_s), (timed_matmul, matmul_s) = (found[route] for route in ROUTES)
    byte_s, flop_s = lookup_s / timed_lookup.bytes, matmul_s / timed_matmul.flops
    lookup, matmul = model.cases(timed_lookup.threads)
    return {
        "lookup": CALL_S + byte_s * lookup.bytes,
        "matmul": CALL_S + flop_s * matmul.flops + byte_s * matmul.bytes,
    }


def estimate(model: ModelSizes, times: Times) -> str:
    """Whether it matters, in one sentence."""
    name = next((name for name, sizes in PRESETS.items() if sizes == model), "these sizes")
    name = "a recommender" if name == "Recommender" else name
    tokens = counted(model.tokens, "token")
    if times.lookup is None:
        read = _size(model.cost.numbers_read * model.cost.itemsize)
        made = _multiplications(model.cost)
        return f"For {tokens} a lookup reads {read}, a matmul makes {made}: not timed."
    first = f"for {tokens} {_takes('lookup', times)}"
    if "matmul" in times.estimated and model.cost.one_hot_bytes > HELD_BYTES:
        size = _size(model.cost.one_hot_bytes)
        return f"It matters for {name}: {first}; a matmul's one-hot would need {size}."
    if times.matmul is None:
        return f"{first[0].upper()}{first[1:]}; a matmul is not timed."
    ratio = ratio_shown(times.matmul, times.lookup)
    both = f"{first}, a matmul {times.nearly('matmul')}{_time(times, 'matmul')}"
    if times.told is False:
        return f"It hardly matters for {name}: {both}: {UNSURE}."
    if ratio >= MATTERS:
        how = "" if times.is_most else f": {longer(ratio)}"  # of a bound no ratio follows
        return f"It matters for {name}: {both}{how}."
    if ratio <= 1 / MATTERS:
        return f"A matmul is faster for {name}: {both}: {longer(ratio)}."
    return f"It hardly matters for {name}: {both}: {longer(ratio)}."


def shares(model: ModelSizes, times: Times) -> list[tuple[str, str, str]]:
    """A row of the table: what share of a forward pass a lookup is, and a matmul in its place.

    The other layers multiply each token by each of their weights once, as the matmul does by each
    number of the table; they are taken to do so at its rate. Attention's products of tokens with
    tokens are left out. Of a model that is not known the last layer alone is counted. There is no
    row where a time is missing.

    >>> shares(PRESETS["GPT-2"], Times(0.0035, 4.9))
    [('share of a forward pass', 'about 0.022 %', 'about 24 %')]
    """
    if times.lookup is None or times.matmul is None:
        return []
    table = model.num_embeddings * model.embedding_dim
    name = known(model)
    rest = times.matmul * OTHER_WEIGHTS.get(name, table) / table
    lookup, matmul = (
        f"about {_percent(time / (time + rest))}" for time in (times.lookup, times.matmul)
    )
    if "matmul" in times.estimated and model.cost.one_hot_bytes > HELD_BYTES:
        matmul = "not possible"
    told = "share of a forward pass" if name else "share, beside a last layer"
    return [(told, lookup, matmul)]


def shared_with(model: ModelSizes) -> str:
    """How the time of the other layers is estimated, in a sentence.

    >>> shared_with(ModelSizes(1_000, 64, 1, 8))
    'A last layer nn.Linear(64, 1000) multiplies as often as this matmul.'
    """
    if name := known(model):
        return (
            f"The other layers of {name} multiply each token by {_count(OTHER_WEIGHTS[name])} "
            "weights: their time is estimated at the rate of this matmul."
        )
    last = f"nn.Linear({model.embedding_dim}, {model.num_embeddings})"
    return f"A last layer {last} multiplies as often as this matmul."


def known(model: ModelSizes) -> str:
    """The name of a model whose other layers are known, or empty."""
    return next((name for name in OTHER_WEIGHTS if PRESETS[name] == model), "")


def _percent(share: float) -> str:
    """A share with two digits.

    >>> _percent(0.000221), _percent(0.5), _percent(1.0)
    ('0.022 %', '50 %', '100 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"


def _takes(route: str, times: Times) -> str:
    seconds = _time(times, route)
    whom = " the GPU" if times.is_work else ""
    if route in times.estimated:
        return f"a {route} would take{whom} {times.nearly(route)}{seconds}"
    return f"a {route} takes{whom} {seconds}"


def rough(seconds: float) -> str:
    """An estimated time, with two digits.

    >>> rough(4.813), rough(7.07e-6)
    ('4.8 s', '7.1 µs')
    """
    return format_time(float(f"{seconds:.2g}"))


def _time(times: Times, route: str) -> str:
    seconds = getattr(times, route)
    return rough(seconds) if route in times.estimated else format_time(seconds)


def estimates(model: ModelSizes, times: Times) -> list[tuple[str, str, str]]:
    """Rows of a table: what is told, of the lookup, and of the matmul."""
    cost = model.cost
    read = _size(cost.numbers_read * cost.itemsize)
    others = _count(cost.numbers_read)
    matmul = times.words("matmul")
    if "matmul" in times.estimated and cost.one_hot_bytes > HELD_BYTES:
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
        ("one call", times.words("lookup"), matmul),
        *shares(model, times),
    ]


def _size(count: int) -> str:
    """Bytes in a unit, with a decimal below ten.

    >>> _size(32 << 10), _size(2_101_346_304)
    ('32 KiB', '2.0 GiB')
    """
    rough = format_bytes(count, 0)
    digits = len(rough.split()[0])
    return format_bytes(count, 1) if digits == 1 and count >= 1024 else rough


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


def fitting(cases: Sequence[Timed], product_flops: float) -> tuple[list[Timed], list[str]]:
    """The cases of a model that can be measured here, and a sentence for each of the others.

    Args:
        cases: a lookup and a matmul.
        product_flops: operations of a matrix product in one second on this machine, with the
            threads of the cases.
    """
    kept, reasons, held, total_s = list[Timed](), list[str](), 0, 0.0
    for case in cases:
        name = case.record.label
        try:
            check_memory(case, held)
        except MemoryError as error:
            reasons.append(f"A {name} is not timed here: it {error}.")
            continue
        taken_s = predicted_s(case, product_flops)
        if total_s + taken_s > MOST_S:
            reasons.append(
                f"A {name} is not timed here: its {CALLS} calls, and {PLACEMENTS} times new "
                f"tensors, would take over {MOST_S:g} s."
            )
            continue
        held += sum(needed(case).values())
        total_s += taken_s
        kept.append(case)
    return kept, reasons


def predicted_s(case: Timed, product_flops: float) -> float:
    """Seconds that a sweep needs for a case: to make its tensors, and to call it if it is slow."""
    if case.device == "cuda":  # it draws and writes within a blink
        return CALLS * case.flops / GPU_FLOPS
    making = DRAW_S * case.num_embeddings * case.embedding_dim
    making += WRITE_S * case.memory().get("one-hot", 0)
    calls = 0.0
    if case.record.dense:
        calls = case.flops / product_flops
    return PLACEMENTS * making + CALLS * calls


def changes_of(model: ModelSizes) -> Mapping[str, object]:
    """The settings of the page that give this model."""
    return {
        "model_rows": model.num_embeddings,
        "model_dim": model.embedding_dim,
        "model_batch": model.batch,
        "model_length": model.length,
        "model_dtype": model.dtype,
    }
