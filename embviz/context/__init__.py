"""Static and contextual vectors: what an embedding layer does not know, and what adds it.

Reading order: similarity, static, stack, proofs, pieces, run, sentence.
"""
