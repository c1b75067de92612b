"""What PyTorch, NumPy and Python print is read by every reader of numbers, or refused by name."""

import re
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.bag.matrix import parse_matrix
from embviz.bag.uploads import read_upload
from embviz.fact.ids import parse_ids
from embviz.fact.weights import parse_weights, read_weights
from embviz.labs import answer
from embviz.labs.question import Question
from embviz.text.digits import plain_digits
from embviz.text.printed import bare_numbers
from embviz.text.refused import Refused

IDS = [[1, 3], [0, 2]]
FLOATS = torch.tensor(IDS, dtype=torch.float32)
FOUR = Question("t", "p", (1.0,), "w", count=4, tolerance=0.01)
OF_TABLES: dict[str, Callable[[str], Any]] = {
    "weights": lambda typed: parse_weights(typed).weight,
    "x": lambda typed: parse_matrix(typed).csr.toarray(),
    "an upload of weights": lambda typed: read_weights("n.txt", typed.encode()).weight,
    "an upload of a matrix": lambda typed: read_upload("n.csv", typed.encode()).csr.toarray(),
}
READERS: dict[str, Callable[[str], Any]] = {
    "ids": lambda typed: parse_ids(typed, 9),
    "an answer": lambda typed: np.reshape(answer.read(FOUR, typed), (2, 2)),
    **OF_TABLES,
}
WHOLE = {
    "tensor": repr(torch.tensor(IDS)),
    "array": repr(np.array(IDS)),
    "prompt": f">>> {torch.tensor(IDS)!r}",
    "notebook": f"Out[5]: {np.array(IDS)!r}",
    "call": f"torch.tensor({IDS})",
    "module": f"np.array({IDS}, dtype=np.int64)",
    "device": f"tensor({IDS}, device='cuda:0')",
    "tuples": str(tuple(map(tuple, IDS))),
    "tuple of lists": str(tuple(IDS)),
    "tensors in a tuple": repr(tuple(map(torch.tensor, IDS))),
    "scalars": repr([[np.int64(number) for number in row] for row in IDS]),
    "scalar tensors": repr([[torch.tensor(number) for number in row] for row in IDS]),
    "key": str({"input_ids": IDS}),
    "BatchEncoding": f"BatchEncoding({{'input_ids': {IDS}}})",
    "key of a tensor": str({"input_ids": torch.tensor(IDS)}),
    "TensorFlow ids": f"tf.Tensor(\n{np.array(IDS)}, shape=(2, 2), dtype=int32)",
    "digits": f"tensor({IDS})".translate(str.maketrans("0123", "٠١٢٣")),
}
FRACTIONAL = {
    "float": repr(FLOATS),
    "parameter": repr(torch.nn.Parameter(FLOATS)),
    "weight at a prompt": f">>> {torch.nn.Parameter(FLOATS)!r}",
    "gradient": repr(FLOATS.clone().requires_grad_() * 1),
    "float32 array": repr(FLOATS.numpy()),
    "asked at a prompt": f">>> emb.weight\n{torch.nn.Parameter(FLOATS)!r}\n>>> ",
    "asked after a line": f">>> w = emb.weight\n>>> print(w[0:2])\n{FLOATS!r}",
    "state": repr(OrderedDict(weight=FLOATS)),
    "newer state": f"OrderedDict({{'weight': {FLOATS!r}}})",
    "dictionary": str({"weight": FLOATS}),
    "JAX": repr(FLOATS.numpy()).replace("array", "Array"),
    "TensorFlow": f"tf.Tensor(\n{FLOATS.numpy()}, shape=(2, 2), dtype=float32)",
    "eager": f"<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n{FLOATS.numpy()!r}>",
    "variable": f"<tf.Variable 'e/embeddings:0' shape=(2, 2) dtype=float32, numpy=\n"
    f"{FLOATS.numpy()!r}>",
    "Keras": f"<Variable path=e/embeddings, shape=(2, 2), dtype=float32, value={FLOATS.numpy()}>",
}


