"""Names of pages as people write them in an address."""

from __future__ import annotations

import re

# The parameter that has an address which no page has.
NO_PAGE = "no_page"


def plain(name: str) -> str:
    """A page's name or title as its file is written.

    >>> plain("Bag of words"), plain("Where-it-breaks")
    ('bag_of_words', 'where_it_breaks')
    """
    return re.sub(r"[\W_]+", "_", name).strip("_").lower()
