import pytest

from embviz.context.pieces import places_of


def test_words_are_found_whole_and_counted() -> None:
    """A word inside another word is not found."""
    assert places_of("bank", "Embankment bankrupt BANK") == [(20, 24)]
    assert places_of(" a.b ", "axb a.b") == [(4, 7)]
    for word, message in [("", "no word"), ("x" * 101, "longer"), ("river", "'river' is not in")]:
        with pytest.raises(ValueError, match=message):
            places_of(word, "the bank")
