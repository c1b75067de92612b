import re

from embviz.figures.timing.layout import TITLE_WIDTH, title_lines
from tests.figures.timing.made_runs import (
    DRAW,
    run_of,
    sweep,
)


def test_titles_fit_a_phone() -> None:
    """A title's lines fit into 390 px."""
    long = run_of(
        [
            *sweep(["lookup_sparse", "scatter_matmul"], [2**20, 2**21, 2**22], pass_="backward"),
            *sweep(["lookup_sparse", "scatter_matmul"], [2**20], pass_="adam", device="cuda"),
        ],
        cpu="A processor with a rather long name, 64 cores",
    )
    for runs in ([long], [long, run_of(long.results, "s", cpu="B")]):
        for draw in DRAW:
            lines = re.sub("<span[^>]*>|</span>", "", draw(runs).layout.title.text)
            assert max(map(len, lines.split("<br>"))) <= TITLE_WIDTH + 8  # small print below


def test_titles_break_where_they_may() -> None:
    """No line of a title breaks a word or separates a number from its unit."""
    assert title_lines("x" * 43 + " one-hot") == ["x" * 43, "one-hot"]
    assert title_lines("x" * 44 + " 12 µs") == ["x" * 44, "12\xa0µs"]
    assert title_lines("At 65,536 rows lookup takes 2 µs, matmul 55 ms: 27,000x") == [
        "At 65,536\xa0rows lookup takes 2\xa0µs,",
        "matmul 55\xa0ms: 27,000x",
    ]
