"""A real Sentence-BERT and its first layer, which is an nn.Embedding.

It is an optional extra: the first `load` imports `sentence_transformers`. The model comes from a
folder or from the cache of Hugging Face: nothing is downloaded here. It runs on the CPU in float32,
one sentence at a time, so that a sentence's vectors do not depend on the other sentences. Nothing
is trained, and no code of a model is run. Models without an nn.Embedding or a fast tokenizer are
refused.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.context.pieces import Piece, check_sentences, places_of
from embviz.context.shared_word import Sentence, SharedWord
from embviz.fact.comparison import Comparison
from embviz.text.refused import Refused
from embviz.text.wording import quote

MODEL_VARIABLE = "EMBVIZ_SENTENCE_MODEL"
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
AT_ONCE = 64  # one-hot rows that are multiplied together: 24 MB for a table of 30,000 rows
WEIGHTS = "model.safetensors", "pytorch_model.bin"  # names of a model's file of weights


class ModelError(Refused):
    """A model that cannot be loaded or used, with the reason and what to do."""


def model_name() -> str:
    """The model to load: EMBVIZ_SENTENCE_MODEL (a name or a folder), or all-MiniLM-L6-v2."""
    return os.environ.get(MODEL_VARIABLE, "").strip() or DEFAULT_MODEL


def missing(name: str) -> str:
    """The parts to install before this model can be loaded; `""` if they are all there.

    The library is not imported, and nothing is asked of a network.
    """
    needs = []
    if importlib.util.find_spec("sentence_transformers") is None:
        needs.append("`pip install sentence-transformers`")
    if not _is_folder(name) and not _is_cached(name):
        needs.append(f"`hf download {name}`" if _is_name(name) else f"a model in `{name}`")
    return " and ".join(needs)


def _is_folder(name: str) -> bool:
    return Path(name).expanduser().is_dir()


def _is_name(name: str) -> bool:
    """Whether the hub could have a model of this name; else it is a folder's."""
    return not name.startswith(("/", ".", "~")) and name.count("/") <= 1


def _is_cached(name: str) -> bool:
    """Whether the cache of Hugging Face has a model's settings and its weights."""
    if not _is_name(name) or importlib.util.find_spec("huggingface_hub") is None:
        return False
    import huggingface_hub as hub

    def has(file: str) -> bool:
        return isinstance(hub.try_to_load_from_cache(name, file), str)

    try:
        return has("config.json") and any(map(has, WEIGHTS))
    except hub.errors.HFValidationError:
        return False


def load(name: str) -> SentenceModel:
    """Load a model, in some seconds, most of them for the first import; call it once per process.

    Args:
        name: a folder, or a model's name in the cache of Hugging Face.

    Raises:
        ModelError: the extra or the model is missing or broken, or its first layer is no
            nn.Embedding.
    """
    if needs := missing(name):
        raise ModelError(f"To read sentences, the computer that runs embviz needs {needs}.")
    try:
        make = import_library()
    except Exception as error:  # a broken installation may raise anything
        raise ModelError(
            f"sentence-transformers is installed but cannot be imported: {_reason(error)}."
        ) from error
    source = str(Path(name).expanduser()) if _is_folder(name) else name
    try:
        found = make(source, device="cpu", trust_remote_code=False, local_files_only=True)
    except Exception as error:  # many libraries raise here, each its own type
        said = f"The model {quote(name, 200)} cannot be loaded: {_reason(error)}."
        raise ModelError(said) from error
    return SentenceModel(name, found)


