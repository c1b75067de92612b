"""embviz shows, measures and teaches one fact.

`nn.Embedding(ids)` equals `one_hot(ids) @ weight`. A lookup gives what a one-hot row times the
weight of a bias-free `nn.Linear` gives, without multiplying.

Reading order. A package imports itself and packages that stand before it:

    text       what people type and upload, and the words of messages
    system     the computer: cores and memory, limits, child processes, the data folder
    fact       the one fact: vocabulary, ids, weights, layers, both routes, comparison, cost
    bag        rows of counts: every route to one weighted sum
    training   gradients and optimizers, both routes in lockstep
    context    static against contextual vectors
    limits     "Where it breaks": each case is proved; cases/ has one record a case
    timing     lookup against matmul, measured in one worker process
    labs       exercises whose answers are computed, one module a lab
    classes    a class together: a vote, kept before anybody is told
    request    settings, pages, and what components draw, as JSON; without Streamlit
    figures    charts: results in, plotly figures out
    server     limits and scheduling that let Streamlit serve a class
    ui         the pages' parts; only ui, server, `pages/` and `app.py` import streamlit
    commands   one file a command: `python -m embviz --help`

How a key becomes a picture; each file is called or named by one before it:

    pages/playground.py        draws the stage
    ui/stage/__init__.py       sends it the settings and their answer; a rerun sends the same answer
    ui/parts/ask.py            what the route `live` is asked, and where it is
    ui/stage/stage.js          draws answers
    ui/parts/ask.js            hears each key in the field, asks the route, takes its answer
    server/live.py             lets a request in; computes a small one at once, others in a thread
    request/live.py            JSON -> answer
    request/given.py           JSON -> settings
    request/model_settings.py  the record of each setting of the table and of what is typed
    request/inputs.py          settings -> `Table` and ids, or a refusal
    request/table_rows.py      the rows that a text needs
    fact/vocabulary.py         text -> ids
    request/shared_layers.py   both layers, kept for all sessions
    fact/layers.py             both layers of one weight
    fact/routes.py             ids through both layers
    fact/comparison.py         compares all bits
    request/drawings/stage.py  the result as one JSON record
    ui/stage/answer.js         reads the record
    ui/stage/model.js          what is drawn for one token
    ui/parts/cells/fit.js      the columns that have room, and how numbers are written
    ui/parts/cells/ways.js     the cells of both ways, each with its place, text and tint
    ui/parts/cells/board.js    paints them: it writes what has changed into the page

How a typed key reaches the address, 0.6 s after the last one:

    ui/frame/shell.py        draws what is around every page
    ui/frame/text_field.py   the field
    ui/parts/widgets.py      `text_line`: a field that shows its setting, and calls `commit`
    ui/state/session.py      `commit`, `change`, `write_address`: one entry of the history; `redraw`
    request/settings.py      a setting's record reads what was typed, or refuses
    request/worlds.py        the world in which a text is shown
    request/given.py         which settings an address names
    ui/state/remembered.py   what a session keeps beside the address

How a press mends what is refused:

    ui/frame/body.py         asks for table and ids; on the playground `ui/stage` shows a refusal
    request/inputs.py        refuses, with fixes
    text/refused.py          the sentence, and the settings that each fix changes
    ui/parts/failure.py      the sentence stands in place of what cannot be drawn
    ui/parts/refusal.py      draws it, with a button for each fix
    ui/state/session.py      `go`: changes settings and address as above, and draws again

How a press on *Timing* becomes a sentence about time:

    pages/timing.py                 draws the page
    ui/pages/timing/page.py         a question with its answer; *Measure here*
    ui/pages/timing/measuring.py    the sweeps of a session
    request/timing.py               settings -> cases
    timing/questions.py             the settings of each question
    timing/timed.py                 one case: a method at a size
    timing/sweep.py                 waits in the queue, starts the process that measures
    system/child.py                 the pipe to it
    timing/measure.py               is that process: it knows no Streamlit
    timing/rounds.py                times the cases in rounds
    timing/tensors.py               the statements that are timed
    timing/run.py                   the lines that come back, as a file and a pandas table
    timing/sentences.py             the sentence
    timing/statistics.py            which times are told apart
    figures/timing/charts.py        the chart beside it

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
