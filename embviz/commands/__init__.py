"""The commands of `python -m embviz`. Each module of this folder is one command.

To add a command, write one module here and show its EXAMPLE in the README. It is found by
listing the folder. It defines:

    SUMMARY                one line for `python -m embviz --help`
    EXAMPLE                one call, for the command's own `--help`
    add_arguments(parser)  adds the arguments; their help reads names from the records
    run(options)           prints the result on stdout and returns the exit code

`run` refuses bad input with `Refused`, which becomes one sentence on stderr and exit code 2.
A module imports torch and the modules that need it only inside these two functions:
`python -m embviz --help` imports every command.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from embviz.text.digits import whole_number
from embviz.text.refused import Refused
from embviz.text.wording import few_names, quote

if TYPE_CHECKING:
    from embviz.fact.inputs import Inputs
    from embviz.settings.kinds import Setting

LONGEST = 300  # characters of a message that quotes an argument


class Parser(argparse.ArgumentParser):
    """An argument parser whose error is one printable line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print the message on stderr and exit with code 2."""
        self.exit(2, f"{self.prog}: {quote(message, LONGEST)[1:-1]}. See: {self.prog} --help\n")


def build_parser(arguments: Sequence[str]) -> Parser:
    """The parser of all commands.

    Only a command that `arguments` name gets its own arguments, because their help imports torch.
    """
    parser = Parser(prog="python -m embviz", description="nn.Embedding against one-hot x Linear.")
    commands = parser.add_subparsers(dest="command", required=True)
    for found in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{found.name}")
        command = commands.add_parser(
            found.name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"example: {parser.prog} {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=module.run)
        if found.name in arguments:
            module.add_arguments(command)
    return parser


def records_of(options: Mapping[str, str]) -> dict[str, Setting]:
    """The records of a page's settings, each with the name of its option.

    Args:
        options: the name of the setting, by the name of the option.
    """
    from embviz.settings.pages import SETTINGS

    return {option: replace(SETTINGS[name], name=option) for option, name in options.items()}


def add_setting(parser: argparse.ArgumentParser, record: Any) -> None:
    """Add the option of a setting. The options have it only if it is given, as it is given.

    Args:
        parser: gets the option.
        record: of `SETTINGS`; its `read` refuses a bad value later, with its own sentence.
    """
    words = [record.help.split("\n")[0]]  # a page lists what each choice means
    if hasattr(record, "low"):
        words.append(f"{record.low} to {record.high:,}")
    elif choices := record.options():
        words.append(f"One of {', '.join(choices)}")
    how: dict[str, Any] = {}
    default = repr(record.default)
    if isinstance(record.default, bool):
        how = {"action": argparse.BooleanOptionalAction}
    elif isinstance(record.default, list):
        how, default = {"nargs": "+"}, " ".join(record.default)
    said = ". ".join(word.removesuffix(".") for word in words if word)
    parser.add_argument(
        f"--{record.name}",
        default=argparse.SUPPRESS,
        help=f"{said} (default: {default})".strip().replace("%", "%%"),
        **how,
    )


def given_settings(options: argparse.Namespace, records: Mapping[str, Setting]) -> dict[str, Any]:
    """The value of each setting: as its option gives it, else its default.

    Raises:
        Refused: an option has a value that it cannot have.
    """
    from embviz.settings.given import read

    given = {
        name: getattr(options, name.replace("-", "_"), record.default)
        for name, record in records.items()
    }
    return read(given, records)


def add_number(parser: argparse.ArgumentParser, name: str, default: int, meaning: str) -> None:
    """Add an option that is a whole number. The help states the default."""
    words = f"{meaning} (default: {default})"
    parser.add_argument(name, type=whole_number, default=default, help=words)


def add_json(parser: argparse.ArgumentParser, fields: str) -> None:
    """Add `--json`; its help names the fields."""
    parser.add_argument("--json", action="store_true", help=f"print one JSON object: {fields}")


def show(options: argparse.Namespace, result: Any, lines: Iterable[str] | None = None) -> int:
    """Print a result and return the exit code 0.

    Args:
        options: with `json`.
        result: the fields, printed by `--json`; or a str that is JSON already.
        lines: printed without `--json`; by default a line for each field.
    """
    if options.json:
        print(result if isinstance(result, str) else json.dumps(result))
        return 0
    if lines is None:
        width = max(map(len, result))
        lines = (
            f"{name:{width}} {value:{'g' if isinstance(value, float) else ''}}"
            for name, value in result.items()
        )
    print("\n".join(lines))
    return 0


def note_unknown(given: Inputs) -> None:
    """Say on stderr what of a text has no id, whether case is folded, and what was left out."""
    if given.own:
        note_taken(given.own.said, given.own.other)
    if given.unknown:
        print(
            f"embviz: no id for {few_names(given.unknown)}: all <unk>, with one and the same row. "
            "This is no error, but the layer cannot tell them apart. With the vocabulary bytes "
            "it can.",
            file=sys.stderr,
        )
    if given.folded:
        print("embviz: capital letters count as small ones.", file=sys.stderr)


def note_taken(said: str, other: str, option: str = "--header") -> None:
    """Say on stderr what was left out of a table, or may be no row, and the option against it.

    Args:
        said: the sentence; empty for nothing to say.
        other: the value of the option; `words` for words that may be looked up; or empty.
        option: its name.
    """
    ways = {"no": f" {option} no reads it as numbers.", "yes": f" {option} yes leaves it out."}
    ways["words"] = " --init vectors looks up the words."
    if said:
        print(f"embviz: {said}{ways.get(other, '')}", file=sys.stderr)


def check_number(option: str, value: int, low: int, high: int) -> None:
    """Refuse a number outside `low` to `high`, both included.

    Raises:
        Refused: names the option, the value and the range.
    """
    if not low <= value <= high:
        raise Refused(f"{option} {value} is not a whole number from {low} to {high:,}.")


def read_file(path: str, most: int) -> bytes:
    """The first bytes of a file, or of standard input for `-`: at most so many, and one more.

    Raises:
        Refused: the file cannot be read.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read(most + 1)
        with Path(path).open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise Refused(f"cannot read {_named(path)}: {reason}.") from None


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`; each line break becomes a line feed.

    Args:
        path: of UTF-8, with or without a byte order mark, or of UTF-16 with one.

    Raises:
        Refused: it cannot be read, has more than 1,000,000 characters, or is in no such encoding.
    """
    from embviz.text.files import decoded
    from embviz.training.corpus import MAX_TEXT

    most_bytes = 4 * MAX_TEXT + 3  # four bytes a character, three for a byte order mark
    content = read_file(path, most_bytes)
    too_long = Refused(f"{_named(path)} has more than {MAX_TEXT:,} characters.")
    if len(content) > most_bytes:
        raise too_long
    try:
        text = decoded(content)
    except Refused as refused:
        raise Refused(f"{_named(path)}: {refused}") from None
    if len(text) > MAX_TEXT:
        raise too_long
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _named(path: str) -> str:
    """A file in a message."""
    return "standard input" if path == "-" else quote(path, LONGEST)


def make_folder(path: str) -> None:
    """Make a folder, and those above it, where there is none.

    Raises:
        Refused: it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refused(f"cannot make the folder {quote(path, LONGEST)}: {reason}.") from None


def write_file(path: str, text: str, mode: str = "w") -> None:
    """Write a result to a file, line ends as they are.

    Raises:
        Refused: the file cannot be written.
    """
    try:
        with Path(path).open(mode, encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"cannot write {path!r}: {error.strerror}.") from None
