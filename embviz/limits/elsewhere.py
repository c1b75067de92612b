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
            "All my letters became <unk>, they are all the same row: is that wrong?",
        ),
    ),
    Elsewhere(
        title="What a column of the table means",
        page="playground",
        settings={"world": "words", "panel": "nearest"},
        questions=(
            "What does a column mean?",
            "What does one number of an embedding vector mean, is a dimension interpretable?",
            "What do the dimensions of an embedding represent?",
        ),
    ),
    Elsewhere(
        title="Where the numbers come from",
        page="playground",
        settings={"panel": "weights"},
        questions=(
            "Where do the numbers in the table come from?",
            "Are the weights of an embedding random at the start?",
            "Who chooses the values of the vectors?",
        ),
    ),
    Elsewhere(
        title="Where the layer sits in a model, and when to use which",
        page="playground",
        settings={"panel": "in a model"},
        questions=(
            "Which layer should I use, nn.Embedding or nn.Linear, and when?",
            "Where does the embedding layer sit in a model, what comes after it?",
            "What is the output layer of a language model, what are tied weights?",
        ),
    ),
    Elsewhere(
        title="A sentence's vector, or one from an API",
        page="context",
        settings={"chapter": "sentences"},
        questions=(
            "How does it relate to a sentence's vector, or an embedding from an API?",
            "How do I get one vector for a whole sentence?",
            "Is a cosine of 0.77 high, are the two senses told apart?",
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
