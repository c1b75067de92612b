import re

from embviz.figures.timing.layout import TITLE_WIDTH
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
