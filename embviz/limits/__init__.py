"""Every known way in which `nn.Embedding` and one-hot x `nn.Linear` part ways, proved live.

Reading order:

    entry        one way: its claim, the code that shows it, the code that mends it
    outcome      what both sides gave, and whether that is the same
    ids, weights, arguments, precision, bags, training, myths
                 the entries, as plain PyTorch that a student could have written
    catalogue    all of them in order
    prove        run one entry now
    script       the code to copy, which is the code that ran
    wire         values as JSON, with their very bits
    child        entries that set state of the whole process run in another one
    whole        the whole catalogue at once, as JSON or as a table
    find         from words or a pasted error to the entries that speak of it

This module imports nothing, so that a command that needs one part loads no other.
"""
