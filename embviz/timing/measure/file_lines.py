"""The lines of a run file, and what each may hold. A stranger may have written them.

Nothing of a line is run, and each text is made short and printable. `run` puts lines together.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from embviz.text.refused import Refused
from embviz.text.wording import printable, quote
from embviz.timing.measure.timed import ROUNDS, Timed

TEXT = 200  # Characters of a text, at most.
# Lines of times of one run: the command's own cases in 100 processes have 132,000.
MAX_LINES = 200_000
MAX_CASES = MAX_LINES // ROUNDS  # Cases of one run: each may have a line in each round.


class RunError(Refused):
    """The sentence that refuses a run file: its line, what is wrong, what is allowed."""


def short(text: str) -> str:
    """The text in printable characters, TEXT of them at most."""
    shown = "".join(map(printable, text[: TEXT + 1]))
    return shown if len(shown) <= TEXT else f"{shown[: TEXT - 1]}…"


Text = Annotated[str, AfterValidator(short)]
Count = Annotated[int, Field(ge=0, lt=10_000)]
Seconds = Annotated[float, Field(ge=1e-12, le=1e6)]
Rate = Annotated[float, Field(gt=0, le=1e7)]
Number = Annotated[int, Field(ge=-(2**60), le=2**60)] | float
Fact = Text | bool | Number | None | Annotated[list[Text], Field(max_length=20)]


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class Calibration(_Checked):
    """The best rates of a device in one dtype: GB copied in a second by size, and GFLOP/s."""

    device: Text
    dtype: Text
    threads: int
    copy_gb_per_s: Annotated[
        dict[Annotated[str, Field(pattern=r"^[1-9]\d{0,14}$")], Rate], Field(min_length=1)
    ]
    gflop_per_s: Rate


class Floor(_Checked):
    """Seconds of an empty kernel of a GPU, by both clocks."""

    wait: Annotated[list[Seconds], Field(min_length=1, max_length=100)]
    gpu: Annotated[list[Seconds], Field(min_length=1, max_length=100)]


class Environment(_Checked):
    """The cases of the sweep, and the machine; further facts are kept as they are.

    `cases` names every case once: all other lines have the index of theirs. `question` is the one
    that was pressed on the page; it is empty for own settings and for the command.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Fact]
    type: Literal["environment"]
    question: Text = ""
    cases: Annotated[list[Timed], Field(min_length=1, max_length=MAX_CASES)]
    cpu: Text | None = None
    gpus: Annotated[list[Text], Field(max_length=20)] = []
    date: Text = ""
    worker: Text = ""
    calibrations: Annotated[list[Calibration], Field(max_length=100)] = []
    floor: Floor | None = None


class Times(_Checked):
    """Seconds for one call in each timed block of one case in one round.

    `case` is the index of the case, and `placement` counts how often all tensors were made anew:
    a run whose lines lack it is shown, and not judged. `wait` is what one waits, `gpu` how long a
    GPU works, and `no_gpu` why that is not known.
    """

    type: Literal["times"]
    case: Count
    process: Count
    placement: Count = 0
    round: Count
    again: bool
    wait: Annotated[list[Seconds], Field(min_length=1, max_length=20_000)]
    gpu: Annotated[list[Seconds], Field(min_length=1, max_length=20_000)] | None = None
    no_gpu: Text | None = None
    peak_bytes: Annotated[int, Field(ge=0, le=2**60)] | None = None


class Failed(_Checked):
    """A case that gave no more times, and why."""

    type: Literal["failure"]
    case: Count
    reason: Text


class End(_Checked):
    """How a sweep ended."""

    type: Literal["end"]
    status: Literal["done", "stopped", "failed"]
    wall_s: Annotated[float, Field(ge=0)]
    reason: Text = ""


_LINE: TypeAdapter[Environment | Times | Failed | End] = TypeAdapter(
    Annotated[Environment | Times | Failed | End, Field(discriminator="type")]
)


def read_line(line: bytes | str) -> dict[str, Any]:
    r"""One line of a stranger as the dict that `Run.add` takes.

    Raises:
        RunError: with the first thing that is wrong.

    >>> read_line('{"type": "end", "status": "done", "wall_s": -1}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.file_lines.RunError: wall_s: ... or equal to 0, not '-1'.
    """
    try:
        return _LINE.validate_json(line).model_dump()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(name) for name in first["loc"][1:] if "[" not in str(name))
        said = first["msg"].removeprefix("Value error, ").rstrip(".")
        given = first["type"] not in ("json_invalid", "value_error", "missing")
        found = f", not {quote(str(first['input']))}" if given else ""
        raise RunError(short(f"{place}: {said}{found}.".removeprefix(": "))) from None
