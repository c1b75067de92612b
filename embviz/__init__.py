"""embviz shows, measures and teaches one fact.

`nn.Embedding(ids)` equals `one_hot(ids) @ weight`: a lookup is a one-hot row
times the weight of a bias-free `nn.Linear`, done without the multiplying.

Reading order, from the bottom up:

    wording      sizes, numbers and quotes in messages
    dtypes       the float types: one record each
    inits        how a table may start: one record each
    config       what the user chose: one frozen, validated record
    vocabulary   characters <-> ids, and how a character is made visible
    ids, escapes reading typed ids and typed escapes
    weights      reading the user's own table
    distribution moments and histogram of a tensor
    layers       one weight, two layers: lookup() and multiply()
    comparison   are two results the same, bit for bit, and if not by how much
    cost         what each route reads, multiplies and stores
    storage      where the weights live, and the `.T` trap
    export       a script and a notebook that give the same numbers
    environment  what this machine is
    bag          rows of counts: four routes to one sum
    training     gradients and optimizers, both routes in lockstep
    limits       where the two part ways, each case proved
    context      static against contextual vectors
    timing       lookup against matmul, measured
    labs         exercises for a class, checked by computing
    ui           the Streamlit side; nothing else here imports streamlit

This module imports nothing, so that `python -m embviz --help` is quick.
"""

__version__ = "0.1.0"
