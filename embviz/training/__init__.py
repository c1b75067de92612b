"""Training: both routes learn in lockstep, and with which optimizers they do not.

Reading order: optimizers, losses, batches, learning, training, states, corpus, space, writing,
sizes, six_letters, settings, inputs, charts, page.
"""
