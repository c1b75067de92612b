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
        answer: the answer in one to three sentences, as Markdown; the page shows it.
        questions: three or more, as people ask them.
        words: further words that people search for, such as names of other libraries.
    """

    title: str
    page: str
    answer: str
    questions: tuple[str, ...]
    words: str = ""
    settings: dict[str, str] = field(default_factory=dict)


ELSEWHERE = (
    Elsewhere(
        title="What an embedding is, number by number",
        page="playground",
        settings={"world": "letters"},
        answer="`nn.Embedding` holds a table of `num_embeddings` rows with `embedding_dim` numbers "
        "each. For an id it returns the row of that number: the same as a one-hot row times the "
        "weight of an `nn.Linear` without bias.",
        questions=(
            "What is an embedding, what does nn.Embedding do?",
            "How does nn.Embedding work, step by step, with an example?",
            "What are input and output shape, num_embeddings and embedding_dim?",
            "nn.Embedding vs nn.Linear, embedding vs dense: what is the difference?",
            "Is an embedding the same as a one-hot vector times a matrix, a lookup or a matmul?",
        ),
        words="versus, vs, vs., or, compare, comparison, equivalent, tf.nn.embedding_lookup, "
        "tf.gather, gather, index_select, take, jnp.take, Keras Embedding layer, keras.layers.Dense"
        ", Dense layer, fully connected, input_dim, output_dim, flax nn.Embed, multi-hot, slower, "
        "lookup table, word vector",
    ),
    Elsewhere(
        title="Which rows are nearest to a row",
        page="playground",
        settings={"world": "words", "panel": "nearest"},
        answer="The panel *nearest* compares a row with all others by their cosine. The row "
        "nearest to a vector gives a token back: an embedding has no other inverse.",
        questions=(
            "Which words are nearest or most similar to a word?",
            "How do I get the word back from a vector, the inverse of an embedding?",
            "Cosine similarity between two word vectors",
            "Convert an embedding back to tokens, decode a vector",
        ),
        words="most_similar, gensim, nearest neighbours, synonyms, cosine distance, reverse lookup",
    ),
    Elsewhere(
        title="Words without an id: <unk>",
        page="playground",
        settings={"world": "characters", "text": "naïve", "token": "2"},
        answer="A token that the vocabulary lacks gets the id of `<unk>`. All such tokens share "
        "one row, so the layer cannot tell them apart. `bytes` gives every text an id.",
        questions=(
            "What about unknown words, out of vocabulary, OOV, <unk>?",
            "How do I turn words into ids, build a vocabulary, a tokenizer?",
            "A word is not in the vocabulary: which id does it get?",
            "All my letters became <unk>, they are all the same row: is that wrong?",
        ),
        words="oov_token, unknown token, KeyError, word2idx, stoi, tokenize, TextVectorization, "
        "StringLookup, subword, byte pair encoding",
    ),
    Elsewhere(
        title="What a column of the table means",
        page="playground",
        settings={"world": "words", "panel": "nearest"},
        answer="A single column rarely has a meaning of its own: training fixes how rows lie to "
        "each other, not the axes. Compare whole rows, by their cosine.",
        questions=(
            "What does a column mean?",
            "What does one number of an embedding vector mean, is a dimension interpretable?",
            "What do the dimensions of an embedding represent?",
        ),
        words="feature, axis, interpret, semantic, meaning of a dimension",
    ),
    Elsewhere(
        title="Where the numbers come from",
        page="playground",
        settings={"world": "letters", "panel": "weights"},
        answer="They are random at first: a new `nn.Embedding` draws each number from a normal "
        "distribution of mean 0 and standard deviation 1. Training then moves the rows, or you "
        "load rows that were trained.",
        questions=(
            "Where do the numbers in the table come from?",
            "Are the weights of an embedding random at the start?",
            "Who chooses the values of the vectors?",
            "How are embeddings trained or learned, from which data?",
        ),
        words="random initialization, learned, pretrained, embeddings_initializer",
    ),
    Elsewhere(
        title="Where the layer sits in a model, and when to use which",
        page="playground",
        settings={"world": "letters", "panel": "in a model"},
        answer="For ids use `nn.Embedding`, the first layer of a model: it reads one row for each "
        "id. For measured numbers use `nn.Linear`. For several ids at once use `nn.EmbeddingBag`.",
        questions=(
            "Which layer should I use, nn.Embedding or nn.Linear, and when?",
            "Where does the embedding layer sit in a model, what comes after it?",
            "What is the output layer of a language model, what are tied weights?",
            "Embedding vs Dense: should I use an embedding layer or one-hot with a dense layer?",
            "Is a lookup slower or faster than a dense layer, a gather than a matmul?",
        ),
        words="vs, versus, or, instead of, better, choose, Keras, Dense, Dense layer, gather, "
        "tf.gather, embedding_lookup, tf.nn.embedding_lookup, slower, categorical features, "
        "tabular, one-hot input, multi-hot",
    ),
    Elsewhere(
        title="Several ids at once: multi-hot rows and counts",
        page="bag_of_words",
        answer="A multi-hot row times the weight is the sum of the rows of its ids, and a row of "
        "counts adds each row as often as its id occurs. `nn.EmbeddingBag` gives the same sum "
        "without the zeros.",
        questions=(
            "How do I embed a multi-hot vector or several categories at once?",
            "What is a bag of words, what does nn.EmbeddingBag do?",
            "Sum or average the embeddings of several tokens",
            "CountVectorizer or TF-IDF counts through nn.Linear or nn.EmbeddingBag",
        ),
        words="multi-hot, multihot, multi-label input, MultiLabelBinarizer, n-hot, k-hot, "
        "CategoryEncoding, embedding_lookup_sparse, GlobalAveragePooling1D, document vector",
    ),
    Elsewhere(
        title="A sentence's vector, or one from an API",
        page="context",
        settings={"chapter": "sentences"},
        answer="It is no row of a table: a whole model computes it from the rows of all tokens of "
        "the text. So it depends on the order and on every other token.",
        questions=(
            "How does it relate to a sentence's vector, or an embedding from an API?",
            "How do I get one vector for a whole sentence?",
            "Is a cosine of 0.77 high, are the two senses told apart?",
        ),
        words="sentence-transformers, SentenceTransformer, OpenAI, text-embedding-3-small, "
        "semantic search, RAG, document embedding",
    ),
    Elsewhere(
        title="How large is D?",
        page="training",
        settings={"lesson": "size"},
        answer="No formula knows: double `embedding_dim` until the loss hardly falls. The lesson "
        "trains models with 2 to 32 numbers a row and compares their loss.",
        questions=(
            "How large should embedding_dim, the embedding dimension, be?",
            "How do I choose the size of the word vectors, the dimensionality?",
            "How to determine or decide the embedding size, the embedding dimension?",
            "Is there a rule of thumb or a formula for embedding_dim and vocabulary size?",
            "How many dimensions do I need for 1,000 categories?",
            "What is the best, ideal, optimal, typical, recommended or right embedding size?",
            "Is 300 or 768 too big or too small for the vector size?",
        ),
        words="latent dimension, n_embd, d_model, hidden size, vector_size, output_dim, "
        "number of dimensions, vector length, width, fourth root, default size",
    ),
    Elsewhere(
        title="The same token in two sentences",
        page="context",
        settings={"chapter": "sentences"},
        answer="`nn.Embedding` gives a token the same row in every sentence. Attention then mixes "
        "it with the rows around it: that vector differs from sentence to sentence.",
        questions=(
            "What is a contextual embedding, and what a static one?",
            "What does attention do with the rows of an embedding?",
            "BERT vectors of a word in two sentences",
        ),
        words="contextual, static, word sense, polysemy, bank, ELMo, BERT, word2vec",
    ),
    Elsewhere(
        title="How fast are both on your machine?",
        page="timing",
        answer="Measure it: *Timing* runs the lookup and the matmul at your sizes. A larger table "
        "makes the matmul slower and hardly the lookup. For a small table each call costs more "
        "than its work.",
        questions=(
            "Is an embedding lookup faster or slower than a one-hot matmul?",
            "How long does nn.Embedding take for a large table?",
            "Benchmark nn.Embedding against nn.Linear",
        ),
        words="speed, benchmark, latency, milliseconds, throughput, TPU, performance, slow",
    ),
)
