"""Files as programs write them: each is read as their own readers do, or refused by its reason.

The oracles are pandas, NumPy and SciPy. A file of R, of a spreadsheet or of a word model is written
here as that program writes it.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
import torch

from embviz.bag.uploads import read_upload
from embviz.fact import weights
from embviz.fact.weights import Reading, parse_weights, read_weights
from embviz.text.refused import Refused
from tests.text.archives import npy, zipped

TABLE = np.array([[0.5, 0.25, -1.0], [1.0, 2.0, 3e-05], [3.0, -4.5, 1e10], [0.0, 0.1, 7.0]])
WHOLE = np.array([[8, 2, 1], [0, 5, 4], [7, 1, 6], [0, 0, 9]])
FRAME, COUNTS = pd.DataFrame(TABLE), pd.DataFrame(WHOLE)
NAMED = FRAME.set_axis(["x", "y", "z"], axis=1)
INDEX = pd.Index(["cat", "dog", "new york", "don't"])


def text(frame: pd.DataFrame, **options: Any) -> bytes:
    """What `to_csv` writes."""
    return frame.to_csv(**options).encode()


def savetxt(array: Any, **options: Any) -> bytes:
    """What `np.savetxt` writes."""
    stream = io.BytesIO()
    np.savetxt(stream, array, **options)
    return stream.getvalue()


def r_table(sep: str, header: bool, corner: bool) -> bytes:
    """What R's `write.csv` (with a corner) and `write.table` (without) write."""
    names = ([""] if corner else []) + [f"V{k}" for k in (1, 2, 3)]
    lines = [sep.join(f'"{name}"' for name in names)] if header else []
    for place, row in enumerate(TABLE.tolist(), 1):
        lines.append(sep.join([f'"{place}"', *(f"{value:.15g}" for value in row)]))
    return "\n".join([*lines, ""]).encode()


def vectors(first: str = "", end: str = "", sign: str = " ") -> bytes:
    """What GloVe writes; word2vec with a first line, fastText with an end of each line."""
    rows = zip(INDEX, TABLE.tolist(), strict=True)
    lines = [sign.join([word, *map(repr, row)]) + end for word, row in rows]
    return (first + "\n".join([*lines, ""])).encode()


def comma(content: bytes, encoding: str = "utf-8-sig") -> bytes:
    """A file of a country with decimal commas, with Excel's mark and ends of lines."""
    return content.decode().replace(".", ",").replace("\n", "\r\n").encode(encoding)


def excel(**options: Any) -> bytes:
    """What Excel saves where a comma is the decimal sign."""
    return comma(text(FRAME, sep=";", index=False, **options))


READ: dict[str, bytes] = {
    "pandas.csv": text(FRAME),
    "pandas no index.csv": text(FRAME, index=False),
    "pandas no header.csv": text(FRAME, header=False),
    "pandas alone.csv": text(FRAME, header=False, index=False),
    "pandas index name.csv": text(FRAME, index_label="id"),
    "pandas words.csv": text(NAMED.set_index(INDEX)),
    "pandas words, numbered.csv": text(FRAME.set_index(INDEX)),
    "pandas years.csv": text(FRAME.set_axis([2019, 2020, 2021], axis=1), index=False),
    "pandas.tsv": text(FRAME, sep="\t"),
    "pandas exponents.csv": text(FRAME, index=False, float_format="%.18e"),
    "pandas.dat": text(FRAME, sep=" ", index=False, header=False),
    "numpy.txt": savetxt(TABLE),
    "numpy.csv": savetxt(TABLE, delimiter=","),
    "numpy header.csv": savetxt(TABLE, delimiter=",", header="x,y,z", comments=""),
    "numpy.npy": npy(TABLE),
    "numpy big-endian.npy": npy(TABLE.astype(">f8")),
    "numpy.npz": zipped({"arr_0.npy": npy(TABLE)}),
    "numpy without ending": npy(TABLE),
    "R write.csv.csv": r_table(",", True, True),
    "R write.csv2.csv": r_table(";", True, True).replace(b".", b","),
    "R write.table.txt": r_table(" ", True, False),
    "R no names.txt": r_table(" ", False, False),
    "pandas dates.csv": text(NAMED.set_index(pd.date_range("2024-01-01", periods=4))),
    "Excel.csv": excel(header=False),
    "Excel counted.csv": excel(),
    "Excel Unicode text.txt": comma(text(NAMED, sep="\t", index=False), "utf-16"),
    "Excel big-endian.txt": comma(text(NAMED, sep="\t", index=False), "utf-16-be").replace(
        b"\0x", b"\xfe\xff\0x", 1
    ),
    "word2vec cut off.txt": b"4 3\n" + text(FRAME, sep=" ", index=False, header=False),
}


