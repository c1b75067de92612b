"""Guided exercises: predict, see, explain. Every answer is judged by computing it.

Reading order:

    drawing      the picture of a question, as data and as HTML
    reading      the ways in which a typed text may be read as numbers
    question     a question as data; how an answer is read and judged
    asking       how the module of a lab writes its questions
    letters      a table and a text, for two labs
    row, bag, learns, cost    the labs
    product      the last steps of the first lab
    catalogue    the list of labs, and the questions that follow from a seed
    work         a student's answers, as text for an address

A new lab is a module with a `LAB`, and its name in the catalogue. The package knows no page.
"""
