"""embviz shows, measures and teaches one fact.

`nn.Embedding(ids)` equals `one_hot(ids) @ weight`. A lookup gives what a one-hot row times the
weight of a bias-free `nn.Linear` gives, without multiplying.

Reading order. A room imports itself and rooms of the common ground, which stand first:

    text       what people type and upload, and the words of messages
    system     the computer: cores and memory, limits, child processes, the data folder
    fact       the one fact: from settings to table and ids, through both layers, compared
    settings   what is asked: one record a setting, and what an address gives of them
    picture    what all pictures share: numbers for a browser, cells, the layout of a chart
    server     what pages need of the server: addresses, scripts, the queue; start and end
    ui         what all pages share: the session and its address, the frame, widgets

Then the subjects, each with its settings, what it computes, and its `page`:

    playground  one table, two layers over it, one picture
    bag         rows of counts: every route to one weighted sum
    training    gradients and optimizers, both routes in lockstep
    context     static against contextual vectors
    limits      "Where it breaks": each case is proved; cases/ has one record a case
    timing      lookup against matmul, measured in one worker process
    labs        exercises whose answers are computed, one module a lab
    classes     a class together: a vote, kept before anybody is told
    teach       for teachers: plans, guides, sheets

What stands on all of them:

    live        the route of typed text: JSON in, the record of a picture out
    hosting     what a server for strangers adds
    commands    one file a command: `python -m embviz --help`
    version     its number

How a key becomes a picture; each file is called or named by one before it:

    pages/playground.py                 names the page
    playground/page/story.py            draws the stage
    playground/page/stage/component.py  sends it the settings and their answer
    ui/elements/ask.py                     what the route `live` is asked, and where it is
    playground/page/stage/stage.js      draws answers
    ui/elements/ask.js                     hears each key, asks the route, takes its answer
    live/route.py                       lets a request in; computes it, or lets a thread do so
    live/answer.py                      JSON -> answer
    settings/given.py                   JSON -> settings
    settings/model_settings.py          the record of each setting of the table and of what is typed
    fact/inputs.py                      settings -> `Table` and ids, or a refusal
    fact/table_rows.py                  the rows that a text needs
    fact/vocabulary.py                  text -> ids
    fact/shared_layers.py               both layers, kept for all sessions
    fact/layers.py                      both layers of one weight
    fact/routes.py                      ids through both layers
    fact/comparison.py                  compares all bits
    playground/page/stage/drawing.py    the result as one JSON record
    playground/page/stage/answer.js     reads the record
    playground/page/stage/model.js      what is drawn for one token
    picture/cells/fit.js                the columns that have room, and how numbers are written
    picture/cells/ways.js               the cells of both ways, each with its place, text and tint
    picture/cells/paint.js              paints them: it writes what has changed into the page

How a typed key reaches the address, 0.6 s after the last one:

    ui/frame/shell.py       draws what is around every page
    ui/frame/text_field.py  the field
    ui/elements/widgets.py     `text_line`: a field that shows its setting, and calls `commit`
    ui/state/address.py     `commit`, `change`, `write_address`: one entry of the history; `redraw`
    settings/kinds.py       a setting's record reads what was typed, or refuses
    settings/worlds.py      the world in which a text is shown
    settings/given.py       which settings an address names
    ui/state/session.py  what a session keeps beside the address

How a press mends what is refused:

    ui/frame/body.py     asks for table and ids; the stage shows a refusal itself
    fact/inputs.py       refuses, with fixes
    text/refused.py      the sentence, and the settings that each fix changes
    ui/elements/failure.py  the sentence stands in place of what cannot be drawn
    ui/elements/refusal.py  draws it, with a button for each fix
    ui/state/address.py  `go`: changes settings and address as above, and draws again

How a press on *Timing* becomes a sentence about time:

    pages/timing.py           names the page
    timing/page/story.py      draws it
    timing/page/page.py       a question with its answer; *Measure here*
    timing/page/measuring.py  the sweeps of a session
    timing/cases.py           settings -> cases
    timing/tell/questions.py       the settings of each question
    timing/measure/timed.py           one case: a method at a size
    timing/measure/sweep.py           waits in the queue, starts the process that measures
    system/child.py           the pipe to it
    timing/measure/process.py         is that process: it knows no Streamlit
    timing/measure/rounds.py          times the cases in rounds
    timing/measure/tensors.py         the statements that are timed
    timing/measure/run.py             the lines that come back, as a file and a pandas table
    timing/tell/sentences.py       the sentence
    timing/tell/statistics.py      which times are told apart
    timing/tell/charts.py          the chart beside it

In a script, `compare` takes the options of `python -m embviz compare`:

    from embviz import compare
    r = compare("hello", dim=4)
    r.lookup, r.matmul, r.verdict

This module imports nothing until `compare` is asked for, so that `python -m embviz --help` is
quick.
"""

from embviz.version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from embviz.playground.compare import compare as compare


def __getattr__(name: str) -> object:
    """`compare`, imported on first use."""
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from embviz.playground.compare import compare

    return compare
