"""The common parts of all pictures: numbers for a browser, cells, the layout of a chart.

Reading order: numbers, part, layout, axes, shades. `cells/` has the scripts that draw cells.
"""
