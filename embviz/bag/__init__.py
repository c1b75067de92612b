"""Bag of words: a row of counts times a weight is a weighted sum of embedding rows.

Reading order: matrix, documents, uploads, weight, routes, pretrained, recipe, settings, page.
"""
