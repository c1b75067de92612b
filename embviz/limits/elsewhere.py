"""Questions about this subject that other pages answer, because nothing breaks in them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """A page that answers questions; the search offers it beside the cases.

    Attributes:
        title: the words of its link.
        page: the name of the page.
        settings: of that page, as in an address.
        questions: three or more, as people ask them.
    """

    title: str
    page: str
    questions: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)


ELSEWHERE = (
    Elsewhere(
        title="What an embedding is, number by number",
        page="playground",
        questions=(
            "What is an embedding, what does nn.Embedding do?",
            "How does nn.Embedding work, step by step, with an example?",
            "What are input and output shape, num_embeddings and embedding_dim?",
        ),
    ),
    Elsewhere(
        title="Which rows are nearest to a row",
        page="playground",
        settings={"world": "words", "panel": "nearest"},
        questions=(
            "Which words are nearest or most similar to a word?",
            "How do I get the word back from a vector, the inverse of an embedding?",
            "Cosine similarity between two word vectors",
            "Convert an embedding back to tokens, decode a vector",
        ),
    ),
    Elsewhere(
        title="Words without an id: <unk>",
        page="playground",
        settings={"world": "characters", "text": "naïve"},
        questions=(
            "What about unknown words, out of vocabulary, OOV, <unk>?",
            "How do I turn words into ids, build a vocabulary, a tokenizer?",
            "A word is not in the vocabulary: which id does it get?",
        ),
    ),
    Elsewhere(
        title="How large D should be",
        page="training",
        settings={"lesson": "size"},
        questions=(
            "How large should embedding_dim, the embedding dimension, be?",
            "How do I choose the size of the word vectors, the dimensionality?",
            "Is there a rule of thumb for embedding_dim and vocabulary size?",
            "How many dimensions do I need for 1,000 categories?",
        ),
    ),
    Elsewhere(
        title="The same token in two sentences",
        page="context",
        questions=(
            "What is a contextual embedding, and what a static one?",
            "What does attention do with the rows of an embedding?",
            "BERT vectors of a word in two sentences",
        ),
    ),
)
