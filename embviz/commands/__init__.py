"""The commands of `python -m embviz`. Each module of this folder is one command.

To add a command, write one module here and show its EXAMPLE in the README. It is found by
listing the folder. It defines:

    SUMMARY                one line for `python -m embviz --help`
    EXAMPLE                one call, for the command's own `--help`
    add_arguments(parser)  adds the arguments; their help reads names from the records
    run(options)           prints the result on stdout and returns the exit code

`run` refuses bad input with a ValueError, which becomes one sentence on stderr and exit code 2.
A module imports torch and the modules that need it only inside these two functions:
`python -m embviz --help` imports every command.
"""

from __future__ import annotations

import argparse
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from embviz.core.wording import printable, quote

LONGEST = 300  # characters of a message that quotes an argument


class Parser(argparse.ArgumentParser):
    """An argument parser whose error is one printable line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print the message on stderr and exit with code 2."""
        shown = "".join(printable(c) for c in message[:LONGEST])
        shown += "…" if len(message) > LONGEST else ""
        self.exit(2, f"{self.prog}: {shown}. See: {self.prog} --help\n")


def build_parser(arguments: Sequence[str]) -> Parser:
    """Return the parser of all commands.

    Only a command that `arguments` name gets its own arguments, because their help imports torch.
    """
    parser = Parser(prog="python -m embviz", description="nn.Embedding against one-hot x Linear.")
    commands = parser.add_subparsers(dest="command", required=True)
    for found in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{found.name}")
        one = commands.add_parser(
            found.name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"example: {parser.prog} {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.set_defaults(run=module.run)
        if found.name in arguments:
            module.add_arguments(one)
    return parser


def add_option(
    parser: argparse.ArgumentParser,
    name: str,
    default: str | int,
    description: str | Iterable[str],
    dest: str | None = None,
) -> None:
    """Add an option of the default's type. The help states the default.

    Args:
        parser: gets the option.
        name: such as `--dim`.
        default: a str or an int.
        description: one phrase, or the names that the option accepts.
        dest: the attribute of the options, if it is not the name's.
    """
    words = description if isinstance(description, str) else ", ".join(description)
    shown = f"{words} (default: {default})".replace("%", "%%")
    parser.add_argument(name, type=type(default), default=default, help=shown, dest=dest)


def named(choices: Mapping[str, str]) -> list[str]:
    """Return each name with its words in parentheses.

    >>> named({"sgd": "training step (SGD)", "forward": "forward"})
    ['sgd (training step (SGD))', 'forward']
    """
    return [name if name == words else f"{name} ({words})" for name, words in choices.items()]


def check_choice(value: str, choices: Iterable[str], name: str = "") -> None:
    """Refuse a value that is not among the choices.

    Raises:
        ValueError: quotes the value, after `name` if given, and lists the choices.
    """
    allowed = list(choices)
    if value not in allowed:
        raise ValueError(f"{name} {quote(value)} is not one of: {', '.join(allowed)}.".lstrip())


def check_whole(option: str, value: int, low: int, high: int, note: str = "") -> None:
    """Refuse a number outside `low` to `high`, both included.

    Raises:
        ValueError: names the option, the value and the range; `note` explains the range.
    """
    if not low <= value <= high:
        raise ValueError(f"{option} {value} is not a whole number from {low} to {high:,}{note}.")


def check_writable(path: str) -> None:
    """Refuse a file that cannot be written, before a long computation.

    The file is opened, because permissions alone do not tell; one that this made is removed again.

    Raises:
        ValueError: names the file and the reason.
    """
    try:
        target = Path(path).resolve()
        if not target.parent.is_dir():
            raise ValueError(f"there is no folder for {path!r}.")
        known = target.exists()
        if known and not target.is_file() and not target.is_dir():
            return  # a device or a pipe: opening it may wait for its reader
        target.open("ab").close()
        if not known:
            target.unlink()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"cannot write {path!r}: {reason}.") from None


def write_file(path: str, text: str) -> None:
    """Write a result to a file, line ends as they are.

    Raises:
        ValueError: the file cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise ValueError(f"cannot write {path!r}: {error.strerror}.") from None
