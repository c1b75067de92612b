"""The one glossary: terms that a second-year student may not know, and what they mean.

Pages mark a term in a sentence as `{{ulp}}`, or as `{{shown words|ulp}}`. Its meaning is one hover,
focus or tap away. The meanings are plain text.
"""

TERMS = {
    "bias-free": "A layer without an added constant: bias=False. Its output is the product alone.",
    "one-hot": "A row of zeros with a single 1. The place of the 1 is the id.",
    "ulp": "Unit in the last place: how many numbers of this dtype lie between two values.",
    "tfidf": "A count, made smaller for words of many documents; then each row has length 1.",
    "per_sample_weights": "An argument of nn.EmbeddingBag: a number for each id, which its row is "
    "multiplied by before the sum.",
    "indptr": "Index pointers: indptr[i] says where row i begins in indices and data.",
    "bitwise equal": "Every bit is the same. This is stricter than ==, by which -0.0 equals 0.0.",
    "cosine": "How alike two vectors point: 1 the same direction, 0 none in common, -1 opposite.",
    "Sentence-BERT": "A trained model that turns a sentence into one vector. Its first layer is an "
    "nn.Embedding.",
    "WordPiece": "A vocabulary of words and pieces of words: a rare word is several pieces.",
    "rounding": "A dtype has finitely many numbers. Each sum is replaced by the nearest of them.",
    "optimizer": "The rule that turns a gradient into a change of the weight, such as SGD or Adam.",
    "learning rate": "The part of the gradient that a step takes away from the weight.",
    "gradient": "How fast the loss grows with each number. A step goes the other way.",
}
