"""The name `one` is no parameter and no variable of the source, but in a short loop or a lambda."""

import ast
from collections.abc import Iterator

from tests.load.server import ROOT
from tests.test_architecture import FILES

MOST = 3  # Lines over which a loop, a comprehension or a lambda may call its variable `one`.
SHORT = ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda


def named(node: ast.AST, is_short: bool = False) -> Iterator[int]:
    """The lines that give the name `one` to a thing that the reader has to look up."""
    for child in ast.iter_child_nodes(node):
        within = is_short or (isinstance(child, SHORT) and child.end_lineno - child.lineno < MOST)
        is_bound = isinstance(child, ast.arg) and child.arg == "one"
        if isinstance(child, ast.Name) and child.id == "one":
            is_bound = not isinstance(child.ctx, ast.Load)
        if is_bound and not within:
            yield child.lineno
        yield from named(child, within)


def test_one_is_a_name_only_where_the_line_before_names_the_thing() -> None:
    """A loop over more than 3 lines has a better name."""
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in FILES
        for line in named(ast.parse(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)
