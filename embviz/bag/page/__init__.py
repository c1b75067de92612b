"""What *Bag of words* draws.

Reading order: fields, sentences, picture, sections, story (the page).
"""
