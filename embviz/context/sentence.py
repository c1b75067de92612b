"""A real Sentence-BERT and its first layer, which is an nn.Embedding.

It is an optional extra: the first `load` imports `sentence_transformers`. The model comes from a
folder, the cache of Hugging Face or, last, its hub. It runs on the CPU in float32, one sentence at
a time, so that a sentence's vectors do not depend on the other sentences. Nothing is trained, and
no code of a model is run. Models without an nn.Embedding or a fast tokenizer are refused.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.context.pieces import Piece, check_sentences, places_of
from embviz.context.shared_word import Sentence, SharedWord
from embviz.fact.comparison import Comparison
from embviz.fact.layers import check_range
from embviz.text.refused import Refused
from embviz.text.wording import quote

MODEL_VARIABLE = "EMBVIZ_SENTENCE_MODEL"
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
HUB_SECONDS = 2.0  # timeout of the question whether the hub has a model
SLICE_ROWS = 4_096
WEIGHTS = "model.safetensors", "pytorch_model.bin"  # names of a model's file of weights


class ModelError(Refused):
    """A model that cannot be loaded or used, with the reason and what to do."""


def model_name() -> str:
    """The model to load: EMBVIZ_SENTENCE_MODEL (a name or a folder), or all-MiniLM-L6-v2."""
    return os.environ.get(MODEL_VARIABLE, "").strip() or DEFAULT_MODEL


def missing(name: str) -> str:
    """The parts to install for this model to be loaded without a network; `""` if it is all there.

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

    A folder and the cache need no network. Only then the hub is asked, before that import and with
    a timeout of 2 s, unless HF_HUB_OFFLINE forbids it. A download has no timeout.

    Args:
        name: a folder, or a model's name on the hub.

    Raises:
        ModelError: the extra is not installed, the model does not exist or cannot be reached, or
            its first layer is no nn.Embedding.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ModelError(
            "A real Sentence-BERT is an optional extra: pip install sentence-transformers, then "
            "start embviz again."
        )
    folder = Path(name).expanduser()
    if not _is_folder(name):
        if not _is_name(name):
            raise ModelError(f"{quote(name, 200)} is no folder on this machine.")
        find_model(name)
    try:
        make = import_library()
    except Exception as error:  # a broken installation may raise anything
        raise ModelError(
            f"sentence-transformers is installed but cannot be imported: {_reason(error)}."
        ) from error
    make = partial(make, device="cpu", trust_remote_code=False)
    try:
        found = _made(make, name, folder)
    except Exception as error:  # many libraries raise here, each its own type
        said = f"The model {quote(name, 200)} cannot be loaded: {_reason(error)}."
        raise ModelError(said) from error
    return SentenceModel(name, found)


