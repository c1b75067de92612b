"""The parts of *Bag of words*."""
