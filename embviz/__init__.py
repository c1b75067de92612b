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
    training    gradients and optimizers, both routes in lockstep
    context     static against contextual vectors
    bag         rows of counts: every route to one weighted sum
    timing      lookup against matmul, measured in one worker process
    limits      "Where it breaks": each case is proved; cases/ has one record a case
    labs        exercises whose answers are computed, one module a lab
    classes     a class together: a vote, kept before anybody is told
    teach       for teachers: plans, guides, sheets, homework

Rooms that stand on all of them:

    live        the route of typed text: JSON in, the record of a picture out
    hosting     what a server for strangers adds
    commands    one file a command: `python -m embviz --help`
    version     its number

How a key becomes a picture. The script hears it and asks the route `live`. First of all stand the
server's filters, before every request:

    hosting/headers.py      adds headers to the answer
    hosting/gate.py         whether the host is allowed, and the server has room
    hosting/connections.py  what reading its bytes may cost
    server/addresses.py     passes on addresses that the server knows
    server/incoming.py      whether the request comes from a page of this server, and its length
    hosting/capacity.py     how many may be connected

Then all that makes the answer, in the order in which a key enters it:

    hosting/uploads.py                passes on all but uploads
    server/threads.py                 how many requests may wait
    system/bounds.py                  the limits of this server
    live/route.py                     reads the request; computes it, or lets a thread do so
    live/answer.py                    JSON -> answer
    settings/given.py                 which settings are given, and the usual values of the others
    settings/kinds.py                 reads the value of a setting
    settings/model_settings.py        the record of each setting of the table and of what is typed
    settings/worlds.py                the world of these settings
    fact/inputs.py                    settings -> `Table` and ids, or a refusal
    fact/table_rows.py                the rows that a text needs
    text/breaks.py                    marks in the field -> line breaks
    fact/tokenizers.py                the chosen vocabulary
    fact/vocabulary.py                text -> ids, and the label of each row
    fact/inits.py                     draws the weights
    fact/table.py                     the record of the table, and whether it fits into memory
    fact/dtypes.py                    the name of the type, and PyTorch's own object
    text/wording.py                   names of characters, and sizes in messages
    fact/shared_layers.py             both layers, kept for all sessions
    fact/routes.py                    ids through both layers
    fact/layers.py                    both layers of one weight: `lookup` and `multiply`
    fact/comparison.py                compares all bits
    playground/page/stage/drawing.py  the result as one JSON record
    picture/numbers.py                packs numbers for a browser

The scripts, which the browser gets as one:

    ui/elements/mount.js                calls the stage on each change of size
    ui/elements/ask.js                  hears the key, asks the route, takes its answer
    ui/elements/refusal.js              removes the refusal of an earlier text
    playground/page/stage/stage.js      takes the answer, and draws all of it
    picture/cells/colours.js            values -> colours of the theme
    playground/page/stage/answer.js     unpacks the record
    playground/page/stage/hands.js      pointer, wheel and keys; none of them here
    picture/cells/numbers.js            unpacks numbers, and writes them
    picture/cells/play.js               ends Play
    picture/cells/fit.js                the columns that have room; how numbers and labels look
    playground/page/stage/tokens.js     the strip of tokens
    picture/cells/direction.js          whether a text runs from right to left
    playground/page/stage/model.js      what is drawn for one token
    picture/cells/sums.js               the sum of a column
    playground/page/stage/steps.js      the selected token, and the steps of Play
    picture/cells/ways.js               the cells of both ways, each with its place, text and colour
    picture/cells/paint.js              writes into the page what has changed
    picture/cells/heads.js              the names of both layers, and what comes into each
    playground/page/stage/turned.js     nn.Linear's own weight, where it is shown
    playground/page/stage/sentences.js  the sentence under the picture
    picture/cells/pointing.js           what the pointer is on; here only the words that name it
    picture/cells/legend.js             the scale of colours, and which columns are drawn

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
