"""The teacher's page.

Reading order: access, guide, sheets, homework, plans, teach, story (of the page *Labs*).
"""
