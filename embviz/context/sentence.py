"""A real Sentence-BERT and its first layer, which is an nn.Embedding.

An optional extra: `sentence_transformers` is imported on the first `load` only, and
the model comes from a folder, the cache of Hugging Face or, last, its hub. It runs
on the CPU in float32, one sentence at a time, so that a sentence has the same vectors
whatever stands beside it. It trains nothing, runs no code that a model brings along,
and refuses models that have no nn.Embedding or cannot say which characters a piece is.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.context.pieces import (
    Cosines,
    Piece,
    WordVectors,
    check_sentences,
    cosines_of,
    places_of,
)
from embviz.context.similarity import cosine
from embviz.core.comparison import Comparison
from embviz.core.wording import quote

MODEL_VARIABLE = "EMBVIZ_SENTENCE_MODEL"
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
HUB_SECONDS = 15.0  # to wait for the hub to say whether it has a model
SLICE_ROWS = 4_096


class ModelError(ValueError):
    """A model that cannot be had or used; the message is one sentence or two."""


def available() -> str:
    """How to get the extra, in one sentence, or `""` if it is installed. Imports nothing."""
    if importlib.util.find_spec("sentence_transformers") is None:
        return (
            "A real Sentence-BERT is an optional extra: pip install sentence-transformers, "
            "then start embviz again."
        )
    return ""


def model_name() -> str:
    """The model to load: EMBVIZ_SENTENCE_MODEL (a name or a folder), or all-MiniLM-L6-v2."""
    return os.environ.get(MODEL_VARIABLE, "").strip() or DEFAULT_MODEL


def load(name: str) -> SentenceModel:
    """Load a model. Takes seconds, most of them the first import; call it once per process.

    A folder and the cache are tried without the network. Only then is the hub asked, which
    has 15 s to answer, unless HF_HUB_OFFLINE forbids it; a download takes as long as it takes.

    Args:
        name: a folder, or a model's name on the hub.

    Raises:
        ModelError: the extra is not installed, there is no such model, it cannot be
            reached, or it is none whose first layer is an nn.Embedding.
    """
    if missing := available():
        raise ModelError(missing)
    try:
        make, hub = _import()
    except Exception as error:  # whatever an installation that does not fit may raise
        raise ModelError(
            f"sentence-transformers is installed but cannot be imported: {_said(error)}."
        ) from error
    if (folder := Path(name).expanduser()).is_dir():
        return SentenceModel(name, _made(make, str(folder), name, local=True))
    if name.startswith(("/", ".", "~")) or name.count("/") > 1:
        raise ModelError(
            f"{quote(name, 200)} is no folder on this machine. Set {MODEL_VARIABLE} to one that "
            f"holds a model, or to a name such as {DEFAULT_MODEL}."
        )
    try:
        return SentenceModel(name, _made(make, name, name, local=True))
    except _NotHereError:
        pass
    if hub.constants.HF_HUB_OFFLINE:
        raise ModelError(
            f"The model {quote(name, 200)} is not on this machine, and HF_HUB_OFFLINE forbids "
            f"to ask for it. Set {MODEL_VARIABLE} to a folder that has one."
        )
    _ask(hub, name)
    return SentenceModel(name, _made(make, name, name, local=False))


class SentenceModel:
    """A Sentence-BERT, opened so that its first layer and every other can be looked at.

    Args:
        name: what it was loaded as.
        model: the `sentence_transformers.SentenceTransformer`, on the CPU.

    Attributes:
        embedding: its own nn.Embedding(V, D): the rows of the words, without positions.
        num_layers: L, layers above it.
        max_length: pieces that it reads at most, the two special ones among them.

    Raises:
        ModelError: a model whose first layer is no nn.Embedding, or without a fast tokenizer.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        encoder: Any = getattr(model[0], "auto_model", None)
        embedding = encoder.get_input_embeddings() if encoder is not None else None
        tokenizer: Any = getattr(model, "tokenizer", None)
        if not isinstance(embedding, nn.Embedding) or not getattr(tokenizer, "is_fast", False):
            raise ModelError(
                f"{quote(name, 200)} is not a model like BERT: its first layer is not an "
                "nn.Embedding over the pieces of a fast tokenizer."
            )
        self._model, self._encoder, self._tokenizer = model.float().eval(), encoder, tokenizer
        self.embedding = embedding
        self.num_layers = int(encoder.config.num_hidden_layers)
        longest = min(encoder.config.max_position_embeddings, tokenizer.model_max_length)
        self.max_length = int(model.max_seq_length or longest)
        # A fast tokenizer keeps how to cut as a state of its own, which threads would fight over.
        self._lock = threading.Lock()

    @property
    def first_layer(self) -> str:
        """The first layer as torch prints it, such as `Embedding(30522, 384, padding_idx=0)`."""
        return repr(self.embedding)

    def words(self, sentence: str) -> list[Piece]:
        """What the model reads of a sentence: its pieces, the special ones among them.

        Raises:
            ValueError: an empty sentence, or one of more than 1,000 characters.
        """
        return self._pieces(sentence, self.max_length)

    def pieces_cut(self, sentence: str) -> int:
        """How many pieces at the sentence's end the model does not read, for want of room."""
        return len(self._pieces(sentence, None)) - len(self.words(sentence))

    def word_vectors(self, sentence: str, word: str) -> WordVectors:
        """A word's static row and its vector after each layer, at its first place.

        Args:
            sentence: up to 1,000 characters.
            word: found as a whole word, in any case of letters.

        Raises:
            ValueError: the sentence lacks the word, or has it only beyond what is read.
        """
        check_sentences([sentence])
        places = places_of(word, sentence)
        start, end = places[0]
        pieces = [p for p in self.words(sentence) if p.start < end and p.end > start]
        if not pieces:
            raise ValueError(
                f"The word {quote(word)} stands beyond the {self.max_length} pieces that the "
                f"model reads of {quote(sentence)}."
            )
        where = [piece.position for piece in pieces]
        with torch.inference_mode():
            static = self.embedding(torch.tensor([piece.id for piece in pieces])).mean(dim=0)
            layers = self._states(sentence)[:, where].mean(dim=1)
        written = sentence[start:end]
        return WordVectors(sentence, written, pieces, len(places), static.clone(), layers.clone())

    def word_cosines(self, sentences: Sequence[str], word: str) -> Cosines:
        """How alike one word is in all sentences, statically and by layer.

        Args:
            sentences: 1 to 12, each with the word.
            word: found as `word_vectors` does.

        Raises:
            ValueError: sentences that are refused, or one that lacks the word.
        """
        check_sentences(sentences)
        return cosines_of([self.word_vectors(sentence, word) for sentence in sentences])

    def sentence_cosines(self, sentences: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """How alike whole sentences are, by the model and as bags of static rows.

        Args:
            sentences: 1 to 12.

        Returns:
            Two of float64 (S, S): of the model's sentence vectors (pooled as the model does,
            `pooling`), and of the means of its pieces' rows, special tokens left out.

        Raises:
            ValueError: sentences that are refused.
        """
        check_sentences(sentences)
        with self._lock, torch.inference_mode():
            encoded: torch.Tensor = self._model.encode(
                list(sentences), batch_size=1, show_progress_bar=False, convert_to_tensor=True
            )
        return cosine(encoded.clone()), cosine(torch.stack([self._bag(s) for s in sentences]))

    @property
    def pooling(self) -> str:
        """How the model makes one vector of a sentence, such as `mean`, or `""` if unknown."""
        modes = [getattr(module, "pooling_mode", "") for module in self._model]
        return next((str(mode) for mode in modes if mode), "")

    @torch.no_grad()
    def one_hot_proof(self, ids: Sequence[int], slice_rows: int = SLICE_ROWS) -> Comparison:
        """The model's own lookup against one-hot x nn.Linear, a slice of the rows at a time.

        A one-hot of N x V and a copy of the table are never held: each slice of rows has its
        own columns of the one-hot and its own nn.Linear, and the slices are added up.

        Args:
            ids: N of them, each from 0 to V - 1.
            slice_rows: rows of the table multiplied at a time.

        Returns:
            `lookup` and `matmul`, each (N, D).

        Raises:
            IndexError: an id that has no row.
        """
        rows, dim = self.embedding.weight.shape
        wanted = torch.tensor(list(ids), dtype=torch.int64)
        if len(wanted) and not 0 <= int(wanted.min()) <= int(wanted.max()) < rows:
            raise IndexError(
                f"ids run from {int(wanted.min())} to {int(wanted.max())}; "
                f"this table has rows 0 to {rows - 1}."
            )
        total = self.embedding.weight.new_zeros(len(wanted), dim)
        for start in range(0, rows, slice_rows):
            weight = self.embedding.weight[start : start + slice_rows]
            # Ids of other slices become the class after the last, whose column is left out.
            inside = (wanted >= start) & (wanted < start + len(weight))
            classes = torch.where(inside, wanted - start, len(weight))
            one_hot = F.one_hot(classes, len(weight) + 1)[:, :-1].to(weight.dtype)
            linear = nn.Linear(len(weight), dim, bias=False, device="meta")
            linear.weight = nn.Parameter(weight.t().contiguous(), requires_grad=False)
            total += linear(one_hot)
        return Comparison(self.embedding(wanted), total)

    def _bag(self, sentence: str) -> torch.Tensor:
        """(D,), the mean of the rows of a sentence's pieces."""
        ids = [piece.id for piece in self.words(sentence) if not piece.is_special]
        if not ids:  # of control characters alone, say
            return torch.zeros(self.embedding.embedding_dim)
        return self.embedding.weight.detach()[ids].mean(dim=0)

    def _states(self, sentence: str) -> torch.Tensor:
        """(L + 1, N, D): after positions and LayerNorm, then after each layer."""
        ids = torch.tensor([[piece.id for piece in self.words(sentence)]])
        mask = torch.ones_like(ids)
        found = self._encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        return torch.stack([state[0] for state in found.hidden_states])

    def _pieces(self, sentence: str, limit: int | None) -> list[Piece]:
        check_sentences([sentence])
        with self._lock:
            read = self._tokenizer(
                sentence,
                truncation=limit is not None,
                max_length=limit,
                return_offsets_mapping=True,
                verbose=False,  # silent on texts over the limit: `pieces_cut` tells
            )
        ids, spans, belongs = read["input_ids"], read["offset_mapping"], read.word_ids()
        texts = self._tokenizer.convert_ids_to_tokens(ids)
        words: dict[int, tuple[int, int]] = {}
        for index, (start, end) in zip(belongs, spans, strict=True):
            if index is not None:
                words[index] = (words.get(index, (start, end))[0], end)
        unknown = self._tokenizer.unk_token_id
        return [
            Piece(
                ids[k],
                texts[k],
                word="" if index is None else sentence[slice(*words[index])],
                word_index=index,
                start=spans[k][0],
                end=spans[k][1],
                position=k,
                is_unknown=ids[k] == unknown,
            )
            for k, index in enumerate(belongs)
        ]


class _NotHereError(Exception):
    """Neither a folder nor in the cache."""


def _import() -> tuple[Callable[..., Any], Any]:
    """The maker of models and the hub, both told to keep off the console for good."""
    # Set before the import: forked tokenizers would warn, and this never needs them.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import huggingface_hub
    import transformers
    from sentence_transformers import SentenceTransformer

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    huggingface_hub.utils.disable_progress_bars()
    for library in ("sentence_transformers", "huggingface_hub", "transformers"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    return SentenceTransformer, huggingface_hub


def _made(make: Callable[..., Any], source: str, name: str, *, local: bool) -> Any:
    """The model from a folder, the cache or the hub.

    Raises:
        _NotHereError: asked to stay local, and it is not there.
        ModelError: it is there and cannot be loaded.
    """
    try:
        return make(source, device="cpu", local_files_only=local, trust_remote_code=False)
    except Exception as error:  # a dozen libraries may raise here, each its own kind
        if local and not Path(source).is_dir():
            raise _NotHereError from error
        raise ModelError(
            f"The model {quote(name, 200)} cannot be loaded: {_said(error)}."
        ) from error


def _said(error: Exception) -> str:
    return quote(str(error).rstrip("."), 200)


def _ask(hub: Any, name: str) -> None:
    """Whether the hub has a model, within `HUB_SECONDS`; its own retries take a minute.

    Raises:
        ModelError: it has none of this name, or gives no answer.
    """
    answer: list[Exception | None] = []

    def ask() -> None:
        try:
            hub.HfApi().model_info(name, timeout=HUB_SECONDS)
            answer.append(None)
        except Exception as error:  # told to the caller below
            answer.append(error)

    thread = threading.Thread(target=ask, name="embviz-hub", daemon=True)
    thread.start()
    thread.join(HUB_SECONDS)
    if answer == [None]:
        return
    reached = bool(answer) and isinstance(
        answer[0], hub.errors.HfHubHTTPError | hub.errors.HFValidationError
    )
    if reached:
        raise ModelError(
            f"Hugging Face has no model {quote(name, 200)} that may be read from here. "
            f"Set {MODEL_VARIABLE} to the name of one, or to a folder."
        )
    raise ModelError(
        f"The model {quote(name, 200)} is not on this machine, and Hugging Face cannot be "
        f"reached. Set {MODEL_VARIABLE} to a folder that has one."
    )
