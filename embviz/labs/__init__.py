"""Guided exercises: predict, see, explain. Every answer is checked by computing it.

Reading order:

    student      a name, and the seeds that follow from it
    answers      kinds of answer: how each is written, read and compared
    picture      what a step shows beside its question, as data
    record       Step and Lab: a lab is data, and its answers are computed from values
    exercises/   the four labs, one module each
    formatting   numbers and tables inside prompts
    markup       a sentence, and a picture, as HTML
    check        checks one typed answer
    progress     what the page keeps, as text for an address

No answer is stored anywhere. The package knows nothing of the page.
"""
