import re
from html.parser import HTMLParser

import pytest

from embviz.request import one_file
from embviz.request.compare import compare
from embviz.request.one_file import MOST_BYTES, TooLargeError
from embviz.request.stage_files import STAGE, looks, scripts

HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>'\"&${1}`"


class Tags(HTMLParser):
    """The elements of a page, by name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Keep the name."""
        self.found.append(tag)


def test_a_typed_text_is_never_markup() -> None:
    """A hostile text, and hostile characters of a vocabulary, add no element."""
    hostile = compare(HOSTILE, dim=2).to_html()
    own = compare("<", vocab="custom", chars="".join(dict.fromkeys(HOSTILE)), dim=2).to_html()
    assert Tags(hostile).found == Tags(own).found == Tags(compare("hello", dim=2).to_html()).found
    assert "<img" not in hostile
    assert hostile.count("</script>") == 2


def test_the_file_asks_for_nothing() -> None:
    """Its policy allows no request, and nothing in it names another file."""
    page = compare("hello").to_html()
    assert "default-src 'none'" in page
    assert re.findall(r"""(?:src|href)=["']|@import|url\(|\bimport\s*[{("']""", page) == []


def test_every_colour_has_a_value() -> None:
    """Each variable of the theme that the stage reads has a value, in light and in dark."""
    page = compare("hello").to_html()
    sources = "".join([*scripts(), *looks(STAGE / "stage").values()])
    read = set(re.findall(r"var\(--(st-[\w-]+)\)", sources))
    colours = re.search(r"function readTheme.*?\n}", sources, re.DOTALL)
    assert colours
    read |= {f"st-{name}" for name in re.findall(r'get\("([\w-]+)"\)', colours[0])}
    light, dark = (set(re.findall(r"--(st-[\w-]+):", part)) for part in page.split("@media")[:2])
    assert len(read) > 10
    assert read <= light
    assert read - {"st-font", "st-code-font"} <= dark


def test_the_page_says_its_configuration() -> None:
    """The page shows text, sizes and seed."""
    page = compare("hello", dim=4, seed=7, rows=200).to_html()
    for shown in ("&#x27;hello&#x27;", "200", "4", "7", "float32"):
        assert f"<code>{shown}</code>" in page


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"text": "hello"}, ""),
        ({"text": "hello", "rows": 5000}, "first 10 columns of 256 rows"),
        ({"text": "hello", "dim": 1000}, "first 64 columns of 100 rows"),
        ({"text": "aé b" * 300, "vocab": "bytes", "dim": 1024, "dtype": "float64"}, "of 256 rows"),
    ],
)
def test_a_large_table_is_cut_and_the_page_says_so(given: dict[str, object], note: str) -> None:
    """A file is at most 300 KB; of a large table it holds a part, and says which."""
    page = compare(**given).to_html()
    assert len(page.encode()) <= MOST_BYTES
    assert note in page
    assert ("Of the table" in page) == bool(note)


def test_too_much_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """More tokens, or a larger file, than allowed are refused."""
    with pytest.raises(TooLargeError, match=r"2,001 tokens are more than the 2,000"):
        compare("a" * 2001, dim=1).to_html()
    monkeypatch.setattr(one_file, "MOST_BYTES", 50_000)
    with pytest.raises(TooLargeError, match=r"of these 5 tokens would be over 50 KB"):
        compare("hello").to_html()
