"""The record of one case: a way in which lookup and product differ, or are said to differ.

A case holds two programs as texts. The text that the page shows is the text that `prove` runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Every program starts with these lines.
PRELUDE = """
import torch
from torch import nn
from torch.nn import functional as F

weight = torch.arange(12.0).reshape(4, 3)  # 4 ids, 3 numbers each
table = nn.Parameter(weight.clone())  # of nn.Embedding
linear = nn.Parameter(weight.T.clone())  # of nn.Linear, which stores it transposed


def one_hot(ids):
    return F.one_hot(ids, num_classes=4).float()
"""
# The layers on which a fix is typed, after PRELUDE.
LAYERS = """
ids = torch.tensor([0, 2])
embedding = nn.Embedding(4, 3)
linear = nn.Linear(4, 3, bias=False)
linear.weight.data.copy_(embedding.weight.T)
"""
BEFORE_A_FIX = PRELUDE + LAYERS  # All lines that a fix on a layer needs.
LOOKUP = "nn.Embedding"
ROUTES = (LOOKUP, "one-hot × nn.Linear")
GRADIENTS = ("gradient of nn.Embedding", "gradient of nn.Linear, transposed")
TRAIN = ("training", "Train both routes side by side")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case.

    Attributes:
        name: for links, like `inf-in-unseen-row`.
        title: a few words, without markup.
        claim: what the program shows, in one to three sentences, as Markdown.
        why: the reason, in one to three sentences, as Markdown.
        breaks: the program that shows it, without PRELUDE. It has two paragraphs with a blank line
            between: the first assigns `left`, the second `right`. An error in a paragraph is the
            value of its side.
        raises: what each side must raise, as `matched` reads it; "" if it must not raise.
        differ: how many values must differ, if no side raises.
        fix: what to do, as a short imperative, as Markdown.
        mends: the program that does it. No side may raise.
        mended: how many values must differ after it.
        source: (label, address) of documentation pages or issues about it.
        sides: what the two sides are called.
        fixed_sides: the same of `mends`; () if they are `sides`.
        tolerance: largest difference of two numbers that counts as the same; 0 is bit for bit.
        line: the line of code that breaks, as the list shows it; it stands in `breaks`.
        typed: the fix on a layer, as one types it: after BEFORE_A_FIX, and ending in an `assert`.
        messages: what PyTorch 0.4 to 2.13 says there and for no other reason as often; each opens
            the case. `messages.py` has the signs.
        general: what it says there and as often elsewhere: the case is offered, and not opened.
        questions: three or more, as people ask them.
        words: further words that people search for, in one text, such as names of other libraries.
        see: (page, words) of another page with more about it.
        card: whether it is on the page's first screen.
        lacks: what this machine lacks to run it, or "".
        own_process: whether it sets state of the whole process, and so needs a process of its own.

    Raises:
        ValueError: a program has not two paragraphs; names the case.
    """

    name: str
    title: str
    claim: str
    why: str
    breaks: str
    raises: tuple[str, str] = ("", "")
    differ: int = 0
    fix: str
    mends: str
    mended: int = 0
    source: tuple[tuple[str, str], ...]
    sides: tuple[str, str] = ROUTES
    fixed_sides: tuple[str, str] | tuple[()] = ()
    tolerance: float = 0.0
    line: str
    typed: str
    messages: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    questions: tuple[str, ...]
    words: str = ""
    see: tuple[str, str] | None = None
    card: bool = False
    lacks: Callable[[], str] = lambda: ""
    own_process: bool = False

    @property
    def mended_sides(self) -> tuple[str, str]:
        """The names of the sides of `mends`."""
        return self.fixed_sides or self.sides

    def __post_init__(self) -> None:
        for field in ("breaks", "mends"):
            if len(paragraphs(getattr(self, field))) != 2:
                raise ValueError(
                    f"{field} of the case {self.name} needs two paragraphs, one for each side, "
                    "with one blank line between them and none within."
                )


def paragraphs(program: str) -> list[str]:
    r"""The parts of a program between its blank lines.

    >>> paragraphs("left = 1\n\nright = 2\n")
    ['left = 1', 'right = 2']
    """
    return program.strip().split("\n\n")


def matched(pattern: str, text: str) -> bool:
    """Whether a text has a pattern.

    The parts of the pattern between `…` must be in the text, in this order. An empty pattern
    matches nothing.

    >>> matched("expected … but found", "expected scalar type Long but found Float")
    True
    """
    place = 0
    for part in pattern.split("…"):
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return pattern.strip("…") != ""


def docs(label: str, page: str = "") -> tuple[str, str]:
    """A page of PyTorch's documentation as a source: its name and its address.

    Without `page`, the page of the function or class that `label` names.

    >>> docs("F.one_hot")[1].rpartition("/")[2]
    'torch.nn.functional.one_hot.html'
    """
    if not page:
        page = f"generated/torch.{label.removeprefix('torch.').replace('F.', 'nn.functional.')}"
    return label, f"https://docs.pytorch.org/docs/stable/{page}.html"


def issue(number: int) -> tuple[str, str]:
    """An issue of pytorch/pytorch as a source: its name and its address."""
    return f"pytorch issue {number}", f"https://github.com/pytorch/pytorch/issues/{number}"
