"""The code to copy, taken from the source of the function that ran.

Imports at the top, the default values as assignments, the body with its comments, and the final
`return left, right` turned into `print` of both sides. Removed from the body is what only our tools
need: annotations of variables and `type: ignore` comments. An error that is kept as an object
becomes its text.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from types import ModuleType

from embviz.core.syntax import parse
from embviz.limits.case import Both

_FROM = {
    "torch.nn": "from torch import nn",
    "torch.nn.functional": "from torch.nn import functional as F",
}


def script(function: Callable[..., Both], sides: tuple[str, str]) -> str:
    """A program that does what the function did and prints both sides.

    Args:
        function: a case's `problem` or `fix`.
        sides: the names printed before the two values.
    """
    body, results, imports = _source(getattr(function, "func", function))
    takes = inspect.signature(function).parameters.values()
    values = [f"{one.name} = {one.default!r}" for one in takes]
    prints = [
        f'print("{side}:")\nprint({result})' for side, result in zip(sides, results, strict=True)
    ]
    parts = ["\n".join(lines) for lines in (imports, values, [body], prints)]
    return "\n\n".join(filter(None, parts)) + "\n"


@functools.cache
def _source(function: Callable[..., Both]) -> tuple[str, tuple[str, str], list[str]]:
    """The body without its return, the two expressions returned, and the imports it needs."""
    source = textwrap.dedent(inspect.getsource(function))
    tree = parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    last = tree.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    left, right = (ast.get_source_segment(source, part) or "" for part in last.value.elts)
    lines = source.splitlines()
    for node in ast.walk(tree):
        _simplify(node, lines)
    body = textwrap.dedent("\n".join(lines[1 : last.lineno - 1]))
    body = re.sub(r"  # type: ignore\[[\w-]+\]", "", body)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return body, (left, right), _imports(function, names)


def _simplify(node: ast.AST, lines: list[str]) -> None:
    """Remove an annotation from its line, and keep an error as its text."""
    if isinstance(node, ast.AnnAssign):
        row, start = node.lineno - 1, node.target.end_col_offset or 0
        lines[row] = lines[row][:start] + lines[row][node.annotation.end_col_offset :]
    elif isinstance(node, ast.ExceptHandler):
        for kept in ast.walk(node):
            if isinstance(kept, ast.Assign) and ast.unparse(kept.value) == node.name:
                row, name = kept.lineno - 1, node.name
                text = f'f"{{type({name}).__name__}}: {{{name}}}"'
                lines[row] = lines[row][: kept.value.col_offset] + text


def _imports(function: Callable[..., Both], names: set[str]) -> list[str]:
    """The import of each module that a body names, in the order of the modules' full names."""
    known = getattr(function, "__globals__", {})
    modules = [known[name].__name__ for name in names if isinstance(known.get(name), ModuleType)]
    return [_FROM.get(name, f"import {name}") for name in sorted(modules)]
