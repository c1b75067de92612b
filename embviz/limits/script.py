"""The code to copy, taken from the source of the function that ran.

Imports at the top, the inputs and default values as assignments, the body with its comments, and
the final `return` turned into `print` of both sides. Removed from the body is what only our tools
need: annotations of variables and `type: ignore` comments. An error that is kept as an object
becomes its text.
Refuses a function that does not end in `return left, right`.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from types import ModuleType

from embviz.core.syntax import parse
from embviz.limits.case import Both

_FROM = {
    "torch.nn": "from torch import nn",
    "torch.nn.functional": "from torch.nn import functional as F",
}
_REMOVED = "\0"


def script(
    function: Callable[..., Both], given: Mapping[str, object], sides: tuple[str, str]
) -> str:
    """A program that does what the function did and prints both sides.

    Args:
        function: a case's `problem` or `fix`.
        given: the inputs by name; those that the function does not take are left out.
        sides: the names printed before the two values.
    """
    body, results, modules = _source(getattr(function, "func", function))
    takes = inspect.signature(function).parameters
    settings = {one.name: one.default for one in takes.values() if one.default is not one.empty}
    values = [
        f"{name} = {f'torch.{value}' if name == 'dtype' else repr(value)}"
        for name, value in {**given, **settings}.items()
        if name in takes
    ]
    if "dtype" in takes:
        modules = {"torch": "import torch", **modules}
    prints = [
        f'print("{side}:")\nprint({result})' for side, result in zip(sides, results, strict=True)
    ]
    imports = [modules[name] for name in sorted(modules)]
    parts = ["\n".join(lines) for lines in (imports, values, [body], prints)]
    return "\n\n".join(filter(None, parts)) + "\n"


@functools.cache
def _source(function: Callable[..., Both]) -> tuple[str, tuple[str, str], dict[str, str]]:
    """The body without its return, the two expressions returned, and the imports it needs."""
    source = textwrap.dedent(inspect.getsource(function))
    tree = parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert tree.returns is not None
    last = tree.body[-1]
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)):
        raise ValueError(f"{tree.name} does not end in `return left, right`.")
    left, right = (ast.get_source_segment(source, part) or "" for part in last.value.elts)
    lines = source.splitlines()
    for node in sorted(ast.walk(tree), key=lambda node: -getattr(node, "lineno", 0)):
        _simplify(node, lines)
    first = tree.returns.end_lineno or 0
    if ast.get_docstring(tree) is not None:
        first = tree.body[0].end_lineno or first
    kept = [line for line in lines[first : last.lineno - 1] if line != _REMOVED]
    body = textwrap.dedent("\n".join(kept)).strip("\n")
    body = re.sub(r"  # type: ignore\[[\w-]+\]", "", body)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return body, (left, right), _imports(function, names)


def _simplify(node: ast.AST, lines: list[str]) -> None:
    """Remove an annotation from its line, and keep an error as its text."""
    if isinstance(node, ast.AnnAssign):
        row, start = node.lineno - 1, node.target.end_col_offset or 0
        line = lines[row]
        lines[row] = (
            _REMOVED
            if node.value is None
            else line[:start] + line[node.annotation.end_col_offset :]
        )
    elif isinstance(node, ast.ExceptHandler):
        for kept in ast.walk(node):
            if isinstance(kept, ast.Assign) and ast.unparse(kept.value) == node.name:
                row, name = kept.lineno - 1, node.name
                text = f'f"{{type({name}).__name__}}: {{{name}}}"'
                lines[row] = lines[row][: kept.value.col_offset] + text


def _imports(function: Callable[..., Both], names: set[str]) -> dict[str, str]:
    """The import of each module that a body names, by the module's full name."""
    known = getattr(function, "__globals__", {})
    modules = [known[name] for name in names if isinstance(known.get(name), ModuleType)]
    return {m.__name__: _FROM.get(m.__name__, f"import {m.__name__}") for m in modules}
