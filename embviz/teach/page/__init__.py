"""The teacher's page.

Reading order: access, sheets, guide, plans, teach, story (of the page *Labs*).
"""
