"""Timing of lookup against matmul.

Reading order; a module imports only those before it:

    what is timed: axes, methods, timed (a case), tensors.
    how: budget (of memory), gpu (its clock), rounds, ceilings, measure (the process that
    measures; PyTorch and numpy alone).
    a run: questions (of the page), file_lines (what a file may hold), medians (the time of a
    case), run (one table of times), recorded (those that ship), statistics (verdicts), sentences,
    work (of a GPU, in sentences), my_model, two_runs.
    sweeps: sweep (here), task and cluster (on the machines of a Dask cluster).
"""
