"""The parts of each page beyond its story in `pages/`."""
