"""Bag of words: a row of counts times a weight is a weighted sum of embedding rows. Reading order:
matrix (over checks and typed), documents, uploads (over archive), layers, arrays, tolerance,
routes, whole, words, memory, order, pretrained, recipe.
"""
