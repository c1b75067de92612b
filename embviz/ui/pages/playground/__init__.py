"""The parts of *Playground* beside its picture."""
