"""Training: both routes learn in lockstep, and with which optimizers they do not.

Reading order: optimizers, losses, step, walk, batches, journey, stepwise, lockstep, beside,
drift, tying, inputs, text, route_layers, sampling, model, space, export.
"""
