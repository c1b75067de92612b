"""Python source as a syntax tree, one thread at a time.

Python 3.11 counts the depth of a tree for all threads together: `ast.parse` in two threads at once
raised "SystemError: AST constructor recursion depth mismatch" here. Streamlit's own use of it is
switched off (`runner.magicEnabled`). Nothing is run here.
"""

import ast
import threading

one = threading.Lock()


def parse(source: str) -> ast.Module:
    """The tree of `source`.

    Raises:
        SyntaxError: it is no Python.
    """
    with one:
        return ast.parse(source)
