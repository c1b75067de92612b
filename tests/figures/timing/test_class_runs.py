"""The chart of a class's timing runs."""

from embviz.classes.timings import groups
from embviz.figures.timing.charts import plain_title
from embviz.figures.timing.class_runs import class_figure
from tests.classes.test_timings import series_of
from tests.figures.timing.made_runs import COLOURS, EVIL, ROWS


def test_each_run_is_a_line_of_its_own_with_its_pseudonym() -> None:
    """A method's lines share a trace and are not joined; hovers name the pseudonym, escaped."""
    (group,) = groups([("brave heron", series_of()), (EVIL, series_of(threads=3))])
    figure = class_figure(group, COLOURS)
    assert [trace.line.color for trace in figure.data] == list(COLOURS[:2])
    for trace in figure.data:
        assert list(trace.x) == [*ROWS, None, *ROWS, None]
        assert [y is None for y in trace.y] == [x is None for x in trace.x]
        assert "<b>brave heron</b>" in trace.hovertext[0]
        assert "<b>&lt;script&gt;" in trace.hovertext[5]
        assert "CPU, 3 threads" in trace.hovertext[5]
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.xaxis.title.text == "num_embeddings (rows of the table)"
    assert plain_title(figure) == (
        "At 4,096 rows matmul is slower than lookup in 2 of 2 runs (41x) "
        "64 to 4,096 rows, dim 64, 64 tokens, float32"
    )
