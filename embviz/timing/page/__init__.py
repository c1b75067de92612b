"""The page *Timing*: it starts sweeps and draws runs.

Reading order: kept, measuring, my_model, page, numbers, story (the page).
"""
