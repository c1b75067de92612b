"""`parameters`: every URL parameter, with its pages, values, default and meaning."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embviz.request.parameter_kinds import Parameter

SUMMARY = "print the URL parameters with their values and defaults"
EXAMPLE = "parameters --markdown"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `parameters`."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print one JSON array with name, pages, kind, values, default, meaning of each",
    )
    form.add_argument("--markdown", action="store_true", help="print a table")


def run(options: argparse.Namespace) -> int:
    """Print the records, in the order of the pages."""
    from embviz.request.parameters import PARAMETERS

    found = [*PARAMETERS.values()]
    if options.json:
        print(json.dumps([_fields(one) for one in found], ensure_ascii=False))
    elif options.markdown:
        print("| Parameter | Pages | Values | Default | Meaning |\n|---|---|---|---|---|")
        for one in found:
            cells = f"`{one.name}`", _pages(one), one.allowed(), f"`{_default(one)}`", one.sentence
            print(f"| {' | '.join(cells)} |")
    else:
        for before, one in zip([None, *found], found, strict=False):
            if before is None or before.pages != one.pages:
                print(f"{_pages(one)}:")
            print(f"  {one.name:11} {one.sentence} ({one.allowed()}); default {_default(one)}")
    return 0


def _fields(one: Parameter) -> dict[str, Any]:
    return {
        "name": one.name,
        "pages": one.pages,
        "kind": one.kind,
        "values": one.options() or one.allowed(),
        "default": one.default,
        "meaning": one.sentence,
    }


def _pages(one: Parameter) -> str:
    from embviz.request.pages import PAGES

    return "every page" if one.pages == tuple(PAGES) else ", ".join(one.pages)


def _default(one: Parameter) -> str:
    """As JSON, so that line breaks and empty texts can be seen."""
    return json.dumps(one.default, ensure_ascii=False)
