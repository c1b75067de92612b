"""The playground: one table, two layers over it, one picture.

Reading order: settings, compare, survey, stage_svg, histogram, one_hot_chart, frames, page.
"""
