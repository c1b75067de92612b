"""The pages of a class: a student's, and the board.

Reading order; a module imports only those before it: class_link, door, bars, shared_lab,
member, presses, board_view, board_menu, board_controls, board_page.
"""
