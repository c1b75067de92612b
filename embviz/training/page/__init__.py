"""The lessons of *Training*.

Reading order; a module imports only those before it:

    letters/       the picture of six letters that learn
    film/          the picture of two lessons
    parts          what the route `live` gives of them
    page_training  trains a model on a page up to a number of steps
    many           both routes side by side, for many steps
    six_letters    six letters learn
    one_step       one letter, step by step
    unseen         rows nobody looks up
    learnt_text    the text that models of characters learn from
    write          letters find their kind
    sizes          how large should D be?
    story          the page: one lesson, and what to try
"""
