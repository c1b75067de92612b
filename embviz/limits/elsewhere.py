"""Questions about this subject that other pages answer, because nothing breaks in them.

A figure stands in no answer: it would be true of one machine or one model alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """A sentence that answers questions, and the page where it is seen.

    Attributes:
        title: the words of its link, and the headline above its answer.
        page: the name of the page.
        settings: of that page, as in an address.
        answer: the answer in one to four sentences, as Markdown; the page shows it.
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
        title="Where to begin",
        page="playground",
        settings={"tour": "1"},
        answer="Begin with *Start here*: a tour of nine stops, one sentence each, in six "
        "minutes. It begins with six letters: a row that is copied, and a sum that gives the same.",
        questions=(
            "Where do I begin, where do I start?",
            "Start here: what are the first steps for a beginner?",
            "I am new here and understand nothing: help",
            "I do not understand anything, it is too difficult",
            "Is there an introduction, a tutorial, a tour?",
            "How do I use this app, what can I do here?",
            "In which order do I read these pages, which one first, what should I do first?",
            "How does this app work, what is this, explain it from the beginning",
        ),
        words="begin, start, start here, beginner, newcomer, new, introduction, intro, tutorial, "
        "guide, tour, help, first steps, getting started, quick start, overview, what is this",
    ),
    Elsewhere(
        title="A class that votes: join it, or start one",
        page="labs",
        answer="To join, open the link or the QR code on your teacher's board; or open *Labs*, "
        "then *Work together as a class*, and type the code. Teachers start a class there too.",
        questions=(
            "How do I join my class?",
            "Where do I type the class code?",
            "How does a teacher start a class, a vote, a lab with students?",
        ),
        words="class, code, join, classroom, students, teacher, vote, lab, exercise, homework",
    ),
    Elsewhere(
        title="What a row is for",
        page="training",
        answer="A model such as GPT computes with numbers, not with words. So each token gets a "
        "row, and the row is all that the rest of the model sees of it. Training moves the rows, "
        "so that tokens that are used in the same way get rows that are alike. So what a model "
        "learns from one of them is of use for the others.",
        questions=(
            "What is a row, what is a row for, what does a row mean?",
            "What is a row or a vector of a token good for?",
            "Why does each token, word or letter have a row of its own?",
            "What does the model know about a token or a word?",
            "What are embeddings good for, why do people use them?",
            "What is the purpose of a row, what does a row contain?",
            "What do similar or near rows mean, what does it mean that rows are alike?",
            "Why do we need embeddings, why rows?",
            "Why would anybody want this, what is all this for, who needs it?",
            "What has this to do with ChatGPT, GPT or language models?",
        ),
        words="row, rows, purpose, use, used for, good for, point, benefit, usefulness, meaning, "
        "similar rows, similar words, semantics, representation",
    ),
    Elsewhere(
        title="Why not the id itself as a number?",
        page="training",
        answer="An id is a name, not an amount: id 2 is not twice id 1, and not nearer to id 3 "
        "than to id 9. A row has several numbers, and training can move them. So tokens that are "
        "used in the same way can come near each other, whatever their ids are.",
        questions=(
            "Why not use the id itself as a number, as an input?",
            "Why can I not feed the id into nn.Linear directly?",
            "What do I gain from a row over the id number, an integer code?",
            "Why not label encoding or ordinal encoding instead of an embedding?",
            "Is a bigger id more than a smaller one?",
        ),
        words="id as a number, raw id, feed ids, integer, label encoding, ordinal, LabelEncoder, "
        "OrdinalEncoder, scalar, single number, instead of an embedding",
    ),
    Elsewhere(
        title="Token, id and one-hot",
        page="playground",
        settings={"world": "letters", "panel": "one_hot"},
        answer="A vocabulary cuts a text into tokens: letters, bytes or words. Each token has an "
        "id, the number of its row. A one-hot is a row of zeros with a 1 at the id.",
        questions=(
            "What is a token, what is an id?",
            "What does one-hot mean, what is a one-hot vector?",
            "How does a letter or a word become a number?",
        ),
        words="token, id, one-hot, one hot, onehot, tokenization",
    ),
    Elsewhere(
        title="What an embedding is, number by number",
        page="playground",
        settings={"world": "letters"},
        answer="`nn.Embedding` holds a table of `num_embeddings` rows with `embedding_dim` numbers "
        "each: the product of both is the number of its parameters. For an id it returns the row "
        "of that number: the same as a one-hot row times the weight of an `nn.Linear` without a "
        "bias.",
        questions=(
            "What is an embedding, what does nn.Embedding do?",
            "How does nn.Embedding work, step by step, with an example?",
            "What are input and output shape, num_embeddings and embedding_dim?",
            "nn.Embedding vs nn.Linear, embedding vs dense: what is the difference?",
            "Is an embedding the same as a one-hot vector times a matrix, a lookup or a matmul?",
            "Does one_hot with a matmul do the same as gather, take or index_select?",
            "How many parameters has an embedding layer?",
        ),
        words="versus, vs, vs., compare, comparison, equivalent, tf.nn.embedding_lookup, "
        "embedding_lookup, tf.gather, gather, index_select, take, jnp.take, Keras Embedding "
        "layer, keras.layers.Dense, Dense, Dense layer, fully connected, input_dim, output_dim, "
        "flax nn.Embed, multi-hot, slower, lookup table, word vector",
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
        answer="`<unk>` is no error: a token that the vocabulary lacks gets the id of `<unk>`. "
        "But all such tokens share one row, so the layer cannot tell them apart. With `bytes` as "
        "the vocabulary every text has ids.",
        questions=(
            "Is <unk> wrong, is it an error or a mistake?",
            "What does <unk> mean, why is everything <unk>?",
            "My text, emoji or Chinese is shown as <unk>: why do I see <unk>?",
            "My letter or word is unknown, it is not in the vocabulary: what happens with it?",
            "What about unknown words, out of vocabulary, OOV, <unk>?",
            "A word is not in the vocabulary: which id does it get?",
            "All my letters became <unk>, all tokens have the same row: is that wrong?",
            "What is the meaning of the unk token?",
        ),
        words="unk, <unk>, <unk> token, unk token, oov_token, unknown token, unknown character, "
        "unknown letter, unseen word, missing word, umlaut, accent, Arabic, emojis, KeyError, "
        "word2idx, stoi, tokenize, TextVectorization, StringLookup, subword, byte pair encoding",
    ),
    Elsewhere(
        title="From a text to ids in your own code",
        page="playground",
        settings={"panel": "code"},
        answer="Number the distinct tokens: `ids = {token: id for id, token in enumerate(words)}`, "
        "with `words` a list of them. Then `torch.tensor([ids[token] for token in text])` has the "
        "ids, as `torch.long`. Keep one more id for tokens that the list lacks. For a trained "
        "model take its own tokenizer: its rows go with its ids.",
        questions=(
            "How do I turn words into ids?",
            "How do I get from a text to ids in my own code?",
            "How do I build a vocabulary, a tokenizer?",
            "How do I convert strings, words, categories to the integers that nn.Embedding takes?",
        ),
        words="word2idx, stoi, vocab, encode, tokenize, tokenizer, dictionary, mapping, string to "
        "index, LabelEncoder, category codes, build_vocab_from_iterator",
    ),
    Elsewhere(
        title="What a column of the table means",
        page="playground",
        settings={"world": "words", "panel": "nearest"},
        answer="A column alone means nothing: training decides how near rows are to each other, "
        "not what an axis means. Compare whole rows, by their cosine.",
        questions=(
            "What does a column mean?",
            "What does one number of an embedding vector mean, is a dimension interpretable?",
            "What do the dimensions of an embedding represent?",
            "What does one single number, coordinate or value in a row or a vector tell or say?",
            "What is the first number of a row, what is each axis of the embedding space?",
            "Can people or humans read, name or interpret the dimensions, the columns?",
            "Does a column stand for a feature, has it a name?",
        ),
        words="column, columns, feature, axis, axes, interpret, interpretable, semantic, "
        "meaning of a dimension, coordinate, component",
    ),
    Elsewhere(
        title="Where the numbers come from",
        page="playground",
        settings={"world": "letters", "panel": "weights"},
        answer="They are random at first: a new `nn.Embedding` draws each number from a normal "
        "distribution of mean 0 and standard deviation 1. The six letters have random whole "
        "numbers, so that you can follow by hand. Training then moves the rows, or you load rows "
        "that were trained.",
        questions=(
            "Where do the numbers in the table come from?",
            "Are the weights of an embedding random at the start?",
            "Who chooses the values of the vectors, who made them up?",
            "Why these numbers, these decimals, and not others: why is it 6, why a minus?",
            "Where does the computer, the model or PyTorch get the weights, the values?",
            "Is this table trained or random, is anything learnt yet?",
            "How are embeddings trained or learned, from which data?",
            "Is nn.Embedding trainable, does it learn?",
        ),
        words="seed, origin, source of the numbers, values, initial values, random "
        "initialization, learned, pretrained, embeddings_initializer",
    ),
    Elsewhere(
        title="Where the layer sits in a model",
        page="playground",
        settings={"world": "letters", "panel": "in a model"},
        answer="It comes first: text becomes ids, and `nn.Embedding` reads a row for each id. "
        "Other layers, such as attention, work on the rows. At the end an `nn.Linear` gives a "
        "score to each id.",
        questions=(
            "Where does the embedding layer sit in a model, where does it go?",
            "What comes after the embedding layer, what happens next to the rows?",
            "Is nn.Embedding always the first layer of a network, of a transformer or an LSTM?",
            "Where is nn.Embedding in a transformer or in an LSTM?",
            "How do ids become scores, a text a prediction?",
            "What is the output layer of a language model, what are tied weights?",
            "How do I use nn.Embedding in a class Model(nn.Module): show me a complete model",
        ),
        words="architecture, position in the network, first layer, input layer, next layer, after, "
        "before, language model, logits, lm_head, forward, pipeline, neural network, LSTM, "
        "transformer, diagram",
    ),
    Elsewhere(
        title="When to use which layer",
        page="playground",
        settings={"world": "letters", "panel": "in a model"},
        answer="For ids, such as words or products, use `nn.Embedding`. For numbers that were "
        "measured use `nn.Linear`. For several ids at once, or counts, use `nn.EmbeddingBag`.",
        questions=(
            "Which layer should I use, nn.Embedding or nn.Linear, and when?",
            "When to use EmbeddingBag, when nn.Embedding, when nn.Linear?",
            "When do I use which?",
            "Which layer for categories, products or users, which for numeric features?",
            "What should I use for pixels, prices, temperatures, readings or other numbers?",
            "Embedding vs Dense: should I use an embedding layer or one-hot with a dense layer?",
            "Is a lookup slower or faster than a dense layer, a gather than a matmul?",
        ),
        words="vs, versus, or, embedding or linear, linear or embedding, lookup or linear, instead "
        "of, better, choose, pick, which, Keras, Dense, Dense layer, gather, "
        "tf.gather, embedding_lookup, tf.nn.embedding_lookup, slower, categorical features, "
        "numeric features, measured values, tabular, one-hot input, multi-hot",
    ),
    Elsewhere(
        title="One weight or two",
        page="playground",
        settings={"world": "letters", "panel": "weights"},
        answer="Two: each layer has a weight of its own. Here one was copied into the other, so "
        "they are equal, and each is trained on its own. Tied layers share one weight on purpose.",
        questions=(
            "Do both layers share one weight?",
            "Is there one weight or two, one table or two?",
            "Is the weight copied or shared, are both the same tensor?",
            "If I train one layer, does the other one move too?",
            "Do both layers have the same memory?",
        ),
        words="shared weight, share, sharing, same tensor, same object, copy, copied, one table, "
        "two tables, single matrix, both layers, both weights",
    ),
    Elsewhere(
        title="Several ids at once: multi-hot rows and counts",
        page="bag_of_words",
        settings={"routed": "all rows"},
        answer="A multi-hot row times the weight is the sum of the rows of its ids. A row of "
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
            "Is an API embedding the same as nn.Embedding?",
            "How do I get one vector for a whole sentence, a paragraph or a document?",
            "What is the vector of a sentence, of a text?",
            "Does an API give rows, why does it give a vector for a text and not for a word?",
            "Are sentence embeddings rows of a table?",
            "What does a vector database store?",
        ),
        words="API, API embedding, endpoint, embedding model, sentence embedding, "
        "sentence-transformers, SentenceTransformer, OpenAI, text-embedding-3-small, ada-002, "
        "Cohere, semantic search, vector database, RAG, document embedding, text embedding",
    ),
    Elsewhere(
        title="Is a cosine of 0.77 high?",
        page="context",
        settings={"chapter": "sentences"},
        answer="A cosine alone says nothing, because each layer has a scale of its own. Compare "
        "it with the cosines of other pairs in the same layer: here, of a word in the same sense "
        "and in another sense.",
        questions=(
            "Is a cosine of 0.77 high, is 0.9 similar?",
            "Which cosine similarity counts as similar, what is a good threshold?",
            "Why are all cosines so high, also of unrelated words?",
            "Are the two senses told apart, what does told apart mean?",
            "How alike are two meanings of a word, by their cosine, how close two vectors?",
        ),
        words="cosine, cosine similarity, similarity score, threshold, cut-off, high, close, "
        "alike, unrelated words, 0.77, 0.82, 0.9, 0.6, anisotropy",
    ),
    Elsewhere(
        title="Does it matter for my model?",
        page="timing",
        settings={"my_model": "true"},
        answer="The more rows your table has, the more it matters: for each token a matmul "
        "multiplies all rows, and a lookup reads one. The one-hot needs a number for each row, "
        "too. *My model* counts both for your sizes, first for those of GPT-2.",
        questions=(
            "Does it matter for my model, does it make a difference in practice?",
            "Does it matter for GPT-2, BERT or Llama?",
            "How much slower would a real model be with a one-hot, how slow is it with many words?",
            "How much memory would the one-hot of GPT-2 or of a large model need?",
            "What share of the time is the lookup, in large language models?",
            "Why not use one-hot in a big model, would anybody notice?",
            "Is it important or relevant, is it worth it, who cares?",
        ),
        words="gpt2, gpt-2, gpt, BERT, Llama, LLM, recommender, large model, real model, "
        "production, matter, matters, important, relevant, practice, difference, one-hot cost",
    ),
    Elsewhere(
        title="How large is D?",
        page="training",
        settings={"lesson": "size"},
        answer="No formula tells you: double `embedding_dim` until the loss hardly falls. The "
        "lesson trains models with 2 to 32 numbers a row and compares their loss.",
        questions=(
            "How large should embedding_dim, the embedding dimension, be?",
            "How large, how big, how long should a row or a word vector be?",
            "How many numbers should a row have, how many columns a table?",
            "Are 16 dimensions enough, is 64 enough, what if it is too small?",
            "How do I choose the size of the word vectors, the dimensionality?",
            "How to determine or decide the embedding size, the embedding dimension?",
            "Is there a rule of thumb or a formula for embedding_dim and vocabulary size?",
            "How many dimensions do I need for 1,000 categories?",
            "How to determine the embedding size?",
            "What is a good size for embeddings?",
            "Embedding dim for a vocabulary of 50000",
            "What is the best, ideal, optimal, typical, recommended or right embedding size?",
            "Is 300 or 768 too big or too small for the vector size?",
        ),
        words="how large, how big, D, latent dimension, n_embd, d_model, hidden size, "
        "vector_size, output_dim, number of dimensions, vector length, width, fourth root, "
        "default size",
    ),
    Elsewhere(
        title="The same token in two sentences",
        page="context",
        settings={"chapter": "sentences"},
        answer="`nn.Embedding` gives a token the same row in every sentence. Attention then "
        "mixes it with the rows around it. The mixed vector differs from sentence to sentence.",
        questions=(
            "What is a contextual embedding, and what a static one?",
            "What does attention do with the rows of an embedding?",
            "Does order matter, does the order of the tokens matter?",
            "BERT vectors of a word in two sentences",
        ),
        words="contextual, static, word sense, polysemy, bank, ELMo, BERT, word2vec",
    ),
    Elsewhere(
        title="How fast are both on your machine?",
        page="timing",
        answer="Measure it: *Timing* runs the lookup and the matmul at your sizes, alone or with "
        "their backward pass. A larger table makes the matmul slower, but hardly the lookup. For "
        "a small table the call itself takes longer than its work.",
        questions=(
            "Is an embedding lookup faster or slower than a one-hot matmul?",
            "How long does nn.Embedding take for a large table?",
            "Benchmark nn.Embedding against nn.Linear",
            "How long does the backward pass of an embedding take, is it slower than the forward?",
        ),
        words="speed, benchmark, latency, milliseconds, takes longer, times longer, throughput, "
        "TPU, performance, slow",
    ),
)
