"""The parts of *Where it breaks*."""
