"""Where it breaks: each known way in which `nn.Embedding` and one-hot x `nn.Linear` differ.

Reading order:

    case       one way: its claim, the code that shows it, the code that fixes it
    outcome    the values of both sides, and whether they are the same
    cases/     the records, in plain PyTorch that a student could have written
    prove      runs one case now
    script     the code to copy, which is the code that ran
    isolated   cases that set state of the whole process run in a child process
    search     from words or a pasted error to the cases about it

This module imports nothing, so a command that needs one part loads no other.
"""
