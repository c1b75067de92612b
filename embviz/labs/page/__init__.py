"""The labs to choose from, and a student alone.

Reading order; a module imports only those before it:

    lesson        a lab as one student has it: what is asked, answered and told
    looks         how the labs look
    shown         the question that the address has: a step, or one beside the steps
    field         a question and the field for its answer
    step_page     a step, or the end, for a student alone and for one in a class
    cards         the labs to choose from
    take_along    the notebook of a lab, and the line that hands it in
    alone         a student alone
"""
