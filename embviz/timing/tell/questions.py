"""The questions of the timing page, one record each, and the links of *Try this*.

A question is a set of the page's settings, and a run that was recorded with them. A new one is a
record here and a run that `python -m tests.benchmarks.record` makes. Nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from embviz.text.records import by_name
from embviz.timing.measure.timed import Timed

ONE_HOT = "one-hot"  # Field of a pair: a one-hot that is built inside the clock, or a ready one.
# The field in which two cases differ, and the case that is told.
Compares = Callable[[str, Timed], bool]


def _all_but_one_hots(field: str, _a: Timed) -> bool:
    return field != ONE_HOT


def _one_hots(field: str, _a: Timed) -> bool:
    return field == ONE_HOT


def _devices(field: str, _a: Timed) -> bool:
    return field == "device"


def _half_precision(field: str, a: Timed) -> bool:
    return field == "precision" or (field == "dtype" and a.itemsize == 2)


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        name: on its button and in run files; of a link, its sentence.
        recorded: the file of its recorded run, in `reference/`, without the ending.
        settings: those of the timing page that differ from their defaults.
        compares: whether two cases, which differ in a field, are compared. The fewer are, the
            smaller a difference may be that is told.
        is_yes_or_no: whether its answer begins with yes or no: can a matmul be faster?
    """

    name: str
    recorded: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    compares: Compares = _all_but_one_hots
    is_yes_or_no: bool = False


CAN_WIN = "Can matmul win?"
MY_MODEL = "My model"
CPU_OR_GPU = "CPU or GPU?"
ON_A_GPU = "On a GPU: "  # Begin of the name of another question, asked about a GPU.
OWN = ""  # Name where the settings are those of no question.
# The page opens on the first one.
QUESTIONS = (
    Question("What does it cost?", "cost"),
    Question(
        CAN_WIN,
        "can_win",
        {
            "values": "2 4 8 16 32 64 128 256 512 1024 2048 4096",
            "time_tokens": 1,
            "methods": ["lookup", "matmul", "matmul_table"],
        },
        is_yes_or_no=True,
    ),
    Question(
        "What does the one-hot cost?",
        "one_hot",
        {
            "values": "64 128 256 512 1024 2048 4096 8192 16384",
            "methods": ["lookup", "matmul", "onehot_matmul"],
        },
        _one_hots,
    ),
    Question(
        "Backward",
        "backward",
        {"mode": "backward", "methods": ["lookup", "lookup_sparse", "matmul"]},
    ),
    Question(
        "Half precision",
        "half",
        {"vary": "dtype", "values": "float32 bfloat16 float16", "time_tokens": 64},
        _half_precision,
    ),
    Question(CPU_OR_GPU, "gpu_cost", {"devices": ["cpu", "cuda"]}, _devices),
    Question(MY_MODEL, "my_model", {"my_model": True}),
)


def _on_a_gpu(name: str, recorded: str, **more: Any) -> Question:
    """A question about a GPU: its settings are those of the plain one, but for the device."""
    (plain,) = (question for question in QUESTIONS if question.name == name)
    settings = {**plain.settings, "devices": ["cuda"], **more}
    return replace(plain, name=f"{ON_A_GPU}{name}", recorded=recorded, settings=settings)


# Links of *CPU or GPU?*.
GPU_QUESTIONS = (
    _on_a_gpu(CAN_WIN, "gpu_can_win"),
    _on_a_gpu("What does the one-hot cost?", "gpu_one_hot", values=""),
    _on_a_gpu("Backward", "gpu_backward"),
    _on_a_gpu(
        "Half precision",
        "gpu_half",
        values="float64 float32 bfloat16 float16",
        time_rows=65536,
        time_tokens=4096,
        precision=["highest", "high"],
    ),
)

# Recorded runs of a lookup and a matmul with the tables of real models, by the model's name.
GPU_MODELS = {
    "GPT-2": "gpu_gpt2",
    "BERT": "gpu_bert",
    "Llama 3": "gpu_llama",
    "a recommender": "gpu_items",
}


# Links below the page: each shows its recorded run.
TRIES = (
    Question(
        "The same ids in each call, or new ones: a lookup does no arithmetic, but it reads memory.",
        "same_or_new",
        {"cache": ["same", "new"], "methods": ["lookup"]},
    ),
    Question(
        "Ids drawn evenly, as words occur, or all equal: does the time of a lookup differ?",
        "ids",
        {"vary": "ids", "time_rows": 65536, "methods": ["lookup"]},
    ),
)
RECORDS = by_name((*QUESTIONS, *GPU_QUESTIONS, *TRIES))


def question_named(name: str) -> Question:
    """The question of a run; the usual one for own settings, the command, or a stranger's name."""
    return RECORDS.get(name, QUESTIONS[0])
