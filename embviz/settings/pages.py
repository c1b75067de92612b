"""Every page of the dashboard, in the order of the path through it.

Each subject has its page's record, `PAGE`, in its `settings.py`. They are found by name, so that
nothing here knows a subject. The function `draw` in `pages/<name>.py` draws a page.
"""

from importlib import import_module

from embviz.settings.kinds import Setting
from embviz.settings.model_settings import MODEL_SETTINGS
from embviz.settings.page_record import EVERYWHERE, Page
from embviz.text.records import by_name

SUBJECTS = "playground", "training", "context", "bag", "timing", "limits", "labs"
PATH: tuple[Page, ...] = tuple(import_module(f"embviz.{name}.settings").PAGE for name in SUBJECTS)
PAGES = by_name(PATH)


def next_page(page: Page) -> str:
    """The name of the page after this one on the path; empty after the last."""
    place = PATH.index(page) + 1
    return PATH[place].name if place < len(PATH) else ""


SETTINGS: dict[str, Setting] = by_name(
    (
        *MODEL_SETTINGS,
        *EVERYWHERE,
        *(setting for page in PAGES.values() for setting in page.settings),
    )
)
