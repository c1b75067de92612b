"""For teachers: plans of a lesson, guides, sheets, homework.

Reading order: plan, readme, page.
"""
