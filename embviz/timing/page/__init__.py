"""What *Timing* draws.

Reading order: kept, measuring, my_model, page, numbers, story (the page).
"""
