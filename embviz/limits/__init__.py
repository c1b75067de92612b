"""Where it breaks: each known way in which `nn.Embedding` and one-hot x `nn.Linear` differ.

Reading order:

    case       one way: its claim, the program that shows it, the fix as one types it
    cases/     the records
    prove      runs the program and the fix of a case, and says whether they came out as written
    results    the results of a case as JSON, and those that a GPU gave
    own_process  runs them in another process, for a case that sets state of the whole process
    messages   from a pasted error or traceback to the cases that list its message
    elsewhere  questions that other pages answer, with the answer
    meanings   what a word of the glossary means, for a question that asks only that
    nearest    the cases and pages nearest to a text in words, by TF-IDF
    search     from a text to the case that lists it, else to the nearest five
    frames     the numbers of a side, as a table
    settings   of the page
    page/      what Streamlit draws

This module imports nothing, so a command that needs one part loads no other.
"""
