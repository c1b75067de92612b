"""The labs to choose from, and a student alone.

Reading order; a module imports only those before it:

    lesson        a lab as one student has it: what is asked, given and told
    looks         how the labs look
    beside        an easier or a harder question beside the steps
    field         the question of a step and the field for its answer
    step_page     a step, or the end, for a student alone and for one in a class
    cards         the labs to choose from
    take_along    the notebook of a lab, and the line that hands it in
    alone         a student alone
"""
