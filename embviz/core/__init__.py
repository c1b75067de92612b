"""The one fact: `nn.Embedding(ids)` equals `one_hot(ids) @ weight`, and what states it."""
