"""The button that downloads a file."""

from typing import Any

import pytest

from embviz.ui.elements.download import download


@pytest.mark.parametrize("late", [False, True])
def test_only_a_large_file_is_made_when_it_is_asked_for(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit deletes one that is made late after two runs of any session."""
    made: list[Any] = []
    monkeypatch.setattr(
        "streamlit.download_button", lambda label, content, *_, **__: made.append(content)
    )
    download("File", lambda: b"content", "file", late=late)
    assert callable(made[0]) == late
    assert late or made == [b"content"]
