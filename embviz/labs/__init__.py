"""Guided exercises: predict, see, explain. Every answer is checked by computing it.

Reading order:

    student      a name, and the seeds that follow from it
    answers      kinds of answer: how each is written, read and compared
    picture      what a step shows beside its question, as data
    record       Step and Lab: a lab is data, and its answers are computed from values
    exercises/   the four labs, one module each
    formatting   numbers and tables inside prompts
    markup       the markup of a prompt, and a picture, as HTML
    check        checks one typed answer
    progress     what the page keeps, as text for an address
    answer_file  what a student hands in
    grade        checks the files of a class
    worksheet    a lab on paper

No answer is stored anywhere. The package knows nothing of the page.
"""
