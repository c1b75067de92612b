"""The parts of *Timing*."""
