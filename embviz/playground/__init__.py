"""The playground: one table, two layers over it, one picture.

Reading order: settings, compare, survey, small_models, stage_svg, histogram, frames, page.
"""
