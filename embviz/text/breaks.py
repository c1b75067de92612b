r"""Line breaks in a field of one line: a mark stands for each.

A browser drops `\n` and `\r` from such a field, and a link may bring them.
"""

MARKS = {"\n": "↵", "\r": "⏎"}


def marked(text: str) -> str:
    r"""The text with a mark in place of each line break.

    >>> marked("a\nb")
    'a↵b'
    """
    for character, mark in MARKS.items():
        text = text.replace(character, mark)
    return text


def unmarked(text: str) -> str:
    r"""The text with a line break in place of each mark.

    >>> unmarked("a↵b")
    'a\nb'
    """
    for character, mark in MARKS.items():
        text = text.replace(mark, character)
    return text
