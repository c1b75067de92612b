"""For teachers: plans of a lesson, guides, sheets.

Reading order: plan, page.
"""
