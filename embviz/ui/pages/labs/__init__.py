"""The parts of *Labs*, and of classes.

Reading order; a module imports only those before it:

    lesson        a lab as one student has it: what is asked, given and told
    class_link    the link and the cookies of a class
    looks         how the labs look
    field         the question of a step and the field for its answer
    step_page     a step, or the end, for a student alone and for one in a class
    teach_access  who may see answers
    teach_sheet   sheets for students
    teach_guide   the guide to a lab
    teach_plan    plans of a lesson
    teach         the teacher's page
    cards         the labs to choose from
    alone         a student alone
    bars          how a class answered a step
    member        a student in a class
    presses       what a teacher presses on a board
    board_view    the teacher's own view below the board
    board_menu    the menus in the head of a board
    board_page    the board
"""
