"""`python -m embviz`: hands over to the command that the first argument names.

Results go to stdout and messages to stderr. The exit code is 2 for bad input, with one
sentence and no traceback, 130 after Ctrl+C, and otherwise the command's own. Any other exception
is a defect of embviz and keeps its traceback.
"""

from __future__ import annotations

import io
import os
import signal
import sys

from embviz.text.refused import Refused

STOPPED = 128 + signal.SIGINT  # the exit code after Ctrl+C


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        from embviz.commands import build_parser  # here, so that Ctrl+C is heard meanwhile

        options = build_parser(arguments).parse_args(arguments)
        code: int = options.run(options)
        sys.stdout.flush()  # raises here if the reader has closed the pipe or the disk is full
    except Refused as error:
        print(f"embviz: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head` has read enough
        _drop_stdout()
        return 0
    except OSError as error:
        _drop_stdout()
        why = f"{error.filename or 'stdout'}: {error.strerror}." if error.strerror else error
        print(f"embviz: {why}", file=sys.stderr)
        return 1
    return code


def _stop(number: int, _: object) -> None:
    """End at once after Ctrl+C. An exception would not do: PyTorch's import may catch it."""
    os.write(2, b"embviz: stopped.\n")
    os._exit(STOPPED)


def _drop_stdout() -> None:
    """Make Python's own flush at exit succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console may lack "µ"
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Everything is printed.
    sys.exit(code)
