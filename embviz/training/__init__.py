"""Training: both routes learn in lockstep, and where that stops. Reading order: optimizers, losses,
step, batches, journey, lockstep, drift, tying, text, model, space, export.
"""
