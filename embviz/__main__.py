"""`python -m embviz`: hands over to the command that the first argument names.

Results go to stdout and messages to stderr. The exit code is 2 for bad input, with one
sentence and no traceback; otherwise the command's own.
"""

from __future__ import annotations

import os
import sys

from embviz.commands import build_parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = build_parser(arguments).parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()  # raises BrokenPipeError here if the reader has closed the pipe
    except ValueError as error:
        print(f"embviz: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head` has read enough; Python's own flush at exit must not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
