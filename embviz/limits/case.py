"""The record of one case: a way in which lookup and product differ, or are said to differ.

A case holds its program and its fix as texts. The texts that the page shows are those that `prove`
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Lines that run before every program.
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
# Addresses of sources that are no function or class of PyTorch; those of its own documentation
# without what is the same in all.
ADDRESSES = {
    "Attention Is All You Need, 3.4": "https://arxiv.org/abs/1706.03762",
    "safetensors": "https://huggingface.co/docs/safetensors/torch_shared_tensors",
    "Autograd mechanics": "notes/autograd",
    "CUDA semantics": "notes/cuda",
    "DDP": "notes/ddp",
    "FSDP": "fsdp",
    "Meta device": "meta",
    "Numerical accuracy": "notes/numerical_accuracy",
    "Quantization": "quantization",
    "Reproducibility": "notes/randomness",
    "Tensor views": "tensor_view",
    "nn.Embedding.from_pretrained": "generated/torch.nn.Embedding",
    "nn.Module.load_state_dict": "generated/torch.nn.Module",
    "torch.Tensor": "tensors",
    "torch.amp": "amp",
    "torch.distributed": "distributed",
    "torch.dtype": "tensor_attributes",
    "torch.export": "export",
    "torch.finfo": "type_info",
    "torch.optim": "optim",
    "torch.sparse": "sparse",
}
LOOKUP = "nn.Embedding"
ROUTES = (LOOKUP, "one-hot × nn.Linear")
GRADIENTS = ("gradient of nn.Embedding", "gradient of nn.Linear, transposed")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case.

    Attributes:
        name: for links, like `inf-in-unseen-row`.
        title: a few words, without markup.
        claim: what the program shows, in one to three sentences, as Markdown.
        why: the reason, in one to three sentences, as Markdown.
        program: what shows it, after PRELUDE: two paragraphs with a blank line between. The first
            assigns `left`, the second `right`. An error in a paragraph is the value of its side.
        line: the line that the list shows, mostly the one of the program that breaks.
        raises: what each side must raise, with `…` for anything; "" if it must not raise.
        differ: how many values must differ, if no side raises.
        apart: the least that the largest difference may be; 0 where a bit is enough.
        fix: what to do, as a short imperative, as Markdown.
        typed: the fix on a layer, as one types it: after BEFORE_A_FIX, and ending in an `assert`.
        source: names of documentation pages and issues about it; `address` has their addresses.
        sides: what the two sides are called.
        messages: what PyTorch 0.4 to 2.13 says there and for no other reason as often; each opens
            the case. `messages.py` has the signs.
        general: what it says there and as often elsewhere: the case is offered, and not opened.
        questions: three or more, as people ask them.
        words: further words that people search for, in one text, such as names of other libraries.
        see: another page with more about it, or "".
        card: whether it is on the page's first screen.
        lacks: what this machine lacks to run it, or "".
        own_process: whether it sets state of the whole process, and so needs a process of its own.

    Raises:
        ValueError: the program has not two paragraphs; names the case.
    """

    name: str
    title: str
    claim: str
    why: str
    program: str
    line: str
    raises: tuple[str, str] = ("", "")
    differ: int = 0
    apart: float = 0.0
    fix: str
    typed: str
    source: tuple[str, ...]
    sides: tuple[str, str] = ROUTES
    messages: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    questions: tuple[str, ...]
    words: str = ""
    see: str = ""
    card: bool = False
    lacks: Callable[[], str] = lambda: ""
    own_process: bool = False

    def __post_init__(self) -> None:
        if len(paragraphs(self.program)) != 2:
            raise ValueError(
                f"The program of the case {self.name} needs two paragraphs, one for each side, "
                f"with one blank line between them and none within:\n{self.program}"
            )


def paragraphs(program: str) -> list[str]:
    r"""The parts of a program between its blank lines.

    >>> paragraphs("left = 1\n\nright = 2\n")
    ['left = 1', 'right = 2']
    """
    return program.strip().split("\n\n")


def end_of(parts: Sequence[str], text: str) -> int:
    """The place at which a text has the last of these parts, in this order, for the last time.

    Returns:
        0 if the text does not have them.

    >>> end_of(("index ", " of input"), "index 7 of input"), end_of(("a", "b"), "b a")
    (16, 0)
    """
    *before, last = parts
    place = 0
    for part in before:
        found = text.find(part, place)
        if found < 0:
            return 0
        place = found + len(part)
    found = text.rfind(last, place)
    return found + len(last) if found >= 0 else 0


def address(source: str) -> str:
    """The address of a page or issue by its name in a record: by default a page of PyTorch's.

    >>> address("F.one_hot").rpartition("/")[2]
    'torch.nn.functional.one_hot.html'
    >>> address("pytorch issue 3121")
    'https://github.com/pytorch/pytorch/issues/3121'
    """
    kind, _, number = source.rpartition(" ")
    if kind == "pytorch issue":
        return f"https://github.com/pytorch/pytorch/issues/{number}"
    page = ADDRESSES.get(source, "")
    if page.startswith("https:"):
        return page
    page = (
        page or f"generated/torch.{source.removeprefix('torch.').replace('F.', 'nn.functional.')}"
    )
    return f"https://docs.pytorch.org/docs/stable/{page}.html"
