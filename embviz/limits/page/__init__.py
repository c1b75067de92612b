"""What *Where it breaks* draws.

Reading order: browse, story (the page).
"""
