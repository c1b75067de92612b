"""The page *Training*."""
