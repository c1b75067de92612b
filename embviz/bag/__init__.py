"""Bag of words: a row of counts times a weight is a weighted sum of embedding rows.

Reading order: matrix (over checks), documents, uploads, layers, arrays, tolerance, row_routes,
all_rows, contributions, pretrained, recipe.
"""
