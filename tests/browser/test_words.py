"""How much a newcomer must read before any press."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import Visit
from tests.load.server import ROOT

# Words before the first screens were made short, counted by tests/benchmarks/words.py.
BEFORE = {"": 243, "bag_of_words": 400, "training": 260, "limits": 878, "timing": 453}
COUNT = (ROOT / "tests" / "browser" / "words.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", BEFORE)
def test_a_page_opens_with_half_the_words(path: str, visit: Callable[..., Visit]) -> None:
    """A page shows at most half of the words that it showed before its first screen was made."""
    whole, first = visit(f"/{path}").page.evaluate(COUNT)
    assert 20 < first <= whole <= BEFORE[path] / 2
