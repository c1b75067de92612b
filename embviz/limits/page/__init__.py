"""The parts of *Where it breaks*.

Reading order: browse, story (the page).
"""
