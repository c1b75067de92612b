"""The layer in front of each reader of numbers: it leaves out the print around the numbers.

PyTorch, NumPy, JAX, TensorFlow, Keras and Python print names, options, prompts, keys and round
brackets. The readers know the rest: the rank, how many numbers are asked, and where a comma is a
decimal one.
"""

import re
from io import StringIO
from itertools import islice

from embviz.text.digits import plain_digits
from embviz.text.refused import Refused
from embviz.text.wording import quote

MOST_CALLS = 100_000  # Round brackets that are looked at; a table of more numbers needs none.
MOST_KEYS = 4  # Keys that a sentence names.
SHORTENED = (
    "The print is shortened: `...` stands in the place of numbers. These print all numbers: "
    "torch.set_printoptions(profile='full'), np.set_printoptions(threshold=sys.maxsize), and in "
    "pandas to_csv()."
)
SPARSE = (
    "The print of a sparse matrix is not a table of numbers. Give the file of "
    "scipy.sparse.save_npz, or print X.toarray()."
)
SIZED = (
    "The print of a sparse or quantized tensor is not a table of numbers. Print its .to_dense(), "
    "or its .dequantize()."
)

_FLAGS = re.ASCII | re.IGNORECASE
_CALL = (
    r"(?:(?:torch|np|numpy|nn|jnp|tf)\.){0,2}"
    r"(?:\w{0,9}(?:tensor|array)|matrix|parameter|size|(?:u?int|b?float)\d{1,3})"
)
_NAME = re.compile(_CALL, _FLAGS)
_VALUE = r"(?:<[^<>]*>|'[^']*'|[\w.]+)"
_OPTIONS = re.compile(rf",\s*(?:dtype|device|requires_grad|grad_fn|layout)={_VALUE}", _FLAGS)
# The shape that TensorFlow prints behind the numbers; `_OPTIONS` has no brackets.
_SHAPE = re.compile(r",\s*shape=\([\d, ]{0,40}\)", _FLAGS)
# `<tf.Tensor: …, numpy=…>`, `<tf.Variable …, numpy=…>`, and Keras's `<Variable …, value=…>`.
_ANGLES = re.compile(
    r"<(?:tf\.|keras)?(?:tensor|variable)\b[^<>\[\]]{0,300}[ ,](?:numpy|value)=\s*", _FLAGS
)
_DOTS = re.compile(r"(?<![0-9.])(?:\.\.\.(?![0-9.])|…)")
# What was asked at a prompt, such as `emb.weight`, in a line of its own.
_ASKED = rf"(?:[ \t]*(?!{_CALL}\()[a-z_][\w.()\[\]'\",: =]*\n)?"
_PROMPTS = rf"(?:(?:>>>{_ASKED}|(?:in|out) ?\[\d+\]:|parameter containing:)\s*)*+"
# The start of a dictionary or of a `state_dict`: its brackets and one key.
_KEY = r"(?:(?P<key>(?:(?:ordereddict|batchencoding)\()?(?:\{|\[\())\s*(['\"])[\w.]+\2\s*[:,]\s*)?+"
_HEAD = re.compile(rf"{_PROMPTS}{_KEY}{_PROMPTS}(?=[\[(]|{_CALL}\()", _FLAGS)
_KEYS = re.compile(r"[{,]\s*(['\"])([\w.]+)\1\s*:|\(\s*(['\"])([\w.]+)\3\s*,")
_DOT_CELL = re.compile(r"(?<![^\s,;])(?:[.]{2,3}|…)(?![^\s,;])")
_PARAMETER = re.compile("parameter containing:", _FLAGS)
# The first lines of a sparse matrix of SciPy.
_SPARSE = re.compile(
    r"\s*(?:<[^\n<>]*\bsparse\b|Coords\s+Values|\(\d+, ?\d+\)[ \t]+[^\s()]+[ \t]*(?:[\r\n]|$))"
)
_CLOSING = str.maketrans("([{", ")]}")


