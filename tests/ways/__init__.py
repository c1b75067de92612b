"""Four ways through the code, each file of `embviz` in the order in which it is first entered.

The way of a key is in the docstring of `embviz`. A file is entered where one of its functions is
called; what the program did before, such as to import and to fill caches, is on no way.
`python -m tests.ways` measures all five (`measure.py`) and prints these lists, each file with its
words (`lists.py`). `tests/test_reading_lists.py` compares lists and measurements.

How a press in the picture goes into the address, half a second later, and is drawn again. The
picture shows it at once, by the scripts of a key; then the component reports it:

    ui/elements/ask.py                  `pick` takes what was chosen; what the picture asks `live`
    ui/state/session.py                 what the session keeps
    settings/page_record.py             the settings that a page reads
    settings/kinds.py                   reads the value of a setting
    ui/state/changes.py                 changes settings, and the address with them
    settings/given.py                   the question, and the settings that an address has to name
    settings/worlds.py                  the world of these settings
    ui/state/address.py                 which settings the address has; writes it
    playground/settings.py              how long a text of a panel may be
    text/digits.py                      a number's digits, as the address has them
    ui/state/redraw.py                  how much is drawn again
    fact/table_rows.py                  the rows that a text needs
    system/bounds.py                    the limits of this server
    fact/tokenizers.py                  the chosen vocabulary
    fact/vocabulary.py                  text -> ids, and the label of each row
    text/breaks.py                      marks in the field -> line breaks
    ui/frame/shell.py                   draws what is around every page
    server/scheduler.py                 waits for a slot of the run queue
    ui/elements/links.py                headline, links to pages, and links to try
    ui/frame/ask_field.py               the question on every page
    ui/frame/no_page.py                 a sentence where the address was unknown
    text/page_names.py                  compares the address with the names of pages
    ui/frame/text_field.py              the text field
    ui/elements/widgets.py              widgets that show settings
    ui/elements/failure.py              a sentence in place of what cannot be drawn
    playground/page/story.py            draws the page
    text/glossary.py                    the tooltips of words
    ui/frame/tour_bar.py                the press that begins the tour
    playground/page/worlds.py           the control of the three worlds
    fact/inits.py                       whether learnt rows fit; draws the weights
    ui/frame/body.py                    the body of the page, a fragment of its own
    ui/state/bound.py                   forgets values of widgets that are too large
    fact/inputs.py                      settings -> `Table` and ids, or a refusal
    fact/table.py                       the record of the table, and whether it fits into memory
    fact/dtypes.py                      the name of the type, and PyTorch's own object
    text/wording.py                     names of characters, and sizes in messages
    ui/elements/unknown.py              what of the text has no id
    playground/page/stage/component.py  sends the stage the settings and their answer
    fact/shared_layers.py               both layers, kept for all sessions
    fact/routes.py                      ids through both layers
    fact/layers.py                      both layers of one weight: `lookup` and `multiply`
    fact/comparison.py                  compares all bits
    playground/page/stage/drawing.py    the result as one JSON record
    picture/numbers.py                  packs numbers for a browser
    settings/pages.py                   the name of the next page

How a number in the sidebar becomes another table. The scripts are the scripts of a key:

    ui/state/changes.py                 `commit` changes the setting, and the address with it
    ui/state/address.py                 which settings the address has; writes it
    settings/kinds.py                   reads the value of a setting
    ui/state/session.py                 what the session keeps
    settings/given.py                   the question, and the settings that an address has to name
    settings/worlds.py                  the world of these settings
    settings/page_record.py             the settings that a page reads
    text/digits.py                      a number's digits, as the address has them
    ui/state/redraw.py                  how much is drawn again
    fact/table_rows.py                  the rows that a text needs
    system/bounds.py                    the limits of this server
    fact/tokenizers.py                  the chosen vocabulary
    fact/vocabulary.py                  text -> ids, and the label of each row
    text/breaks.py                      marks in the field -> line breaks
    ui/frame/shell.py                   draws what is around every page
    server/scheduler.py                 waits for a slot of the run queue
    ui/elements/links.py                headline, links to pages, and links to try
    ui/frame/ask_field.py               the question on every page
    ui/frame/no_page.py                 a sentence where the address was unknown
    text/page_names.py                  compares the address with the names of pages
    ui/frame/text_field.py              the text field
    ui/elements/widgets.py              widgets that show settings
    ui/elements/failure.py              a sentence in place of what cannot be drawn
    playground/page/story.py            draws the page
    text/glossary.py                    the tooltips of words
    ui/frame/tour_bar.py                the press that begins the tour
    playground/page/worlds.py           the control of the three worlds
    fact/inits.py                       whether learnt rows fit; draws the weights
    ui/frame/body.py                    the body of the page, a fragment of its own
    ui/state/bound.py                   forgets values of widgets that are too large
    fact/inputs.py                      settings -> `Table` and ids, or a refusal
    fact/table.py                       the record of the table, and whether it fits into memory
    fact/dtypes.py                      the name of the type, and PyTorch's own object
    text/wording.py                     names of characters, and sizes in messages
    ui/elements/unknown.py              what of the text has no id
    playground/page/stage/component.py  sends the stage the settings and their answer
    fact/shared_layers.py               both layers, kept for all sessions
    fact/routes.py                      ids through both layers
    fact/layers.py                      both layers of one weight: `lookup` and `multiply`
    system/shared_cache.py              the size of a new entry in the cache
    fact/comparison.py                  compares all bits
    playground/page/stage/drawing.py    the result as one JSON record
    picture/numbers.py                  packs numbers for a browser
    ui/elements/ask.py                  what the picture asks `live`
    settings/pages.py                   the name of the next page

How a press on *Timing* becomes a sentence about time: the press, the thread of the sweep, the
measuring process, and the page at the end:

    timing/page/measuring.py      *Measure here*, and the sweeps of this session
    timing/measure/sweep.py       waits in the queue, then has a process measure
    ui/state/changes.py           whether a text is too long
    ui/state/session.py           what the session keeps
    ui/state/address.py           the settings of this page
    settings/given.py             the usual values of settings that nobody chose
    settings/worlds.py            the usual values of the world
    timing/cases.py               settings -> cases
    text/refused.py               gives a refusal the name of its setting
    timing/measure/axes.py        the sizes that vary
    text/digits.py                the typed sizes
    timing/measure/timed.py       one case: a method at a size
    system/bounds.py              the limits of this server
    timing/measure/methods.py     the record of each method
    system/devices.py             whether the devices are here
    timing/page/kept.py           the file that keeps this run
    system/data_folder.py         the folder in which files are kept
    timing/measure/run.py         the lines of a run, as a file and as a pandas table
    timing/measure/file_lines.py  checks a line of the run file
    text/wording.py               numbers and sizes in words
    system/machine.py             cores and threads, and the facts that a run file names
    ui/frame/shell.py             draws what is around every page
    server/sessions.py            notes that this session is alive
    server/scheduler.py           waits for a slot of the run queue
    ui/state/bound.py             forgets values of widgets that are too large
    ui/elements/links.py          headline, links to pages, and links to try
    settings/page_record.py       the settings that a page reads
    settings/kinds.py             reads the value of a setting
    timing/settings.py            the choices that the page has
    ui/frame/no_page.py           a sentence where the address was unknown
    ui/frame/text_field.py        marks for line breaks; this page has no such field
    ui/state/redraw.py            notes that the whole page is drawn
    ui/frame/sidebar.py           the sidebar
    ui/frame/ask_field.py         the question on every page
    text/page_names.py            compares the address with the names of pages
    ui/elements/failure.py        a sentence in place of what cannot be drawn
    timing/page/story.py          draws the page
    text/glossary.py              the tooltips of words
    ui/frame/body.py              the body of the page, a fragment of its own
    timing/page/page.py           the question, its answer and its chart
    ui/elements/widgets.py        the folds, and the field for files
    ui/elements/theme.py          the colours of the theme
    timing/measure/medians.py     the time of a case
    timing/measure/ceilings.py    the best that this machine does
    timing/tell/charts.py         the chart beside it
    timing/tell/times.py          times and places in words
    picture/shades.py             lighter variants of a colour
    picture/layout.py             the layout of a chart
    picture/axes.py               the ticks of both axes
    text/markdown.py              text without the meaning of Markdown
    timing/tell/notes.py          what may be wrong with the times
    ui/elements/chart.py          draws the chart
    timing/page/numbers.py        the fold *All numbers*
    server/incoming.py            whether the browser runs on the server's machine
    settings/pages.py             the name of the next page
    system/child.py               starts the process, and carries lines to it and back
    timing/measure/process.py     answers requests in a process of its own, without Streamlit
    fact/dtypes.py                PyTorch's own type
    timing/measure/rounds.py      times the cases in rounds
    timing/measure/budget.py      the memory that each case needs
    timing/measure/tensors.py     the statements that are timed, and their tensors
    fact/layers.py                an `nn.Embedding` of the table
    timing/tell/work.py           the answer, and on a GPU the wait beside it
    timing/tell/sentences.py      the sentence
    timing/tell/rows.py           the comparisons of a run
    timing/tell/statistics.py     which times are told apart
    timing/tell/questions.py      the settings of each question
    timing/tell/wins.py           where a matmul is faster

How a vote in a class is kept and counted: the student's page, then the next look of the board:

    labs/page/lesson.py             takes the answer; later draws the step
    labs/page/field.py              the field, and the callback of *Answer*
    labs/answer.py                  the answer that the text means
    labs/question.py                the numbers that are known; judges the answer
    labs/reading.py                 the ways to read a text as numbers
    text/printed.py                 leaves out what is printed around numbers
    text/digits.py                  digits of all keyboards -> ASCII
    ui/state/session.py             what the session keeps
    classes/page/member.py          judges the answer, and gives it to the store
    labs/drawing.py                 the picture of the question
    classes/here.py                 the store of this server
    system/bounds.py                whether classes are on; the limits of this server
    system/data_folder.py           the folder of the file
    classes/room.py                 the step that is shown, and whether its vote is open
    classes/store.py                keeps the answer, if the vote allows it
    classes/file.py                 the SQLite file, and one transaction for each call
    text/wording.py                 quotes the name of the file
    text/refused.py                 gives a refusal the name of its setting
    classes/snapshot.py             class, members and answers, as one transaction reads them
    classes/members.py              the row of this browser in the class
    classes/visits.py               the students whose page is open
    ui/frame/shell.py               draws what is around every page
    server/sessions.py              notes that this session is alive
    server/scheduler.py             waits for a slot of the run queue
    ui/state/bound.py               forgets values of widgets that are too large
    ui/elements/links.py            headline, links to pages, and links to try
    ui/state/address.py             takes the settings from the address
    settings/page_record.py         the settings that a page reads
    settings/kinds.py               reads the value of a setting
    labs/settings.py                the labs that there are, and how long an answer may be
    ui/frame/no_page.py             a sentence where the address was unknown
    ui/frame/text_field.py          marks for line breaks; a lab has no such field
    settings/given.py               the usual values of settings that nobody chose
    settings/worlds.py              the usual values of the world
    ui/state/redraw.py              notes that the whole page is drawn
    ui/frame/sidebar.py             the settings, and the projector's switch
    ui/frame/ask_field.py           the question on every page
    text/page_names.py              compares the address with the names of pages
    ui/elements/failure.py          a sentence in place of what cannot be drawn
    ui/frame/body.py                the body of the page, a fragment of its own
    teach/page/story.py             which page of a lab or a class is shown
    labs/page/looks.py              the style sheet of the pictures
    classes/names.py                reads the code in the address
    classes/fitting.py              keeps answers that still answer their question
    labs/catalogue.py               the questions of a lab
    ui/state/changes.py             the step of this run, and whether the text is too long
    labs/page/step_page.py          draws the question, and what follows an answer
    labs/page/beside.py             whether a question beside the steps is shown
    labs/page/cards.py              the way back to the labs
    settings/pages.py               the next page of the path
    ui/elements/widgets.py          widgets that show settings
    classes/page/board_page.py      the board: it looks at the store each second
    classes/board.py                counts answers for the board
    classes/visit.py                whether a student's page shows this step
    classes/page/board_controls.py  the row of the steps, and the presses of the step
    classes/page/class_link.py      the cookies of this browser, and the link that students open
    system/machine.py               whether the page's address is this machine
    server/addresses.py             passes on addresses that the server knows
    classes/pace.py                 how fast new rows are made
    system/spent.py                 how many were made of late
    classes/page/board_menu.py      the menus of the board
    classes/page/board_view.py      whether the teacher's view is on
    classes/page/presses.py         the buttons of the teacher
    classes/page/board_fit.js       draws the question as large as the window allows
    classes/page/board_view.js      keeps in the tab that the private view is on
    classes/page/class_poll.js      asks every 3 s for the version of the class
"""
