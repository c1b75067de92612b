"""The one fact: `nn.Embedding(ids)` equals `one_hot(ids) @ weight`, and what states it.

Reading order; a module imports only those before it: dtypes, vocabulary, words, letters, inits,
tokenizers, table, ids, weights, layers, next_token, characters, comparison, cost, nearest, routes,
export, table_rows, inputs, shared_layers.
"""