@pytest.mark.parametrize("printed", [*WHOLE, *FRACTIONAL])
@pytest.mark.parametrize("reader", READERS)
def test_each_print_is_read_by_each_reader(reader: str, printed: str) -> None:
    """Numbers and shape are those that were printed; ids alone need whole numbers."""
    text = (WHOLE | FRACTIONAL)[printed]
    if reader == "ids" and printed in FRACTIONAL:
        with pytest.raises(Refused, match=r"'1\.' at index 0 is not an id"):
            READERS[reader](text)
        return
    if reader == "an answer":
        if printed.startswith("asked"):
            return  # its field has one line
        text = re.sub(r"\s+", " ", text)  # in one line, as in its field
    if len(text) <= answer.MAX_TYPED or reader != "an answer":
        assert READERS[reader](text).tolist() == IDS


@pytest.mark.parametrize("reader", READERS)
def test_a_shortened_print_is_refused_as_such(reader: str) -> None:
    """The sentence says how to print all numbers."""
    for text in (
        repr(torch.arange(2000)),
        repr(torch.ones(2000)),
        repr(np.arange(2000.0)),
        str(np.arange(2000)),
        "[0.25, …, 1.]",
    ):
        with pytest.raises(Refused, match=r"is shortened.*torch.set_printoptions"):
            READERS[reader](text)


REFUSED = {
    "{'input_ids': [[1, 2]], 'attention_mask': [[1, 1]]}": "'input_ids', 'attention_mask'. Give",
    str(OrderedDict(weight=torch.ones(1), bias=torch.ones(1))): "'weight', 'bias'. Give the",
    repr(torch.eye(2).to_sparse()): "cannot be read|is not a|has 11 numbers",
    str({f"{place:099}": [1] for place in range(99)}): "several keys: '0000",
    "{'input_ids': [1, 2, 3, 4]": "is not a|cannot be read",
    "range(4)": "is not a",
    "f([1, 2, 3, 4])": "is not a|cannot be read",
    "tensor([True, False])": "'True' is not a number",
    "tensor([1, 2], size=(2,))": "'size=|cannot be read|is not a",
    "tensor([1, 2, 3, 4]": "is not a|cannot be read",
    "tensor(": "is not a|cannot be read",
    "[1, 2](3)": "cannot be read|is not a|has 3 numbers",
    "[1,, 2]": "cannot be read|nothing between|has 2 numbers",
    "tensor([[1, x], [3, 4]])": "'x' is not a number",
    "tensor([[1, ２ｘ], [3, 4]])": "'２ｘ' is not a number",
}


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_one_print_of_numbers_is_refused(reader: str, text: str) -> None:
    """Nothing of it is left out in silence."""
    if reader == "an answer" and len(text) > answer.MAX_TYPED:
        return
    with pytest.raises(Refused, match=REFUSED[text]) as refused:
        READERS[reader](text)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("unit", ["(cm)", "[cm]", "[cm]\t"])
def test_brackets_of_a_header_are_no_tuple_and_no_list(unit: str) -> None:
    """A header with a unit names the columns."""
    for reader in OF_TABLES.values():
        assert reader(f"width {unit.strip()},height {unit}\n1,2\n3,4").tolist() == [[1, 2], [3, 4]]


SIGNS = st.text("0123456789 ,.()[]{}'=\n>:tensor<_", max_size=40)


@given(SIGNS | SIGNS.map("tensor({})".format) | SIGNS.map("({})".format))
def test_each_number_keeps_its_place(text: str) -> None:
    """The text is as long as before; only blanks and brackets are new."""
    try:
        found = bare_numbers(text)
    except Refused:
        return
    plain = plain_digits(text)
    assert len(found) == len(plain)
    assert all(new in (old, " ") or new in "[]" for new, old in zip(found, plain, strict=True))


HOSTILE = ["(", "(1", ",)", ", ", ">>> ", "{'", "'a': ", ",dtype=<", "tensor(", "[(", "Out[1]: "]


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("start", ["", "(", "tensor([", "{'a': ["])
def test_a_long_text_is_read_once(start: str, part: str) -> None:
    """A text of 400,000 characters ends; a pattern that looks twice would take hours."""
    text = start + part * (400_000 // len(part))
    with suppress(Refused):
        assert len(bare_numbers(text)) == len(text)
