"""The page *Timing*."""
