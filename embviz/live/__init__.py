"""The route of typed text: JSON in, the picture's record out.

Reading order: parts, answer, route.
"""
