import pytest

from embviz.core.wording import format_bytes


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (1024**2, "1.0 MiB"),
        (5 * 1024**3, "5.0 GiB"),
        (2000 * 1024**4, "2,000.0 TiB"),
    ],
)
def test_bytes_are_shown_in_binary_units(count: int, shown: str) -> None:
    """Sizes are written in binary units."""
    assert format_bytes(count) == shown
