"""How a time is measured: cases, the process that measures them, and the run that it leaves.

It says nothing of what a time means: that is `tell`, which this package does not import.

Reading order; a module imports only those before it:

    axes        what may vary
    methods     the ways to one output
    timed       a case: a method at a size
    tensors     the statements that are timed, and what they need
    budget      bytes that a case may take
    gpu         the clock of what a GPU works
    ceilings    the fastest that this machine can be
    rounds      times the cases in rounds
    process     the process that measures: it imports PyTorch and numpy alone
    file_lines  what a line of a run's file may hold
    medians     the time of a case
    run         one table of times
    sweep       cases in the queue of this machine, and their process
    task        a sweep on another machine
    cluster     sweeps on the machines of a Dask cluster
"""
