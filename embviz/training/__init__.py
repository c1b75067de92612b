"""Training: both routes learn in lockstep, and with which optimizers they do not.

Reading order: optimizers, losses, step, batches, journey, lockstep, beside, drift, tying,
text, route_layers, sampling, model, space, export.
"""
