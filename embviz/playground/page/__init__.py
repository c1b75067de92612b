"""The content of *Playground*: its picture, and the panels below it.

Reading order; a module imports only those before it:

    stage/      the picture
    worlds      the control of the three worlds
    outputs     the panel *all tokens*
    one_hot     the panel *one_hot*
    neighbours  the panel *nearest*
    in_a_model  the panel *in a model*
    tokenizers  the panel *Tokenizers*
    panels      draws the chosen one, and the small ones itself
    story       the page: the picture, one panel, and what to try
"""
