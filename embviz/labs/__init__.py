"""Guided exercises: predict, see, explain. Every answer is judged by computing it.

Reading order:

    drawing      the picture of a question, as data and as HTML
    question     a question as data; how an answer is judged, counted and shown
    reading      the ways in which a typed text may be read as numbers
    answer       the answer that a typed text means, or why it is refused
    asking       the records of a step and of a lab, and how its module writes questions
    letters      a table and a text, for two labs
    counts       a sentence and its counts, for the lab of bags
    sizes        the sizes of a table, for the lab of costs
    row, bag, learns, cost    the labs
    product, pretrained, moves    the later steps of the first three
    code         the steps that end in PyTorch
    easier, harder    a question beside the steps of each lab
    guess        the step that asks for a recorded time
    catalogue    the list of labs, and the questions that follow from a seed
    work         a student's answers, as text for an address
    homework     the line that hands in a lab done alone
    notebook     lines of PyTorch to run, as a file to take along
    settings     of the page
    page/        the cards, and a student alone

A new lab is a module with a `LAB`, and its name in the catalogue. Only `page/` knows Streamlit.
"""
