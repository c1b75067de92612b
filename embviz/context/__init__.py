"""Static and contextual vectors: what an embedding layer does not know, and what adds it.

Reading order: moved_rows, stack, equal, pieces, shared_word, sentence,
layers_chart, settings, page.
"""
