"""Training: both routes learn in lockstep, and with which optimizers they do not.

Reading order: optimizers, losses, step, walk, batches, stepwise, lockstep, drift, text,
route_layers, model, space.
"""
