import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from embviz.labs.exercises import LABS
from tests.commands import call, refusal

NAMES, PAGE = "{folder}/names.txt", "{folder}/x.html"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["row", "--out", PAGE], "required: --students"),
        (["row", "--students", NAMES], "required: --out"),
        (["--students", NAMES, "--out", PAGE], "required: lab"),
        (
            ["rows", "--students", NAMES, "--out", PAGE],
            "'rows' is not one of the labs: row, bag, learns, cost.",
        ),
        (["row", "--students", "{folder}/none.txt", "--out", PAGE], "cannot be read: No such file"),
        (
            ["row", "--students", "{folder}/empty.txt", "--out", PAGE],
            "0 students; a worksheet is for 1 to 100 at a time.",
        ),
        (
            ["row", "--students", "{folder}/many.txt", "--out", PAGE],
            "101 students; a worksheet is for 1 to 100 at a time.",
        ),
        (["row", "--students", "{folder}/odd.txt", "--out", PAGE], "'!!' is not a name"),
        (["row", "--students", NAMES, "--out", "{folder}/no/x"], "cannot write"),
        (["row", "--students", NAMES, "--out", "{folder}"], "cannot write"),
    ],
    ids=str,
)
def test_refusals(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input gives exit code 2 and one sentence, and writes no file."""
    lists = {"names": "Ada\n", "empty": "\n \n", "odd": "Ada\n!!\n", "many": "Ada\n" * 101}
    for name, content in lists.items():
        (tmp_path / f"{name}.txt").write_text(content, "utf-8")
    given = [one.format(folder=tmp_path) for one in arguments]
    assert words in refusal(capsys, "worksheet", *given)
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("answers", [False, True])
def test_each_student_gets_a_sheet(
    answers: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each name gets one sheet; solutions are printed with `--answers` only."""
    names, page = tmp_path / "names.txt", tmp_path / "sheets.html"
    names.write_text("Ada\n\n  李雷 \nO'Neil & Co <b>\n", "utf-8")
    for one in LABS:
        more = ["--answers"] if answers else []
        code, out, err = call(
            capsys, "worksheet", one.code, "--students", str(names), "--out", str(page), *more
        )
        assert (code, out, err) == (0, "", f"3 sheets in {page}\n")
        sheets = page.read_text("utf-8")
        assert sheets.count('<section class="student">') == 3
        assert [name in sheets for name in ("Ada", "李雷", "O&#x27;Neil &amp; Co &lt;b&gt;")] == [
            True
        ] * 3
        assert ("<strong>Answer:</strong>" in sheets) == answers


def test_a_class_list_from_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cut -d, -f1 class.csv | python -m embviz worksheet row --students -` works."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Ada\nBob\n")))
    page = tmp_path / "sheets.html"
    code, _, err = call(capsys, "worksheet", "bag", "--students", "-", "--out", str(page))
    assert (code, err) == (0, f"2 sheets in {page}\n")
    assert page.read_text("utf-8").count('<section class="student">') == 2
