"""The content of *Bag of words*.

Reading order: fields, sentences, picture, sections, story (the page).
"""
