"""The parameters: defaults, and links that say anything."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import Config
from embviz.request import parameters
from embviz.request.parameter_kinds import Choices
from embviz.request.parameters import DEFAULTS


def test_defaults_are_what_the_public_contract_says() -> None:
    """The defaults are those of the public contract."""
    assert DEFAULTS["text"] == "WTF does nn.Embedding do?"
    wanted = ("text", "printable", 100, 10, 123, "normal", "float32", "cpu")
    names = ("input", "vocab", "rows", "dim", "seed", "init", "dtype", "device")
    assert tuple(DEFAULTS[name] for name in names) == wanted


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_default_reads_as_itself(name: str) -> None:
    """Every parameter accepts its own default."""
    assert parameters.read(name, DEFAULTS[name]) == DEFAULTS[name]
    if not isinstance(parameters.PARAMETERS[name], Choices):
        assert parameters.read(name, str(DEFAULTS[name])) == DEFAULTS[name]


@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.text(max_size=30)))
@settings(deadline=None)
def test_whatever_the_link_says_the_widgets_get_something_usable(query: dict[str, str]) -> None:
    """Every parameter of a checked link gives a usable `Config`."""
    notes = parameters.check(query)
    usable = {n: parameters.read(n, query.get(n, DEFAULTS[n])) for n in DEFAULTS if n not in notes}
    chosen = {**DEFAULTS, **usable}
    Config("", min(chosen["rows"], 1000), chosen["dim"], chosen["seed"], chosen["init"])


def test_names_are_short_printable_and_few() -> None:
    """A list of names is read with each name once, and refused where it is no such list."""
    assert parameters.read("machines", ["one", "two", "one", ""]) == ["one", "two"]
    assert parameters.read("machines", "one") == ["one"]
    for bad in (["a\x00b"], ["x" * 101], [f"m{number}" for number in range(65)]):
        with pytest.raises(ValueError, match="machines="):
            parameters.read("machines", bad)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("a" * 6001, False),
        ("é" * 1000, True),
        ("é" * 1001, False),
    ],
)
def test_the_link_carries_six_thousand_encoded_bytes(text: str, fits: bool) -> None:
    """A text fits a link up to 6,000 URL-encoded bytes."""
    assert parameters.fits_link(text) is fits
