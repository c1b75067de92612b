"""The lessons of *Training*."""
