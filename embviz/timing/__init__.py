"""Timing of lookup against matmul.

Reading order; a module imports only those before it:

    what is timed: methods, case, tensors.
    how: rounds, ceilings, measure (the process that measures; PyTorch and numpy alone).
    a run: run (one table of times, one file of lines), statistics, sentences, compare.
    sweeps: sweep (here), cluster (on the machines of a Dask cluster).
"""
