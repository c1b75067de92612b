"""The name `one` stands only where the same or the last line says what thing it is."""

import ast
from collections.abc import Iterator

from tests.load.server import ROOT
from tests.test_architecture import FILES

MOST = 3  # Lines over which a loop, a comprehension or a lambda may call its variable `one`.
LOCAL = ast.For | ast.AsyncFor | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
# The field of each node that binds a name.
NAMES = {ast.Name: "id", ast.arg: "arg", ast.ExceptHandler: "name", ast.MatchAs: "name"}


def bound(node: ast.AST) -> list[ast.AST]:
    """The variables of a loop or a comprehension, or the parameters of a lambda."""
    if isinstance(node, ast.Lambda):
        return [*ast.walk(node.args)]
    generators = [node] if isinstance(node, ast.For | ast.AsyncFor) else node.generators
    return [name for generator in generators for name in ast.walk(generator.target)]


def places(tree: ast.AST) -> Iterator[int]:
    """The lines that give `one` to a thing that the reader has to look up."""
    allowed = set()
    for node in ast.walk(tree):
        if isinstance(node, LOCAL | ast.Lambda) and node.end_lineno - node.lineno < MOST:
            allowed |= {id(name) for name in bound(node)}
    for node in ast.walk(tree):
        is_named = getattr(node, NAMES.get(type(node), ""), None) == "one"
        is_read = isinstance(getattr(node, "ctx", None), ast.Load)
        if is_named and not is_read and id(node) not in allowed:
            yield node.lineno


def test_one_is_a_name_only_where_the_line_before_names_the_thing() -> None:
    """It is no parameter and is not assigned; a loop over more than 3 lines has a better name."""
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in FILES
        for line in places(ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)
