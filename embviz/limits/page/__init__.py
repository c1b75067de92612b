"""The content of *Where it breaks*.

Reading order: browse, story (the page).
"""
