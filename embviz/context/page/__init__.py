"""The chapters of *Context*, and the strips that two of them draw.

Reading order: strips, parts, static, contextual, sentences, story (the page).
"""