class SentenceModel:
    """A Sentence-BERT whose layers can be read.

    Args:
        name: the name or folder it was loaded from.
        model: the `sentence_transformers.SentenceTransformer`, on the CPU.

    Attributes:
        library: the `SentenceTransformer`.
        embedding: its nn.Embedding(V, D): the rows of the pieces, without positions.
        max_length: the most pieces it reads, the two special ones included.

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
                "nn.Embedding over the tokens of a fast tokenizer."
            )
        self.library, self._encoder, self._tokenizer = model.float().eval(), encoder, tokenizer
        self.embedding = embedding
        longest = min(encoder.config.max_position_embeddings, tokenizer.model_max_length)
        self.max_length = int(model.max_seq_length or longest)
        # A fast tokenizer stores its truncation settings, so threads must not use it together.
        self._lock = threading.Lock()

    def run(self, sentences: Sequence[str], word: str) -> SharedWord:
        """Read sentences that all have one word.

        Args:
            sentences: 1 to 12, each of up to 1,000 characters.
            word: found as a whole word, in any case of letters.

        Raises:
            Refused: the sentences or the word cannot be read.
        """
        check_sentences(sentences)
        read = [self.read(sentence, word) for sentence in sentences]
        proof = self.one_hot_proof(sorted({token for sentence in read for token in sentence.ids}))
        layer = repr(self.embedding)
        counts = proof.num_equal, proof.num_values
        return SharedWord(self.name, layer, self.pooling, word.strip(), *counts, read)

    def read(self, sentence: str, word: str) -> Sentence:
        """One sentence, read alone; the word's vectors are those of its first place.

        Raises:
            Refused: the sentence lacks the word, or has it beyond `max_length`.
        """
        places = places_of(word, sentence)
        start, end = places[0]
        with self._lock, torch.no_grad():
            every, read = self._pieces(sentence, None), self._pieces(sentence, self.max_length)
            states = self._states([piece.id for piece in read])
            whole = self.library.encode(sentence, show_progress_bar=False, convert_to_tensor=True)
        states = states[:, [not piece.is_special for piece in read]]
        pieces = [piece for piece in read if not piece.is_special]
        mine = [k for k, piece in enumerate(pieces) if piece.start < end and piece.end > start]
        if not mine:
            raise Refused(
                f"The word {quote(word)} is beyond the {self.max_length} tokens that the "
                f"model reads of {quote(sentence)}."
            )
        ids = [piece.id for piece in pieces]
        return Sentence(
            text=sentence,
            pieces=[piece.text for piece in pieces],
            ids=ids,
            word=mine,
            occurrences=len(places),
            cut=len(every) - len(read),
            rows=self.embedding.weight.detach()[ids],
            vectors=states[-1],
            layers=states[:, mine].mean(dim=1),
            whole=whole.clone(),
        )

    @property
    def pooling(self) -> str:
        """How the model pools vectors into a sentence's, such as `mean`; `""` if unknown."""
        modes = [getattr(module, "pooling_mode", "") for module in self.library]
        return next((str(mode) for mode in modes if mode), "")

    @torch.no_grad()
    def one_hot_proof(self, ids: Sequence[int]) -> Comparison:
        """The model's own lookup against one-hot x nn.Linear.

        Args:
            ids: N ids, each from 0 to V - 1.

        Returns:
            `lookup` and `matmul`, each (N, D).
        """
        table = self.embedding.weight
        wanted = torch.tensor(list(ids), dtype=torch.int64)
        linear = table.t().contiguous()  # the weight of an nn.Linear
        parts = torch.split(wanted, AT_ONCE)
        one_hots = (F.one_hot(part, len(table)).to(table.dtype) for part in parts)
        rows = [F.linear(one_hot, linear) for one_hot in one_hots]
        return Comparison(self.embedding(wanted), torch.cat(rows))

    def _states(self, ids: Sequence[int]) -> torch.Tensor:
        """(L + 1, N, D): after positions and LayerNorm, then after each layer."""
        tokens = torch.tensor([ids])
        mask = torch.ones_like(tokens)
        found = self._encoder(input_ids=tokens, attention_mask=mask, output_hidden_states=True)
        return torch.stack([state[0] for state in found.hidden_states])

    def _pieces(self, sentence: str, limit: int | None) -> list[Piece]:
        """The pieces of a sentence, the special ones included; `limit` of them, if given.

        The caller holds the lock: a tokenizer keeps the limit of its last call.
        """
        read = self._tokenizer(
            sentence,
            truncation=limit is not None,
            max_length=limit,
            return_offsets_mapping=True,
            verbose=False,  # no warning of a sentence that is too long: the page says so
        )
        texts = self._tokenizer.convert_ids_to_tokens(read["input_ids"])
        parts = zip(read["input_ids"], texts, read["offset_mapping"], read.word_ids(), strict=True)
        return [
            Piece(token, text, start, end, word is None)
            for token, text, (start, end), word in parts
        ]


def import_library() -> Any:
    """The class of models; it and the hub are silenced for the whole process."""
    # Set before the import, because forked tokenizers warn otherwise.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import huggingface_hub
    import transformers
    from sentence_transformers import SentenceTransformer

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    huggingface_hub.utils.disable_progress_bars()
    for library in ("sentence_transformers", "huggingface_hub", "transformers"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    return SentenceTransformer


def _reason(error: Exception) -> str:
    return quote(str(error).rstrip("."), 200)