def _made(make: Callable[..., Any], name: str, folder: Path) -> Any:
    """The model of a folder, of the cache, or, where that lacks a file, of the hub."""
    if folder.is_dir():
        return make(str(folder), local_files_only=True)
    try:
        return make(name, local_files_only=True)
    except Exception:  # the cache lacks a file, or it is a fault that comes again below
        return make(name, local_files_only=False)


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

    def pieces(self, sentence: str) -> list[Piece]:
        """The pieces that the model reads of a sentence, the special ones included.

        Raises:
            Refused: an empty sentence, or one of more than 1,000 characters.
        """
        return self._pieces(sentence, self.max_length)

    def pieces_cut(self, sentence: str) -> int:
        """How many pieces at the end of the sentence are beyond `max_length` and not read."""
        return len(self._pieces(sentence, None)) - len(self.pieces(sentence))

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
        check_sentences([sentence])
        places = places_of(word, sentence)
        start, end = places[0]
        pieces = self.pieces(sentence)
        kept = [piece for piece in pieces if not piece.is_special]
        mine = [k for k, piece in enumerate(kept) if piece.start < end and piece.end > start]
        if not mine:
            raise Refused(
                f"The word {quote(word)} is beyond the {self.max_length} tokens that the "
                f"model reads of {quote(sentence)}."
            )
        states = self._states(pieces)[:, [piece.position for piece in kept]].clone()
        ids = [piece.id for piece in kept]
        with self._lock, torch.inference_mode():
            whole = self.library.encode(sentence, show_progress_bar=False, convert_to_tensor=True)
        return Sentence(
            sentence,
            [piece.text for piece in kept],
            ids,
            mine,
            len(places),
            any(kept[k].is_unknown for k in mine),
            self.pieces_cut(sentence),
            self.embedding.weight.detach()[ids],
            states[-1],
            states[:, mine].mean(dim=1),
            whole.clone(),
        )

    @property
    def pooling(self) -> str:
        """How the model pools vectors into a sentence's, such as `mean`; `""` if unknown."""
        modes = [getattr(module, "pooling_mode", "") for module in self.library]
        return next((str(mode) for mode in modes if mode), "")

    @torch.no_grad()
    def one_hot_proof(self, ids: Sequence[int], slice_rows: int = SLICE_ROWS) -> Comparison:
        """The model's own lookup against one-hot x nn.Linear, a slice of the rows at a time.

        No full one-hot (N, V) and no copy of the table is made: each slice of rows has its columns
        of the one-hot and its nn.Linear, and the results are summed.

        Args:
            ids: N ids, each from 0 to V - 1.
            slice_rows: rows of the table multiplied at a time.

        Returns:
            `lookup` and `matmul`, each (N, D).

        Raises:
            IndexError: an id without a row.
        """
        rows, dim = self.embedding.weight.shape
        wanted = torch.tensor(list(ids), dtype=torch.int64)
        check_range(wanted, rows)
        total = self.embedding.weight.new_zeros(len(wanted), dim)
        for start in range(0, rows, slice_rows):
            weight = self.embedding.weight[start : start + slice_rows]
            # Ids outside this slice get an extra class, whose column is dropped.
            inside = (wanted >= start) & (wanted < start + len(weight))
            classes = torch.where(inside, wanted - start, len(weight))
            one_hot = F.one_hot(classes, len(weight) + 1)[:, :-1].to(weight.dtype)
            linear = nn.Linear(len(weight), dim, bias=False, device="meta")
            linear.weight = nn.Parameter(weight.t().contiguous(), requires_grad=False)
            total += linear(one_hot)
        return Comparison(self.embedding(wanted), total)

    @torch.no_grad()
    def _states(self, pieces: Sequence[Piece]) -> torch.Tensor:
        """(L + 1, N, D): after positions and LayerNorm, then after each layer."""
        ids = torch.tensor([[piece.id for piece in pieces]])
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
                verbose=False,  # no warning over the limit: `pieces_cut` counts them
            )
        ids = read["input_ids"]
        texts = self._tokenizer.convert_ids_to_tokens(ids)
        unknown = self._tokenizer.unk_token_id
        parts = zip(ids, texts, read["offset_mapping"], read.word_ids(), strict=True)
        return [
            Piece(token, text, start, end, position, word is None, token == unknown)
            for position, (token, text, (start, end), word) in enumerate(parts)
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


def find_model(name: str) -> None:
    """Check within `HUB_SECONDS` that the cache or the hub has a model.

    Raises:
        ModelError: there is no model of this name, or no answer.
    """
    import huggingface_hub as hub

    try:
        if hub.try_to_load_from_cache(name, "config.json"):
            return
        if not hub.constants.HF_HUB_OFFLINE:
            hub.HfApi().model_info(name, timeout=HUB_SECONDS)
            return
        why = "this machine is set to stay offline"
    except (hub.errors.HfHubHTTPError, hub.errors.HFValidationError):
        raise ModelError(
            f"Hugging Face has no model {quote(name, 200)} that may be read from here."
        ) from None
    except Exception:  # Network errors: each library has its own types.
        why = "Hugging Face cannot be reached"
    raise ModelError(
        f"The model {quote(name, 200)} is not on this machine, and {why}. Go online once to fetch "
        "it, or start embviz with a model in a folder."
    )
