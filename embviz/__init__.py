"""embviz shows, measures and teaches one fact.

`nn.Embedding(ids)` equals `one_hot(ids) @ weight`. A lookup gives what a one-hot row times the
weight of a bias-free `nn.Linear` gives, without multiplying.

Reading order. A package imports itself and packages that stand before it. Only bag, training,
context, limits and timing may import each other:

    core       the fact: vocabulary, ids, weights, layers, both routes, comparison, cost, storage
    bag        rows of counts: every route to one weighted sum
    training   gradients and optimizers, both routes in lockstep
    context    static against contextual vectors
    limits     "Where it breaks": each case is proved; cases/ has one record a case
    timing     lookup against matmul, measured in one worker process
    labs       exercises whose answers are computed, one module a lab
    classes    a class together: a vote, kept before anybody is told
    request    settings, pages and the stage's bytes, without Streamlit
    figures    charts: results in, plotly figures out
    server     limits and scheduling that let Streamlit serve a class
    ui         the pages' parts; only ui and server import streamlit
    commands   one file a command: `python -m embviz --help`

Inside core: refused, wording, fact, bounds, data_folder, child, dtypes, inits, vocabulary,
tokenizers, config, typed, archive, weights, layers, comparison, cost, routes, export, machine.

In a script, `compare` takes the options of `python -m embviz compare`:

    from embviz import compare
    r = compare("hello", dim=4)
    r.lookup, r.matmul, r.verdict

This module imports nothing until `compare` is asked for, so that `python -m embviz --help` is
quick.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from embviz.request.compare import compare as compare


def __getattr__(name: str) -> object:
    """`compare`, imported on first use."""
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from embviz.request.compare import compare

    return compare
