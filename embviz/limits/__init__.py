"""Where it breaks: each known way in which `nn.Embedding` and one-hot x `nn.Linear` differ.

Reading order:

    case       one way: its claim, the program that shows it, the program that mends it
    cases/     the records
    prove      runs the two programs of a case, and says whether it came out as written
    results    the results of a case as JSON, and those that a GPU gave
    own_process  does so in another process, for a case that sets state of the whole process
    search     from words or a pasted error to the cases about it

This module imports nothing, so a command that needs one part loads no other.
"""
