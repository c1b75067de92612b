"""The three worlds of the playground: a vocabulary and a table that go together, one press apart.

A world stands in for the defaults of its settings, on every page whose address names it. The bare
address of the playground is *six letters*; any other address without a world is *characters*.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embviz.fact.tokenizers import vocabulary
from embviz.text.records import by_name
from embviz.text.wording import quote


@dataclass(frozen=True)
class World:
    """One world.

    Attributes:
        name: its value in links and on the command line.
        title: its name on the page.
        text: shown while nothing is typed; empty where the default of the setting is shown.
        settings: values in place of the records' defaults, of the model and of pages.
    """

    name: str
    title: str
    text: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def usual(self) -> dict[str, Any]:
        """The world's values in place of defaults, with its text."""
        return {"text": self.text, **self.settings} if self.text else {}

    def fits(self, text: str) -> bool:
        """Whether the world has an id for each token of the text; *characters* takes any text."""
        return not self.settings or not [*vocabulary(self.settings).unknown(text)]


LETTERS = World(
    "letters",
    "six letters",
    "cab",
    {"vocab": "custom", "chars": "abcdef", "rows": 6, "dim": 3, "init": "integers"}
    | {"lesson": "letters"},
)
CHARACTERS = World("characters", "characters")
WORDS = World("words", "words, trained", "king queen", {"vocab": "words", "init": "trained"})
EXAMPLE = LETTERS.usual()  # What the playground and the route `live` show while nothing is typed.

WORLDS = by_name((LETTERS, CHARACTERS, WORDS))
# Settings whose value decides whether a table is still that of a world.
IDENTITY = "vocab", "chars", "init"
# Settings that stay as they are in another world.
KEPT = "seed", "dtype", "device"


def shown_world(given: Mapping[str, Any], example: str) -> World:
    """The world of these given settings.

    Args:
        given: settings by name, without those that are as usual.
        example: the text that the page shows while nothing is typed, of *six letters*; or empty.

    >>> shown_world({}, "cab").name, shown_world({"text": "abc"}, "cab").name
    ('letters', 'characters')
    """
    named = given.get("world")
    if named is None:
        is_bare = example and "text" not in given and given.get("input") != "ids"
        named = LETTERS.name if is_bare else CHARACTERS.name
    return WORLDS[named]


def world_of_text(text: str, given: Mapping[str, Any], example: str) -> tuple[World, str]:
    """The world in which a typed text is shown, and why it is another one; empty if it is not.

    A letter that *six letters* lacks leads to *characters*. With a vocabulary of the user's own
    such a letter is `<unk>`.
    """
    world = shown_world(given, example)
    own = any(name in given for name in IDENTITY)
    if world is not LETTERS or own or world.fits(text):
        return world, ""
    foreign = next(letter for letter in text if letter not in world.settings["chars"])
    reason = f"{quote(foreign)} is none of the six letters, so this is the world of characters."
    return CHARACTERS, reason


def entering(world: World, given: Mapping[str, Any], shown_text: str) -> tuple[dict[str, Any], str]:
    """The settings with which a world is entered, and what became of the text, if anything.

    The text stays where it fits.

    Args:
        world: the one to enter.
        given: settings by name, as they are.
        shown_text: the text in the field.
    """
    typed = "text" in given and given["text"] != ""
    text, reason = shown_text, ""
    if world.text and not (typed and world.fits(shown_text)):
        text = world.text
        if typed:
            lacks = f"{world.title.capitalize()} has no row for {quote(shown_text[:20])}"
            reason = f"{lacks}, so the text is {quote(world.text)}."
    place = {"token": 0, "column": 0}
    return {"world": world.name, "input": "text", "text": text, **place}, reason
