"""Guided exercises for a taught hour: predict, see, explain; every answer is checked by computing.

Reading order:

    student      a name, and the seeds that follow from it
    answers      kinds of answer: how each is written, read and compared
    record       Step and Lab: a lab is data, and its answers are computed from values
    words        numbers and tables inside prompts
    row, bag, learns, cost   the four labs
    catalogue    which labs there are
    check        judging one typed answer, and the next hint
    progress     what a page keeps, as text for an address
    evidence     what a student hands in
    grade        what a teacher makes of it
    marks        the few marks of a prompt as HTML
    worksheet    a lab on paper

No answer is stored anywhere; it knows nothing of the page.
"""
