"""The pages of the dashboard, one record each, in the order of the top bar.

The file `pages/<name>.py` draws a page. A record says what the frame draws around it: the text
field, the model settings, the choice of panels. It does not know the page's content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Setting = Callable[[str], Any]  # a parameter's name -> its value in this session


def always(_setting: Setting) -> bool:
    """Whatever the settings are."""
    return True


def never(_setting: Setting) -> bool:
    """Whatever the settings are, not."""
    return False


def all_settings(_setting: Setting) -> frozenset[str] | None:
    """Every model setting."""
    return None


def no_setting(_setting: Setting) -> frozenset[str]:
    """No model setting."""
    return frozenset()


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        name: its file in `pages/` and its path in the address.
        title: its name in the top bar.
        sentence: what it shows.
        reads_text: whether it reads the text or the ids, given the settings.
        reads_model: names of the model settings that have an effect on it, given the settings;
            None for all. The sidebar shows no other.
        follows: whether a part of the page asks the route `live` for the typed text, given the
            settings.
        panels: whether a choice of panels stands under its picture.
    """

    name: str
    title: str
    sentence: str
    reads_text: Callable[[Setting], bool] = always
    reads_model: Callable[[Setting], frozenset[str] | None] = all_settings
    follows: Callable[[Setting], bool] = never
    panels: bool = False


def _is_about_the_text(setting: Setting) -> bool:
    return setting("chapter") in ("static", "contextual")


_SEED = frozenset({"seed"})


def _training_reads(setting: Setting) -> frozenset[str] | None:
    return _SEED if setting("lesson") == "characters" else None


def _training_reads_text(setting: Setting) -> bool:
    return bool(setting("lesson") != "characters" or setting("corpus") == "own")


def _context_reads(setting: Setting) -> frozenset[str] | None:
    return frozenset() if setting("chapter") == "sentences" else None


_RECORDS = (
    Page(
        "playground",
        "Playground",
        "Type a string: lookup and matmul give the same vectors.",
        follows=always,
        panels=True,
    ),
    Page(
        "bag_of_words",
        "Bag of words",
        "A row of counts times the weight of an `nn.Linear` is a weighted sum of embedding rows.",
        never,
        no_setting,
    ),
    Page(
        "training",
        "Training",
        "Trained by the same rule, both layers learn alike; how far rounding parts them is shown.",
        _training_reads_text,
        _training_reads,
        follows=lambda setting: setting("lesson") == "step",
    ),
    Page(
        "limits",
        "Where it breaks",
        "Cases where lookup and matmul differ, or are said to, proved on this PyTorch where it can "
        "run them.",
        never,
        no_setting,
    ),
    Page(
        "context",
        "Context",
        "A row never depends on its neighbours; attention on top of it does.",
        _is_about_the_text,
        _context_reads,
        _is_about_the_text,
    ),
    Page(
        "timing",
        "Timing",
        "Lookup and matmul, timed on the machine that runs the page.",
        never,
        no_setting,
    ),
    Page(
        "labs",
        "Labs",
        "Predict, try, explain: exercises whose answers are checked by computing them.",
        never,
        no_setting,
    ),
)
PAGES = {page.name: page for page in _RECORDS}
