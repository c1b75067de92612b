from embviz.labs.markup import to_html


def test_only_the_markup_of_prompts_becomes_html() -> None:
    """Bold, slanted, code and blocks become HTML; all other text is escaped."""
    text = "One *slanted* and **bold**,\nwith `a * b < c` and <b>.\n\n"
    text += "```\n**x**  <y>\n```\n\nLast: 2 * 3 * 4."
    assert to_html(text) == (
        "<p>One <em>slanted</em> and <strong>bold</strong>, with <code>a * b &lt; c</code> and "
        "&lt;b&gt;.</p>\n<pre>**x**  &lt;y&gt;</pre>\n<p>Last: 2 * 3 * 4.</p>"
    )
