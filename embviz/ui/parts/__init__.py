"""Widgets, charts and other parts that several pages use."""
