"""Links to *Where it breaks* open the case that they promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from embviz.bag.page.story import TRIES as BAG
from embviz.context.page.story import TRIES as CONTEXT
from embviz.limits.elsewhere import ELSEWHERE
from embviz.limits.page.story import TRIES as LIMITS
from embviz.limits.search import find
from embviz.playground.page.story import TRIES as PLAYGROUND
from embviz.teach.page.plans import CLAIMS
from embviz.teach.plan import PLANS
from embviz.training.page.story import LESSONS


def links() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """All that is listed somewhere: the words of each link, its page and its settings."""
    lessons = [lesson.tries for lesson in LESSONS.values()]
    for tries in (BAG, LIMITS, PLAYGROUND, *CONTEXT.values(), *lessons):
        yield from tries
    for claim, _, page, settings in CLAIMS:
        yield claim, page, settings
    for plan in PLANS.values():
        for section in plan:
            yield section.what, section.page, section.settings
    for other in ELSEWHERE:
        yield other.title, other.page, other.settings


def test_a_link_to_the_cases_opens_one() -> None:
    """A word finds several cases, or none: so a link names its case, or an error that has one."""
    found = [(words, settings) for words, page, settings in links() if page == "limits"]
    assert len(found) >= 4
    closed = [
        words
        for words, settings in found
        if "case" not in settings and find(settings.get("find", "")).opened is None
    ]
    assert closed == []
