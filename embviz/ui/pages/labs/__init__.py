"""The parts of *Labs*, and of classes."""
