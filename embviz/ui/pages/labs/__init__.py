"""The page *Labs*."""
