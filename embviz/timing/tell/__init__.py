"""Verdicts, sentences, charts and tables of a run. This folder measures nothing.

Reading order; a module imports only those before it:

    questions      of the page, each with its settings
    recorded       the runs that ship
    statistics     verdicts: which times are told apart
    sentences      verdicts in words
    two_runs       what has changed from one run to another
    work           what a GPU works, beside what one waits for
    my_model       times of a model of one's own sizes, estimated from a run
    charts         times by size
    frames         times and verdicts as tables
"""
