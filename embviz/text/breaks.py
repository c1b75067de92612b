r"""Line breaks in a field of one line: a mark stands for each.

A browser drops `\n` and `\r` from such a field, and a link may bring them.
"""

_TO_MARKS = str.maketrans("\n\r", "↵⏎")
_TO_BREAKS = str.maketrans("↵⏎", "\n\r")


def marked(text: str) -> str:
    r"""The text with a mark in place of each line break.

    >>> marked("a\nb")
    'a↵b'
    """
    return text.translate(_TO_MARKS)


def unmarked(text: str) -> str:
    r"""The text with a line break in place of each mark.

    >>> unmarked("a↵b")
    'a\nb'
    """
    return text.translate(_TO_BREAKS)
