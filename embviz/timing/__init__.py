"""Timing of lookup against matmul.

Reading order; a module imports only those before it:

    what is timed: axes, methods, timed (a case), tensors, questions (of the page).
    how: budget (of memory), gpu (its clock), rounds, ceilings, measure (the process that
    measures; PyTorch and numpy alone).
    a run: file_lines (what a file may hold), medians (the time of a case), run (one table of
    times), statistics (verdicts), sentences, two_runs, recorded (those that ship), work (of a
    GPU), my_model.
    sweeps: sweep (here), task and cluster (on the machines of a Dask cluster).
    the page: settings, cases (that they ask for), charts, number_tables, page.
"""