# Files in which nothing stands in front of the numbers.
BARE = {
    *("pandas alone.csv", "pandas.dat", "numpy.txt", "numpy.csv", "numpy.npy", "Excel.csv"),
    *("numpy big-endian.npy", "numpy.npz", "numpy without ending"),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("read", [read_weights, read_upload], ids=["weights", "matrix"])
def test_a_table_is_read_as_it_was_saved(name: str, read: Callable[[str, bytes], Any]) -> None:
    """The numbers are the table's; a sentence says what stood around them."""
    if read is read_upload and name.endswith(".npz"):
        pytest.skip("as a matrix, an .npz is SciPy's")
    found = read(name, READ[name])
    rows = found.weight.numpy() if read is read_weights else found.csr.toarray()
    assert rows == pytest.approx(TABLE)
    assert (found.said == "") == (name in BARE)
    assert found.said == "" or "left out." in found.said


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("header", [False, True])
def test_whole_numbers_that_count_are_read_and_said(header: bool, index: bool) -> None:
    """Counts may begin with 0, 1, 2: all is read, and the other way is one press."""
    if header == index:
        return  # with both the corner is empty, and says it
    content = text(COUNTS, header=header, index=index)
    taken, left_out = (read_upload("x.csv", content, choice) for choice in ("auto", "yes"))
    whole = pd.read_csv(io.BytesIO(content), header=None).to_numpy()
    assert taken.csr.toarray().tolist() == whole.tolist()
    assert taken.said.endswith("it is read as numbers.")
    assert left_out.csr.toarray().tolist() == WHOLE.tolist()
    assert left_out.said.endswith("it is left out.")
    assert (taken.other, left_out.other) == ("yes", "no")
    back = read_upload("x.csv", content, "no")
    assert (back.csr.toarray().tolist(), back.said) == (whole.tolist(), taken.said)


@pytest.mark.parametrize("typed", ["0 1\n.5 .25", "[[0, 1], [.5, .25]]", "0,1\n2,3", "0\n.5\n.25"])
def test_typed_rows_are_never_left_out(typed: str) -> None:
    """Rows in brackets or with blanks, and counts, are what they say."""
    found = parse_weights(typed)
    assert (len(found.weight), found.said) == (typed.count("\n") + 1 + 2 * ("[" in typed) // 2, "")


def test_a_pasted_table_of_a_file_is_like_the_file() -> None:
    """Its commas, semicolons or tabs say so."""
    for sep in ",;\t":
        pasted = parse_weights(
            text(FRAME, index=False, sep=sep).decode().replace(".", "," if sep != "," else ".")
        )
        assert pasted.weight.numpy() == pytest.approx(TABLE)
        assert "may count the columns" in pasted.said


VECTORS: dict[str, bytes] = {
    "glove.txt": vectors(),
    "word2vec.txt": vectors("4 3\n"),
    "fasttext.vec": vectors("4 3\n", " "),
    "words.tsv": vectors(sign="\t"),
    "words;.csv": vectors(sign=";").replace(b".", b","),
}


@pytest.mark.parametrize("name", VECTORS)
def test_words_and_vectors(name: str) -> None:
    """Each row has its word, also one of two parts; the same file is a table without words."""
    found = read_weights(name, VECTORS[name], Reading(words=True))
    assert found.words is not None
    assert [found.words.symbol(row) for row in range(5)] == [*INDEX, ""]
    assert found.weight.numpy() == pytest.approx(TABLE)
    assert found.words.encode("New York dog DON'T".replace("New York", "cat")) == [0, 1, 3]


def test_of_many_words_the_first_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there is memory for; a sentence says how many."""
    monkeypatch.setattr(weights, "MAX_NUMBERS", 6)
    found = read_weights("glove.txt", VECTORS["glove.txt"], Reading(words=True))
    assert found.weight.shape == (2, 3)
    assert found.said == "The first 2 rows are read: more than 6 numbers do not fit."


def workbook() -> bytes:
    """The members of a file of Excel."""
    return zipped({"[Content_Types].xml": b"", "xl/workbook.xml": b"<workbook/>"})


def torch_file() -> bytes:
    """What `torch.save` writes."""
    stream = io.BytesIO()
    torch.save(torch.ones(2, 2), stream)
    return stream.getvalue()


def market() -> bytes:
    """What `scipy.io.mmwrite` writes."""
    stream = io.BytesIO()
    scipy.io.mmwrite(stream, scipy.sparse.coo_array(WHOLE))
    return stream.getvalue()


def matlab() -> bytes:
    """What `scipy.io.savemat` writes."""
    stream = io.BytesIO()
    scipy.io.savemat(stream, {"x": TABLE})
    return stream.getvalue()


def safe() -> bytes:
    """What `safetensors.numpy.save_file` writes: the size of a header, the header, the numbers."""
    entry = {"dtype": "F64", "shape": TABLE.shape, "data_offsets": [0, TABLE.nbytes]}
    header = json.dumps({"weight": entry}).encode()
    return len(header).to_bytes(8, "little") + header + TABLE.tobytes()


REFUSED: dict[str, tuple[bytes, str]] = {
    "Latin-1.csv": ("é,ü\n1,2".encode("latin-1"), "looks like Latin-1 or Windows-1252"),
    "no mark.csv": ("1,2\n3,4".encode("utf-16-le"), "looks like UTF-16 without its mark"),
    "missing.csv": (text(FRAME.replace(7.0, np.nan)), "has nothing after its last comma"),
    "R missing.csv": (r_table(",", True, True).replace(b",7", b",NA"), "'NA' is not a number"),
    "dates.csv": (b"x,day\n1.5,2024-01-01\n2.5,2024-01-02", "'2024-01-01' is not a number"),
    "book.xlsx": (workbook(), "it is an Excel workbook. Save a sheet as CSV UTF-8"),
    "table.pt": (torch_file(), "it is a PyTorch file"),
    "table.pkl": (pickle.dumps(TABLE), "it is a pickle, which is not read"),
    "table.safetensors": (safe(), "it is a safetensors file. Save a table of load_file()"),
    "table.dat": (TABLE.tobytes(), "Save a .npy, or a .csv"),
    "table.mtx": (market(), "it is a MatrixMarket file. Read it with scipy.io.mmread"),
    "table.mat": (matlab(), "it is a MATLAB file"),
    "objects.npy": (npy([{}]), "this is not a .npy array, or a broken one"),
    "one axis.npy": (npy(TABLE[0]), "shape"),
    "vectors.bin": (b"2 3\ncat " + TABLE[0].astype("f4").tobytes() + b"\n", "it is not UTF-8 text"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("read", [read_weights, read_upload], ids=["weights", "matrix"])
def test_what_is_no_table_is_refused_by_its_reason(
    name: str, read: Callable[[str, bytes], Any]
) -> None:
    """The sentence has the file's name and the reason, and fits on a line."""
    content, words = REFUSED[name]
    with pytest.raises(Refused) as refused:
        read(name, content)
    said = str(refused.value)
    assert said.startswith(f"'{name}': ")
    assert words in said
    assert said.isprintable()


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_what_scipy_saves(form: str) -> None:
    """A matrix of two axes is read; one of another number is refused by its shape."""
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, scipy.sparse.coo_array(WHOLE).asformat(form))
    assert read_upload("x.npz", stream.getvalue()).csr.toarray().tolist() == WHOLE.tolist()
    if form == "coo":
        for shape, found in {(12,): "1 dimension;", (2, 2, 3): "3 dimensions;"}.items():
            stream = io.BytesIO()
            scipy.sparse.save_npz(stream, scipy.sparse.coo_array(WHOLE.reshape(shape)))
            with pytest.raises(Refused) as refused:
                read_upload("x.npz", stream.getvalue())
            assert str(shape) in str(refused.value)
            assert found in str(refused.value)