def bare_numbers(text: str) -> str:
    """The text in ASCII digits and signs, without what is printed around its numbers.

    It has as many characters as before, each in its place: blanks are left of names and options,
    and round brackets are square. A text that begins with neither a bracket nor a name is only put
    into ASCII.

    Raises:
        Refused: a print that was shortened, or one of several keys.

    >>> bare_numbers("tensor([1, 3])"), bare_numbers(">>> (1, (2,))")
    ('       [1, 3] ', '    [1, [2 ]]')
    >>> bare_numbers("array([[1.]], dtype=float32)").rstrip(), bare_numbers("x (cm)")
    ('      [[1.]]', 'x (cm)')
    """
    plain = _without_shape(plain_digits(text))
    check_print(plain)
    start = len(plain) - len(plain.lstrip())
    if not (head := _HEAD.match(plain, start)):
        if _DOT_CELL.search(plain):
            raise Refused(SHORTENED)
        return plain
    if _DOTS.search(plain):
        raise Refused(SHORTENED)
    inside = plain.rstrip().removesuffix(">>>").rstrip()
    if head["key"]:
        _check_one_key(plain)
        closing = re.sub("[^([{]", "", head["key"])[::-1].translate(_CLOSING)
        if not inside.endswith(closing):
            return plain
        inside = inside.removesuffix(closing)
    inside = _PARAMETER.sub(lambda words: " " * len(words[0]), inside)
    plain = (" " * head.end() + inside[head.end() :]).ljust(len(plain))
    return _without_calls(plain) if 0 < plain.count("(") <= MOST_CALLS else plain


def check_print(plain: str) -> None:
    """Refuse a print of which no reader knows the numbers.

    Raises:
        Refused: says what it is, and what to give.
    """
    if _SPARSE.match(plain):
        raise Refused(SPARSE)
    if "size=(" in plain:
        raise Refused(SIZED)


def _without_shape(plain: str) -> str:
    """The text with blanks for the shape and the angle brackets of TensorFlow and Keras.

    >>> _without_shape("<tf.Variable 'w' shape=(1,), numpy=[2.]>").strip()
    '[2.]'
    """
    size, inside = len(plain), plain.strip()
    start = plain.find(inside)
    if inside.endswith(">") and (angles := _ANGLES.match(plain, start)):
        plain = (" " * angles.end() + plain[angles.end() :].rstrip().removesuffix(">")).ljust(size)
    return _SHAPE.sub(lambda shape: " " * len(shape[0]), plain)


def _check_one_key(plain: str) -> None:
    """Refuse a dictionary of several keys.

    Raises:
        Refused: names the first of them.
    """
    keys = [found[2] or found[4] for found in islice(_KEYS.finditer(plain), MOST_KEYS)]
    if len(keys) > 1:
        named = ", ".join(map(quote, keys))
        raise Refused(f"The print has several keys: {named}. Give the numbers of one.")


def _without_calls(plain: str) -> str:
    """The text with blanks for calls such as `tensor(` and their options; tuples become lists."""
    parts, closing, last = StringIO(), list[str](), 0
    for bracket in re.finditer("[()]", plain):
        at = bracket.start()
        before, last = plain[last:at], bracket.end()
        if bracket[0] == "(":
            name = before.rsplit(None, 1)[-1].lstrip("[,") if before[-1:].isalnum() else ""
            is_call = _NAME.fullmatch(name) is not None
            if not is_call and (name or plain[at - 1 : at] in (*"])",)):
                return plain  # a call of something else
            parts.write(before.removesuffix(name).ljust(len(before)) if is_call else before)
            parts.write(" " if is_call else "[")
            closing.append(" " if is_call else "]")
            continue
        if "=" in before:
            before = _OPTIONS.sub(lambda option: " " * len(option[0]), before)
        if before.rstrip().endswith(","):  # the comma of (1,)
            before = before.rstrip()[:-1].ljust(len(before))
        parts.write(before)
        parts.write(closing.pop() if closing else ")")
    return plain if closing else parts.getvalue() + plain[last:]
