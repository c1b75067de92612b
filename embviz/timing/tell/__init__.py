"""Verdicts, sentences, charts and tables of a run. This folder measures nothing.

Reading order; a module imports only those before it:

    questions      of the page, each with its settings
    recorded       the runs that ship
    statistics     verdicts: which times are told apart
    times          a time, a ratio and a place in words
    reasons        why two times differ
    rows           the comparisons of a run, with their verdicts
    wins           where a matmul is faster
    sentences      the answer
    notes          doubts, failures and noise
    two_runs       what has changed from one run to another
    work           what a GPU works, beside what one waits for
    my_model       times of a model of one's own sizes, estimated from a run
    charts         times by size
    frames         times and verdicts as tables
"""
